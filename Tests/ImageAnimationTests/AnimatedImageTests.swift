// SPDX-License-Identifier: Apache-2.0

import ImageAnimation
import ImageCoderEngine
import ImageCoderModel
import Synchronization
import TestSupport
import Testing

/// Files as sources of frames.
@Suite struct AnimatedImageTests {
  static let registry = CoderRegistry(searchPath: .only([StagedTree.plugins]), preferences: CoderPreferences())

  static func fixture(_ path: String) -> String {
    let parts = path.split(separator: "/")
    return "\(StagedTree.fixtures(String(parts[0])))/valid/\(parts[1])"
  }

  static func open(
    _ path: String, delays: DelayPolicy = .browser, loopCount: LoopCount? = nil, transform: FrameTransform? = nil
  ) throws -> AnimatedImage {
    try AnimatedImage(
      .file(fixture(path)), delays: delays, loopCount: loopCount, transform: transform, registry: registry)
  }

  /// All animations of the fixtures.
  static let animations: [String] = ["avif", "gif", "heif", "jxl", "png", "webp"].flatMap { format in
    Command.run("ls '\(StagedTree.fixtures(format))/valid'").output.split(separator: "\n")
      .filter { !$0.hasSuffix(".json") && !$0.hasSuffix(".txt") }
      .map { "\(format)/\($0)" }
      .filter { path in
        let decoder = try? registry.open(.file(fixture(path)))
        return (decoder?.header.isAnimated ?? false) && (decoder?.frameCount ?? 0) > 1
      }
  }

  @Test func thereAreAnimationsOfManyFormats() {
    #expect(Self.animations.count > 60)
    #expect(Set(Self.animations.compactMap { $0.split(separator: "/").first }).count >= 5)
  }

  @Test(arguments: animations) func playingToTheEndGivesTheFramesOfTheFile(_ path: String) throws {
    let whole = try Self.registry.decode(.file(Self.fixture(path)))
    let image = try Self.open(path, delays: .minimum(.milliseconds(1)), loopCount: .plays(2))
    #expect(image.frameCount == whole.frames.count)
    #expect(try Self.open(path).loopCount == whole.loopCount)
    #expect(image.memorySize == whole.frames.reduce(0) { $0 + $1.pixels.byteCount })
    var player = AnimationPlayer(image)
    player.start(at: .zero)
    var shown: [[UInt8]] = []
    var step = player.advance(to: .zero)
    while let index = step.index {
      if step.isNewFrame { shown.append(try image.frame(at: index).pixels.copyBytes()) }
      guard let deadline = step.deadline else { break }
      step = player.advance(to: deadline)
    }
    let frames = whole.frames.map { $0.pixels.copyBytes() }
    #expect(shown == frames + frames)
    // The sum of the file's delays, at least a millisecond each. Here each is rounded down to an attosecond.
    let sum = whole.frames.reduce(Duration.zero) { $0 + max($1.delay.duration, .milliseconds(1)) }
    #expect(image.duration >= sum)
    #expect(image.duration <= sum + Duration(attoseconds: Int128(image.frameCount + 1)))
  }

  @Test(arguments: animations) func playingBackwardsGivesTheSameFrames(_ path: String) throws {
    let whole = try Self.registry.decode(.file(Self.fixture(path)))
    let image = try Self.open(path)
    for index in (0..<image.frameCount).reversed() {
      #expect(try image.frame(at: index).pixels.copyBytes() == whole.frames[index].pixels.copyBytes())
    }
  }

  @Test func shortDelaysFollowThePolicy() throws {
    // 0, 1 and 2 hundredths of a second.
    let path = "gif/delay-0-1-2.gif"
    func delays(_ policy: DelayPolicy) throws -> [Double] {
      let image = try Self.open(path, delays: policy)
      return (0..<3).map { image.delay(at: $0).seconds }
    }
    #expect(try delays(.exact) == [0, 0.01, 0.02])
    #expect(try delays(.browser) == [0.1, 0.1, 0.02])
    #expect(try delays(.minimum(FrameDelay(numerator: 15, denominator: 1000))) == [0.015, 0.015, 0.02])
    // The frame still says what the file says.
    #expect(try Self.open(path).frame(at: 1).delay == FrameDelay(numerator: 1, denominator: 100))
  }

  @Test func theNumberOfPlaysIsTheCallersOrTheFiles() throws {
    #expect(try Self.open("png/apng-loop-3.png").loopCount == .plays(3))
    #expect(try Self.open("png/apng-loop-3.png", loopCount: .infinite).loopCount == .infinite)
  }

  @Test func aStillPictureHasOneFrame() throws {
    let image = try Self.open("png/rgb8.png")
    #expect(image.frameCount == 1)
    #expect(image.delay(at: 0) == .zero)
    #expect(try image.frame(at: 0).pixels === image.poster.pixels)
    var player = AnimationPlayer(image)
    player.start(at: .zero)
    let step = player.advance(to: .zero)
    #expect(step.index == 0)
    #expect(step.deadline == nil)
  }

  @Test func noFileIsAnError() {
    #expect(throws: CoderError.self) { try AnimatedImage(.bytes([]), registry: Self.registry) }
    #expect(throws: CoderError.self) { try AnimatedImage(.file("/nowhere.gif"), registry: Self.registry) }
  }

