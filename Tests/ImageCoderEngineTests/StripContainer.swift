// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Synchronization

/// A container that reads bytes as they arrive: `s`, width, height, whether it is animated, then frames. A frame is its
/// first row, its number of rows, whether it is blended, and one byte for each pixel, 0 for nothing, else an opaque gray.
struct StripContainer: ReadOnlyContainer {
  let id = "org.example.strip"
  let signatures = [FormatSignature(Array("s".utf8))]
  let readsIncrementally = true
  let names: ContainerPropertyNames? = nil
  /// Rows that the reader has sent.
  let rowsSent = Counter()

  final class Counter: Sendable {
    private let count = Atomic<Int>(0)
    var value: Int { count.load(ordering: .relaxed) }
    func add() { count.add(1, ordering: .relaxed) }
  }

  func openReader(_ session: HostSession, options: OpenOptions) throws(CoderError) -> any ReaderSession {
    try Reader(session.view, rowsSent)
  }

  func decoder(_ options: DecodeOptions = DecodeOptions()) -> IncrementalDecoder {
    AnimatedCoder(self).makeIncrementalDecoder(options: options)
  }

  private final class Reader: ReaderSession {
    private let source: SourceView
    private let rowsSent: Counter
    private let size: Size
    private let isAnimated: Bool
    private var frames: [(header: FrameHeader, data: Int)] = []

    init(_ source: SourceView, _ rowsSent: Counter) throws(CoderError) {
      self.source = source
      self.rowsSent = rowsSent
      let bytes = try source.bytes(at: 0, count: 4, of: "the header")
      size = Size(width: Int(bytes[1]), height: Int(bytes[2]))
      isAnimated = bytes[3] != 0
      try walk(to: 0)
    }

    private func walk(to index: Int) throws(CoderError) {
      while frames.count <= index {
        let start = frames.last.map { $0.data + $0.header.rect.height * size.width } ?? 4
        let bytes = try source.view(at: start, count: 3)
        guard bytes.count == 3 else {
          throw frames.isEmpty ? .truncated("no frame", at: start) : .invalidArgument("no frame \(index)")
        }
        let rect = Rect(x: 0, y: Int(bytes[0]), width: size.width, height: Int(bytes[1]))
        frames.append((FrameHeader(rect: rect, blend: bytes[2] != 0 ? .over : .source), start + 3))
      }
    }

    func header(page: Int) throws(CoderError) -> ImageHeader {
      var header = ImageHeader(
        format: ImageFormat(rawValue: "org.example.strip"), canvas: size, pixelFormat: .rgba8, bitsPerChannel: 8,
        alpha: .straight)
      header.isAnimated = isAnimated
      header.isIncomplete = isAnimated && source.size == .max
      header.frameCount = frames.count
      return header
    }

    func frame(_ index: Int, page: Int) throws(CoderError) -> FrameHeader {
      try walk(to: index)
      return frames[index].header
    }

    func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
      try DecodeOffer(
        request, size: frame(request.frame, page: 0).rect.size, pixelFormat: .rgba8, alpha: .straight,
        rowOrder: .topDown)
    }

    func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
      try walk(to: offer.frame)
      for y in 0..<offer.size.height {
        let bytes = try source.view(
          at: frames[offer.frame].data + y * size.width, least: size.width, most: size.width)
        guard bytes.count == size.width else { throw .truncated("\(y) rows", at: 0) }
        let rows = try sink.rows(at: y)
        for x in 0..<size.width {
          let pixel = rows.base.assumingMemoryBound(to: UInt8.self) + 4 * x
          for channel in 0..<3 { pixel[channel] = bytes[x] }
          pixel[3] = bytes[x] == 0 ? 0 : 255
        }
        try sink.done(at: y)
        rowsSent.add()
      }
    }
  }
}
