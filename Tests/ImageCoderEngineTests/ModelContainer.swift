// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

/// Reads the file of an ``AnimationModel``, also incrementally: `m`, then for each frame its rectangle, disposal, blend
/// and whether it has alpha, a byte each, and its pixels of four bytes.
struct ModelContainer: ReadOnlyContainer {
  let id = "org.example.model"
  let signatures = [FormatSignature(Array("m".utf8))]
  let readsIncrementally = true
  let names: ContainerPropertyNames? = nil
  /// Frames whose pixels were read, however often each was.
  let framesRead = StripContainer.Counter()

  static func file(_ model: AnimationModel) -> [UInt8] {
    var bytes = Array("m".utf8)
    for step in model.steps {
      let (header, rect) = (step.header, step.header.rect)
      bytes += [rect.x, rect.y, rect.width, rect.height].map { UInt8($0) }
      bytes += [UInt8(header.disposal.rawValue), UInt8(header.blend.rawValue), header.hasAlpha ? 1 : 0]
      for pixel in step.pixels { for channel in 0..<4 { bytes.append(pixel[channel]) } }
    }
    return bytes
  }

  func openReader(_ session: HostSession, options: OpenOptions) throws(CoderError) -> any ReaderSession {
    try Reader(session.view, framesRead)
  }

  private final class Reader: ReaderSession {
    private let source: SourceView
    private let framesRead: StripContainer.Counter
    private var frames: [(header: FrameHeader, data: Int)] = []
    private static let frameHeaderSize = 7

    init(_ source: SourceView, _ framesRead: StripContainer.Counter) throws(CoderError) {
      self.source = source
      self.framesRead = framesRead
      if source.size == .max {
        try walk(to: 0)
      } else {
        while try hasNext() {}
      }
    }

    private func walk(to index: Int) throws(CoderError) {
      while frames.count <= index {
        guard try hasNext() else { throw .invalidArgument("no frame \(index)") }
      }
    }

    /// Reads the next frame's header, if there is one.
    private func hasNext() throws(CoderError) -> Bool {
      let start = frames.last.map { $0.data + 4 * $0.header.rect.size.pixelCount } ?? 1
      let bytes = try source.view(at: start, count: Self.frameHeaderSize)
      guard bytes.count == Self.frameHeaderSize, let disposal = FrameHeader.Disposal(rawValue: UInt32(bytes[4])),
        let blend = FrameHeader.Blend(rawValue: UInt32(bytes[5]))
      else { return false }
      let rect = Rect(x: Int(bytes[0]), y: Int(bytes[1]), width: Int(bytes[2]), height: Int(bytes[3]))
      let header = FrameHeader(
        rect: rect, delay: .milliseconds(40), disposal: disposal, blend: blend, hasAlpha: bytes[6] != 0)
      frames.append((header, start + Self.frameHeaderSize))
      return true
    }

    func header(page: Int) throws(CoderError) -> ImageHeader {
      var header = ImageHeader(
        format: ImageFormat(rawValue: "org.example.model"), canvas: AnimationModel.size, pixelFormat: .rgba8,
        bitsPerChannel: 8, alpha: .straight)
      header.isAnimated = true
      header.isIncomplete = source.size == .max
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
      framesRead.add()
      let rowBytes = 4 * offer.size.width
      for y in 0..<offer.size.height {
        let bytes = try source.view(at: frames[offer.frame].data + y * rowBytes, least: rowBytes, most: rowBytes)
        guard bytes.count == rowBytes, let start = bytes.baseAddress else { throw .truncated("\(y) rows", at: 0) }
        try sink.rows(at: y).base.copyMemory(from: start, byteCount: rowBytes)
        try sink.done(at: y)
      }
    }
  }
}
