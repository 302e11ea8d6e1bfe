// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoderModel
import Synchronization
import Testing

/// Coarse passes that are drawn when somebody looks, and only then.
@Suite struct LookingTests {
  /// A file of `l`, the number of its bytes, and bytes that mean nothing. Each pass is one gray, lighter than the one before;
  /// the last is white.
  private struct LookContainer: ReadOnlyContainer {
    let id = "org.example.look"
    let signatures = [FormatSignature(Array("l".utf8))]
    let readsIncrementally = true
    let names: ContainerPropertyNames? = nil
    let seen = Seen()

    final class Seen: Sendable {
      let passes = Atomic<Int>(0)
      let isAsked = Atomic<Bool>(false)
    }

    func openReader(_ session: HostSession, options: OpenOptions) throws(CoderError) -> any ReaderSession {
      Reader(session.view, session.host, seen)
    }
  }

  private final class Reader: ReaderSession {
    private let source: SourceView
    private let host: CoderHost
    private let seen: LookContainer.Seen
    private static let size = Size(width: 3, height: 2)

    init(_ source: SourceView, _ host: CoderHost, _ seen: LookContainer.Seen) {
      (self.source, self.host, self.seen) = (source, host, seen)
    }

    func header(page: Int) throws(CoderError) -> ImageHeader {
      var header = ImageHeader(
        format: ImageFormat(rawValue: "org.example.look"), canvas: Self.size, pixelFormat: .gray8, bitsPerChannel: 8,
        alpha: .opaque)
      header.isProgressive = true
      return header
    }

    func frame(_ index: Int, page: Int) throws(CoderError) -> FrameHeader {
      FrameHeader(rect: Rect(covering: Self.size))
    }

    func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
      DecodeOffer(request, size: Self.size, pixelFormat: .gray8, alpha: .opaque, rowOrder: .any)
    }

    func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
      let count = Int(try source.bytes(at: 0, count: 2, of: "the count")[1])
      var refusal: CoderError?
      func give(_ gray: UInt8, pass: Int) {
        do throws(CoderError) {
          let rows = try sink.rows(at: 0, count: Self.size.height)
          for y in 0..<Self.size.height {
            (rows.base + y * rows.stride).initializeMemory(as: UInt8.self, repeating: gray, count: Self.size.width)
          }
          try sink.done(at: 0, count: Self.size.height, pass: pass)
        } catch { refusal = error }
      }
      func draw() {
        let pass = seen.passes.add(1, ordering: .relaxed).oldValue
        give(UInt8(10 * (pass + 1)), pass: pass)
      }
      try host.drawing(whenLookedAt: draw) { (isAsked) throws(CoderError) in
        seen.isAsked.store(isAsked, ordering: .relaxed)
        for end in 2...count { _ = try source.view(at: 0, least: end, most: end) }
      }
      give(255, pass: seen.passes.load(ordering: .relaxed))
      if let refusal { throw refusal }
    }
  }

  private static let file = [UInt8(ascii: "l"), 9] + [UInt8](repeating: 0, count: 7)

  private static func grays(_ image: Image?) throws -> [UInt8] {
    let pixels = try #require(image).pixels
    return (0..<pixels.size.height).flatMap { pixels.withRow($0) { Array($0) } }
  }

  @Test func whatNobodyLooksAtIsNotDrawn() throws {
    let container = LookContainer()
    let decoder = AnimatedCoder(container).makeIncrementalDecoder(options: DecodeOptions())
    for byte in Self.file {
      try decoder.append(CollectionOfOne(byte))
      // What does not show pixels is no look at them.
      _ = (decoder.status, decoder.header, decoder.coderID)
    }
    let image = try decoder.finish()
    #expect(try Self.grays(image) == [UInt8](repeating: 255, count: 6))
    #expect(container.seen.passes.load(ordering: .relaxed) == 0 && container.seen.isAsked.load(ordering: .relaxed))
  }

  @Test func aPassIsDrawnForWhoLooks() throws {
    let container = LookContainer()
    let decoder = AnimatedCoder(container).makeIncrementalDecoder(options: DecodeOptions())
    try decoder.append(Self.file.prefix(5))
    #expect(try Self.grays(decoder.picture()) == [UInt8](repeating: 10, count: 6))
    // Nothing is drawn twice.
    #expect(decoder.progress.pass == 0)
    #expect(try Self.grays(decoder.picture()) == [UInt8](repeating: 10, count: 6))
    try decoder.append(Self.file.dropFirst(5).prefix(2))
    #expect(container.seen.passes.load(ordering: .relaxed) == 1)
    #expect(try Self.grays(decoder.picture()) == [UInt8](repeating: 20, count: 6))
    #expect(decoder.progress.pass == 1)
    try decoder.append(Self.file.dropFirst(7))
    let image = try decoder.finish()
    #expect(try Self.grays(image) == [UInt8](repeating: 255, count: 6))
    #expect(try Self.grays(decoder.picture()) == [UInt8](repeating: 255, count: 6))
    #expect(container.seen.passes.load(ordering: .relaxed) == 2)
  }

  /// What a reader that gives its thread to others has may be looked at later; what was looked at before is not drawn again.
  ///
  /// In a process of its own: the readers of other tests would have to give theirs away, too.
  @Test(arguments: [false, true]) func aReaderThatLeavesDrawsBefore(isLookedAt: Bool) async {
    await #expect(processExitsWith: .success) { [isLookedAt] in
      let container = LookContainer()
      let decoder = AnimatedCoder(container).makeIncrementalDecoder(options: DecodeOptions())
      try decoder.append(Self.file.prefix(5))
      // A caller that asks for the header waits until the reader has taken all bytes, and looks at no pixels.
      _ = decoder.header
      if isLookedAt { _ = try decoder.picture() }
      #expect(container.seen.passes.load(ordering: .relaxed) == (isLookedAt ? 1 : 0))
      let others = (0...max(8, sysconf(Int32(_SC_NPROCESSORS_ONLN)))).map { _ in
        AnimatedCoder(LookContainer()).makeIncrementalDecoder(options: DecodeOptions())
      }
      for other in others {
        try other.append(Self.file.prefix(5))
        _ = other.header
      }
      #expect(try Self.grays(decoder.picture()) == [UInt8](repeating: 10, count: 6))
      #expect(container.seen.passes.load(ordering: .relaxed) == 1)
    }
  }

  /// Nobody looks at a picture whose bytes are all there before it is done.
  @Test func aWholeFileIsNotLookedAt() throws {
    let container = LookContainer()
    let image = try AnimatedCoder(container).decode(.bytes(Self.file), options: DecodeOptions())
    #expect(try Self.grays(image) == [UInt8](repeating: 255, count: 6))
    #expect(container.seen.passes.load(ordering: .relaxed) == 0 && !container.seen.isAsked.load(ordering: .relaxed))
  }
}