  @Test func preloadedFramesAreKeptUntilTheyAreUnloaded() throws {
    let image = try Self.open("webp/animated-blend.webp")
    #expect(image.keptByteCount == 0)
    #expect(!image.isPreloaded)
    try image.preload()
    #expect(image.isPreloaded)
    // The poster is there anyway.
    #expect(image.keptByteCount == image.memorySize - image.frameByteCount)
    #expect(try image.frame(at: 2).pixels === image.frame(at: 2).pixels)
    image.unload()
    #expect(image.keptByteCount == 0)
    // Without a copy, frame 2 is drawn on what frame 1 was.
    let base = try image.frame(at: 1).pixels.base
    #expect(try image.frame(at: 2).pixels.base == base)
  }

  @Test func preloadingStaysWithinTheLimits() throws {
    // Enough memory to decode a frame of 100×100, and not to keep twenty of them.
    let file = try MadeAnimation.gif(frames: 20, side: 100)
    var options = DecodeOptions()
    let memorySize = try AnimatedImage(.bytes(file), registry: Self.registry).memorySize
    options.limits.maxMemory = memorySize - 1
    let image = try AnimatedImage(.bytes(file), options: options, registry: Self.registry)
    let error = #expect(throws: CoderError.self) { try image.preload() }
    #expect(error?.code == .limitExceeded)
    options.limits.maxMemory = memorySize
    try AnimatedImage(.bytes(file), options: options, registry: Self.registry).preload()
  }

  @Test func aTransformIsAppliedOnceToEachFrame() throws {
    let calls = Mutex<[Int]>([])
    let half = FrameTransform("half") { (pixels, index) throws(CoderError) in
      calls.withLock { $0.append(index) }
      return try pixels.resampled(to: Size(width: 3, height: 2))
    }
    let image = try Self.open("webp/animated-blend.webp", transform: half)
    for _ in 0..<3 {
      for index in [2, 0, 1] { #expect(try image.frame(at: index).pixels.size == Size(width: 3, height: 2)) }
    }
    #expect(calls.withLock { $0 } == [2, 0, 1])
    // Another one and back: what the first has made is still there.
    image.transform = FrameTransform("same") { (pixels, _) throws(CoderError) in pixels }
    #expect(try image.frame(at: 1).pixels.size == image.size)
    image.transform = half
    #expect(try image.frame(at: 1).pixels.size == Size(width: 3, height: 2))
    #expect(calls.withLock { $0 }.count == 3)
    image.transform = nil
    #expect(try image.frame(at: 1).pixels.size == image.size)
  }

  @Test func framesMayBeAskedForFromManyTasks() async throws {
    let path = "gif/covering-restore-previous.gif"
    let whole = try await Self.registry.async.decode(.file(Self.fixture(path)))
    let image = try await Self.registry.async.animatedImage(.file(Self.fixture(path)))
    try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { group in
      for turn in 0..<100 {
        let index = turn * 3 % image.frameCount
        group.addTask {
          // A task may be a thread of a program's own.
          func blocking() throws -> Frame { try image.frame(at: index) }
          let frame = turn % 2 == 0 ? try blocking() : try await image.async.frame(at: index)
          return (index, frame.pixels.copyBytes())
        }
      }
      for try await (index, bytes) in group { #expect(bytes == whole.frames[index].pixels.copyBytes()) }
    }
  }

  @Test func theBytesOfItsFileAreAtHand() async throws {
    for path in ["gif/loop-3.gif", "png/apng-loop-3.png"] {
      let bytes = try StreamingAnimationTests.bytes(path)
      for source in [ByteSource.file(Self.fixture(path)), .bytes(bytes)] {
        let image = try await Self.registry.async.animatedImage(source)
        #expect(try await image.async.fileBytes() == bytes)
      }
    }
    let folder = Command.run("mktemp -d").output.split(separator: "\n").joined()
    let copy = "\(folder)/party.gif"
    #expect(Command.run("cp '\(Self.fixture("gif/loop-3.gif"))' '\(copy)'").status == 0)
    let image = try await Self.registry.async.animatedImage(.file(copy))
    _ = Command.run("rm -r '\(folder)'")
    let error = await #expect(throws: CoderError.self) { try await image.async.fileBytes() }
    #expect(error?.code == .io)
  }

  /// A poster that was released is decoded when it is asked for, and says why if that fails.
  @Test func aReleasedPosterIsDecodedAgain() throws {
    var options = DecodeOptions()
    let cancellation = Cancellation()
    options.cancellation = cancellation
    let image = try AnimatedImage(
      .file(Self.fixture("png/apng-dispose-keep.png")), options: options, registry: Self.registry)
    let first = image.poster.pixels
    image.keepPoster(false)
    let again = image.poster
    #expect(again.pixels !== first && again.pixels.copyBytes() == first.copyBytes() && again.problem == nil)
    // What is drawn is a later frame, and not the first one.
    _ = try image.frame(at: image.frameCount - 1)
    cancellation.cancel()
    #expect(image.poster.pixels.size == Size(width: 1, height: 1) && image.poster.problem?.code == .cancelled)
  }
}
