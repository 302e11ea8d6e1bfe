// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageAnimation
import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import Synchronization
import TestSupport
import Testing

/// Animations that are played while their bytes arrive.
@Suite struct StreamingAnimationTests {
  static func bytes(_ path: String) throws -> [UInt8] {
    let file = try #require(fopen(AnimatedImageTests.fixture(path), "re"))
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes[..<count])
  }

  @Test(arguments: ["gif/loop-3.gif", "png/apng-loop-3.png", "webp/animated-loop-3.webp"])
  func framesAppearOneAfterTheOther(_ path: String) throws {
    let whole = try AnimatedImageTests.registry.decode(.file(AnimatedImageTests.fixture(path)))
    let bytes = try Self.bytes(path)
    let animation = StreamingAnimation(registry: AnimatedImageTests.registry)
    #expect(animation.frameCount == 0)
    var player = AnimationPlayer(animation)
    player.start(at: .zero)
    var (shown, time): ([[UInt8]], Duration) = ([], .zero)
    func play() throws {
      while true {
        let step = player.advance(to: time)
        if step.isNewFrame, let index = step.index { shown.append(try animation.frame(at: index).pixels.copyBytes()) }
        guard let deadline = step.deadline else { return }
        time = deadline
      }
    }
    for byte in bytes {
      try animation.append([byte])
      try play()
      time += .milliseconds(50)
    }
    #expect(!animation.isComplete)
    try animation.finish()
    #expect(animation.isComplete)
    #expect(animation.loopCount == whole.loopCount)
    try play()
    let frames = whole.frames.map { $0.pixels.copyBytes() }
    #expect(shown == frames + frames + frames)
    #expect(player.status == .finished)
  }

  @Test func whatEndsTooEarlyIsPlayedAsFarAsItGoes() throws {
    let bytes = try Self.bytes("gif/loop-3.gif")
    let animation = StreamingAnimation(registry: AnimatedImageTests.registry)
    try animation.append(bytes.dropLast(bytes.count / 3))
    try animation.finish()
    #expect(animation.isComplete)
    #expect(animation.problem != nil)
    // What a decoder makes of the same bytes.
    let cut = try AnimatedImageTests.registry.decode(.bytes(bytes.dropLast(bytes.count / 3)))
    #expect(animation.frameCount == cut.frames.count)
    for index in cut.frames.indices {
      #expect(try animation.frame(at: index).pixels.copyBytes() == cut.frames[index].pixels.copyBytes())
    }
  }

  /// A coder that counts the files it opens.
  private final class CountingCoder: ImageCoder {
    let id = "test.counting"
    let formats: [ImageFormat]
    let signatures: [FormatSignature]
    let inner: any ImageCoder
    let opened = Atomic(0)

    init(_ inner: any ImageCoder) { (self.inner, formats, signatures) = (inner, inner.formats, inner.signatures) }

    func makeDecoder(_ context: DecodeContext) throws(CoderError) -> ImageDecoder {
      opened.add(1, ordering: .relaxed)
      return try inner.makeDecoder(context)
    }
  }

  /// By the thread that reads, by the one that shows frames, and when all bytes are there; a thread that is needed elsewhere
  /// begins anew a few times. 39 frames are shown as soon as they are there.
  @Test func framesThatArriveAreReadByOneDecoder() throws {
    let registry = CoderRegistry(searchPath: .only([StagedTree.plugins]), preferences: CoderPreferences())
    let coder = CountingCoder(try registry.coder("org.imagecoders.gif"))
    registry.register(coder)
    let bytes = try MadeAnimation.gif(frames: 40, side: 80)
    let whole = try AnimatedImageTests.registry.decode(.bytes(bytes)).frames.map { $0.pixels.copyBytes() }
    let animation = StreamingAnimation(registry: registry)
    var next = 0
    for start in stride(from: 0, to: bytes.count, by: 100) {
      try animation.append(bytes[start..<min(start + 100, bytes.count)])
      while next < animation.frameCount {
        #expect(try animation.frame(at: next).pixels.copyBytes() == whole[next], "frame \(next)")
        // Back, and forth.
        if next % 9 == 8 { #expect(try animation.frame(at: next / 2).pixels.copyBytes() == whole[next / 2]) }
        next += 1
      }
    }
    #expect(next == 39)
    try animation.finish()
    for index in 0..<40 { #expect(try animation.frame(at: index).pixels.copyBytes() == whole[index]) }
    #expect((3...8).contains(coder.opened.load(ordering: .relaxed)), "\(coder.opened.load(ordering: .relaxed))")
  }

  /// 40 frames of 25,600 bytes, of which a buffer may hold ten at once while they arrive, and afterwards.
  @Test func whatArrivesStaysWithinTheBudget() async {
    await #expect(processExitsWith: .success) {
      let bytes = try MadeAnimation.gif(frames: 40, side: 80)
      let whole = try await AnimatedImageTests.registry.async.decode(.bytes(bytes)).frames.map { $0.pixels.copyBytes() }
      let before = PixelMemoryUse.bytes
      let animation = StreamingAnimation(registry: AnimatedImageTests.registry)
      let buffer = FrameBuffer(budget: 10 * 25_600, threads: 1)
      let reader = buffer.reader(of: animation)
      PixelMemoryUse.restartPeak()
      func check(_ index: Int) async throws {
        let frame = await reader.frame(at: index, upcoming: [index + 1], shortestDelay: .milliseconds(10))
        let pixels = try frame.result.get().pixels.copyBytes()
        precondition(pixels == whole[index], "frame \(index)")
        precondition(!frame.isStarved, "frame \(index)")
      }
      var next = 0
      for start in stride(from: 0, to: bytes.count, by: 700) {
        try animation.append(bytes[start..<min(start + 700, bytes.count)])
        while next < animation.frameCount {
          try await check(next)
          // Back, and forth.
          if next % 9 == 8 { try await check(next / 2) }
          next += 1
        }
      }
      precondition(next == 39, "\(next) frames before the end is known")
      try animation.finish()
      precondition(animation.frameCount == 40)
      for index in 0..<40 { try await check(index) }
      let peak = PixelMemoryUse.peak - before
      precondition(peak <= 10 * 25_600, "\(peak) bytes at once")
    }
  }

  @Test func whatIsDamagedLaterKeepsItsFrames() throws {
    var bytes = try Self.bytes("png/apng-loop-3.png")
    // The last chunk of pixels has a length that no chunk may have.
    let place = try #require((0..<bytes.count - 4).last { Array(bytes[$0..<$0 + 4]) == Array("fdAT".utf8) })
    bytes.replaceSubrange(place - 4..<place, with: [255, 255, 255, 255])
    let animation = StreamingAnimation(registry: AnimatedImageTests.registry)
    let whole = try AnimatedImageTests.registry.decode(.file(AnimatedImageTests.fixture("png/apng-loop-3.png")))
    _ = try? animation.append(bytes)
    _ = try? animation.finish()
    #expect(animation.isComplete)
    #expect(animation.problem != nil)
    #expect(animation.frameCount >= whole.frames.count - 1)
    for index in 0..<whole.frames.count - 1 {
      #expect(try animation.frame(at: index).pixels.copyBytes() == whole.frames[index].pixels.copyBytes())
    }
  }

  @Test func whatIsNoImageIsComplete() {
    let animation = StreamingAnimation(registry: AnimatedImageTests.registry)
    #expect(throws: CoderError.self) {
      try animation.append([UInt8](repeating: 1, count: 5000))
      try animation.finish()
    }
    #expect(animation.isComplete)
    #expect(animation.frameCount == 0)
    var player = AnimationPlayer(animation)
    player.start(at: .zero)
    #expect(player.advance(to: .seconds(1)).index == nil)
  }

  @Test func theCallersPlaysCount() {
    #expect(StreamingAnimation(loopCount: .plays(7), registry: AnimatedImageTests.registry).loopCount == .plays(7))
  }
}
