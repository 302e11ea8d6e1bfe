// SPDX-License-Identifier: Apache-2.0

import ImageAnimation
import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import Synchronization
import Testing

/// Files that do not count their frames: nothing reads them to the end before their end is shown.
@Suite struct UncountedAnimationTests {
  /// What the reader of a file was asked for.
  struct Calls {
    /// Frames, at most one after the last.
    var described = 0
    var decoded: [Int] = []
  }

  private static let calls = Mutex<[UInt8: Calls]>([:])

  /// Reads "reel", the number of the test, and the gray level of each frame; 0 is damaged.
  final class Reel: ContainerReader {
    private let number: UInt8
    private let levels: [UInt8]
    private static let size = Size(width: 4, height: 2)

    init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
      let bytes = [UInt8](copying: try source.bytes(at: 0, count: source.size))
      (number, levels) = (bytes[4], Array(bytes[5...]))
    }

    func header(page: Int) throws(CoderError) -> ImageHeader {
      var header = ImageHeader(
        format: ImageFormat(rawValue: "org.example.reel"), canvas: Self.size, pixelFormat: .gray8, bitsPerChannel: 8,
        alpha: .opaque)
      header.isAnimated = true
      header.sequence = FrameSequence(isCounted: false, access: .firstFrame)
      return header
    }

    func frame(_ index: Int, page: Int) throws(CoderError) -> FrameHeader {
      calls.withLock { $0[number, default: Calls()].described = max($0[number]?.described ?? 0, index + 1) }
      guard levels.indices.contains(index) else { throw .invalidArgument("no such frame") }
      guard levels[index] > 0 else { throw .malformed("a frame that is damaged") }
      return FrameHeader(rect: Rect(covering: Self.size), delay: .milliseconds(100), hasAlpha: false)
    }

