// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageAnimation
import ImageCoderEngine
import ImageCoderModel
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
    #expect(animation.frameCount >= 1)
    #expect(animation.problem != nil)
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