    func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
      _ = try frame(request.frame, page: 0)
      return DecodeOffer(request, size: Self.size, pixelFormat: .gray8, alpha: .opaque)
    }

    func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
      calls.withLock { $0[number, default: Calls()].decoded.append(offer.frame) }
      for y in 0..<Self.size.height {
        try sink.rows(at: y).base.initializeMemory(
          as: UInt8.self, repeating: levels[offer.frame], count: Self.size.width)
        try sink.done(at: y)
      }
    }
  }

  private static let registry = {
    let registry = CoderRegistry(searchPath: .only([]), preferences: CoderPreferences())
    registry.register(
      AnimatedCoder(
        SwiftContainer(
          id: "org.example.reel", formats: [ImageFormat(rawValue: "org.example.reel")],
          signatures: [FormatSignature(Array("reel".utf8))], reader: Reel.self)), priority: nil)
    return registry
  }()

  private static func open(
    _ number: UInt8, _ levels: [UInt8], plays: UInt32 = 1, options: DecodeOptions = DecodeOptions()
  ) throws(CoderError) -> AnimatedImage {
    try AnimatedImage(
      .bytes(Array("reel".utf8) + [number] + levels), options: options, loopCount: .plays(plays), registry: registry)
  }

  private static func calls(_ number: UInt8) -> Calls { calls.withLock { $0[number] ?? Calls() } }

  private static func gray(_ frame: Frame) -> UInt8 { frame.pixels.withRow(0) { $0[0] } }

  @Test func openingDescribesTwoFramesAndDecodesOne() throws {
    let image = try Self.open(1, [UInt8](repeating: 7, count: 200))
    #expect(image.frameCount == 2 && !image.isComplete)
    #expect(Self.calls(1).described == 2 && Self.calls(1).decoded == [0])
    #expect(image.delay(at: 1) == .milliseconds(100) && image.delay(at: 2) == .zero)
    #expect(image.isKeyFrame(at: 0) && !image.isKeyFrame(at: 1))
    #expect(throws: CoderError.self) { try image.frame(at: 2) }
    _ = try image.frame(at: 1)
    #expect(image.frameCount == 3 && Self.calls(1).described == 3)
  }

  @Test func aPlayerPlaysToTheEndAndBeginsAnew() throws {
    let image = try Self.open(2, [10, 20, 30, 40, 50], plays: 2)
    var player = AnimationPlayer(image)
    player.start(at: .zero)
    var shown: [UInt8] = []
    var step = player.advance(to: .zero)
    while let index = step.index {
      if step.isNewFrame { shown.append(Self.gray(try image.frame(at: index))) }
      guard let deadline = step.deadline else { break }
      step = player.advance(to: deadline)
    }
    #expect(shown == [10, 20, 30, 40, 50, 10, 20, 30, 40, 50])
    #expect(image.isComplete && image.frameCount == 5 && image.duration == .milliseconds(500))
    #expect(player.status == .finished)
    #expect(Self.calls(2).decoded == [0, 1, 2, 3, 4, 1, 2, 3, 4])
  }

  /// With memory for all frames, and for hardly more than the one that is shown.
  @Test(arguments: [(UInt8(3), 1 << 20), (4, 500)]) func aBufferDecodesForwardOnly(
    _ number: UInt8, _ budget: Int
  ) async throws {
    let levels = (1...40).map { UInt8($0) }
    let image = try Self.open(number, levels)
    let (clock, buffer) = (ModelClock(), FrameBuffer(budget: budget, threads: 2))
    var shown: [UInt8] = []
    for await frame in Playback(image, buffer: buffer, clock: clock) {
      #expect(clock.now.time == .milliseconds(100 * shown.count))
      shown.append(Self.gray(frame.frame))
      // Of what comes later little is decoded.
      #expect(Self.calls(number).decoded.count <= shown.count + 9)
    }
    #expect(shown == levels && image.isComplete)
    #expect(Self.calls(number).decoded == Array(0..<40))
  }

  @Test func aBufferIsAheadOfThePlayer() async throws {
    let image = try Self.open(5, [UInt8](repeating: 7, count: 100))
    let reader = FrameBuffer(budget: 1 << 20, threads: 1).reader(of: image)
    // Only the frame itself was known when it was asked for.
    _ = await reader.frame(at: 1, upcoming: [], shortestDelay: .milliseconds(100))
    for _ in 0..<2_000 where Self.calls(5).decoded.count < 3 { try await Task.sleep(for: .milliseconds(5)) }
    #expect(Self.calls(5).decoded.prefix(3) == [0, 1, 2])
  }

  @Test func theLastFrameIsFoundForWhoBeginsThere() async throws {
    let image = try Self.open(6, [10, 20, 30, 40])
    var shown: [UInt8] = []
    let buffer = FrameBuffer(budget: 1 << 20, threads: 1)
    for await frame in Playback(image, mode: .reverse, buffer: buffer, clock: ModelClock()) {
      shown.append(Self.gray(frame.frame))
    }
    #expect(shown == [40, 30, 20, 10])
    // All in one block, and not each from the first one on.
    #expect(Self.calls(6).decoded == [0, 1, 2, 3])
  }

  @Test func aDamagedFrameIsTheLastOne() throws {
    let image = try Self.open(7, [10, 20, 0, 40])
    try image.countFrames()
    #expect(image.frameCount == 3 && image.isComplete)
    #expect(Self.gray(try image.frame(at: 1)) == 20)
    let error = #expect(throws: CoderError.self) { try image.frame(at: 2) }
    #expect(error?.code == .malformed)
    #expect(image.delay(at: 2) == .milliseconds(100))
  }

  @Test func aSinglePictureIsComplete() throws {
    let image = try Self.open(8, [10])
    #expect(image.frameCount == 1 && image.isComplete)
  }

  @Test func allFramesArePreloaded() throws {
    let image = try Self.open(9, [10, 20, 30, 40])
    try image.preload()
    #expect(image.isPreloaded && image.memorySize == 4 * image.frameByteCount)
    #expect(Self.calls(9).decoded == [0, 1, 2, 3])
    var options = DecodeOptions()
    options.limits.maxMemory = 3 * image.frameByteCount
    let error = #expect(throws: CoderError.self) {
      try Self.open(10, [10, 20, 30, 40], options: options).preload()
    }
    #expect(error?.limit == .maxMemory)
  }
}
