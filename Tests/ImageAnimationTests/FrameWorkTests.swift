// SPDX-License-Identifier: Apache-2.0

import ImageAnimation
import ImageCoderEngine
import ImageCoderModel
import Synchronization
import TestSupport
import Testing

/// The work for a frame that is waited for comes to an end, however little memory there is.
@Suite struct FrameWorkTests {
  /// The clock of a buffer, which looks at it once for each request and twice for each decode. It ends a task when there are
  /// too many looks.
  final class CountingClock: Sendable {
    let clock = ModelClock()
    private let state = Mutex<(looks: Int, most: Int, stop: (@Sendable () -> Void)?)>((0, .max, nil))

    func look() -> Duration {
      let stop = state.withLock { state in
        state.looks += 1
        return state.looks > state.most ? state.stop : nil
      }
      stop?()
      return clock.now.time
    }

    /// Runs a task until its end, or until there are too many decodes.
    ///
    /// - Returns: How many there were.
    func decodes(of requests: Int, atMost most: Int, _ body: @escaping @Sendable () async -> Void) async -> Int {
      let start = Semaphore()
      let task = Task {
        start.wait()
        await body()
      }
      state.withLock { $0 = (0, requests + 2 * most, { task.cancel() }) }
      start.signal()
      await task.value
      return (state.withLock { $0.looks } - requests) / 2
    }
  }

  /// Frames of 1024 bytes, without a poster.
  struct Plain: FrameSource {
    let size = Size(width: 16, height: 16)
    let frameCount = 24
    let loopCount = LoopCount.infinite
    let dependsOnEarlier: Bool

    func delay(at index: Int) -> FrameDelay { .milliseconds(500) }
    func isKeyFrame(at index: Int) -> Bool { index == 0 || !dependsOnEarlier }
    func frame(at index: Int) throws(CoderError) -> Frame {
      Frame(pixels: try PixelBuffer(size: size, format: .rgba8, alpha: .straight))
    }
  }

  /// 24 frames of 1024 bytes, each of which needs the one before it.
  static func image() throws -> AnimatedImage {
    let bytes = try MadeAnimation.gif(frames: 24, side: 16, delay: .milliseconds(500))
    return try AnimatedImage(.bytes(bytes), registry: AnimatedImageTests.registry)
  }

  static let count = 60

  /// Plays frames, some of them late, with jumps, and while memory gets short again and again.
  ///
  /// - Returns: The decodes, unless there are more than `most`.
  static func play(
    _ source: any FrameSource, _ mode: PlaybackMode, rate: Double, budget: Int, threads: Int, atMost most: Int
  ) async throws -> Int {
    let (clock, pressure) = (CountingClock(), ModelPressure())
    let buffer = FrameBuffer(budget: budget, threads: threads, pressure: pressure, seed: 1) { clock.look() }
    let playback = Playback(
      source, mode: mode, rate: try PlaybackRate(rate), buffer: buffer, clock: clock.clock)
    return await clock.decodes(of: count, atMost: most) {
      var shownCount = 0
      for await shown in playback {
        #expect(!shown.events.contains(.starved), "\(mode), \(budget) bytes, \(threads) threads")
        shownCount += 1
        if shownCount == count { break }
        if shownCount % 7 == 0 { playback.seek(to: shownCount * 11 % 24) }
        if shownCount % 10 == 0 { pressure.press() }
        clock.clock.pass(.milliseconds(shownCount % 4 * 150))
      }
    }
  }

  /// Between two requests, each of the 24 frames is decoded ahead once at most; the one that is waited for once more.
  private static let mostDecodes = 25 * count

  @Test(arguments: [1, 2, 4], [false, true])
  func decodesHaveALimitAtEveryBudget(_ threads: Int, _ dependsOnEarlier: Bool) async throws {
    for mode in PlaybackMode.allCases {
      for rate in [1.0, 8] {
        // From the frame that is shown and the next one on.
        for frames in 2...26 {
          let decodes = try await Self.play(
            Plain(dependsOnEarlier: dependsOnEarlier), mode, rate: rate, budget: frames * 1024, threads: threads,
            atMost: Self.mostDecodes)
          #expect(decodes <= Self.mostDecodes, "\(mode) at rate \(rate), \(frames) frames")
        }
      }
    }
  }

  @Test(arguments: [1, 2, 4])
  func decodesOfAFileHaveALimitAtEveryBudget(_ threads: Int) async throws {
    for mode in PlaybackMode.allCases {
      for rate in [1.0, 8] {
        // From the frame that is shown, the next one and the work for it on, to all frames, the poster, and the work of each
        // thread.
        for frames in 3...(27 + threads) {
          let decodes = try await Self.play(
            try Self.image(), mode, rate: rate, budget: frames * 1024, threads: threads, atMost: Self.mostDecodes)
          #expect(decodes <= Self.mostDecodes, "\(mode) at rate \(rate), \(frames) frames")
        }
      }
    }
  }

  /// Three files, each with a mode of its own, and jumps, and pressure.
  private static func playThree(
    _ images: [AnimatedImage], _ buffer: FrameBuffer, _ pressure: ModelPressure, _ clock: ModelClock, frames: Int
  ) async -> Int {
    await withTaskGroup(of: Int.self) { group in
      for (number, image) in images.enumerated() {
        let mode = [PlaybackMode.forward, .reverse, .bounce][number]
        let playback = Playback(image, mode: mode, buffer: buffer, clock: clock)
        group.addTask {
          var shownCount = 0
          for await shown in playback {
            #expect(!shown.events.contains(.starved), "\(mode), \(buffer.budget) bytes, \(buffer.threads) threads")
            shownCount += 1
            if shownCount == frames { break }
            if shownCount % 7 == 0 { playback.seek(to: shownCount * 11 % 24) }
            if shownCount % 10 == 0 { pressure.press() }
          }
          return shownCount
        }
      }
      return await group.reduce(0, +)
    }
  }

  /// From a frame for each of three players, and one next frame with its work for all, up to where each has its poster, two frames,
  /// and four threads' work.
  @Test(arguments: [1, 2, 4])
  func playersGoOnWithAFrameEach(_ threads: Int) async throws {
    for frames in 5...14 {
      let images = try (0..<3).map { _ in try Self.image() }
      let (clock, pressure) = (CountingClock(), ModelPressure())
      let buffer = FrameBuffer(budget: frames * 1024, threads: threads, pressure: pressure, seed: 1) { clock.look() }
      let decodes = await clock.decodes(of: 3 * Self.count, atMost: 3 * Self.mostDecodes) {
        #expect(await Self.playThree(images, buffer, pressure, clock.clock, frames: Self.count) == 3 * Self.count)
      }
      // Where there is no room for a frame ahead, each is decoded when it is shown. Before all have come and after the first has
      // left there is, and a jump may drop what was decoded.
      #expect(decodes <= (frames == 5 ? 4 * Self.count : 3 * Self.mostDecodes), "\(frames) frames")
      // The poster that had to go is decoded when it is asked for.
      #expect(images[0].poster.pixels.copyBytes() == (try Self.image().poster.pixels.copyBytes()))
    }
  }

  @Test(arguments: [1, 2, 4])
  func whoHasLittleMemoryCanBeCancelled(_ threads: Int) async throws {
    for frames in 5...14 {
      let images = try (0..<3).map { _ in try Self.image() }
      let (clock, pressure) = (ModelClock(), ModelPressure())
      let buffer = FrameBuffer(budget: frames * 1024, threads: threads, pressure: pressure)
      let shown = SharedCount()
      let task = Task {
        await withTaskGroup(of: Void.self) { group in
          for image in images {
            group.addTask {
              for await _ in Playback(image, buffer: buffer, clock: clock) { shown.add() }
            }
          }
        }
      }
      while shown.count < 20 { await Task.yield() }
      task.cancel()
      await task.value
    }
  }

  /// 30 players of 256,000 bytes a frame: 7.7 MB for the frames that are shown, and 0.5 MB for the next one and its work.
  @Test(arguments: [1, 2, 4])
  func thirtyPlayersMoveInEightMebibytes(_ threads: Int) async throws {
    await #expect(processExitsWith: .success) { [threads] in
      let bytes = try MadeAnimation.gif(frames: 12, size: Size(width: 320, height: 200))
      let before = PixelMemoryUse.bytes
      let images = try (0..<30).map { _ in try AnimatedImage(.bytes(bytes), registry: AnimatedImageTests.registry) }
      let buffer = FrameBuffer(budget: 8 << 20, threads: threads)
      let playbacks = images.map { Playback($0, buffer: buffer, clock: ModelClock()) }
      PixelMemoryUse.restartPeak()
      let shown = await withTaskGroup(of: Int.self) { group in
        for playback in playbacks {
          group.addTask {
            var indices: [Int] = []
            for await shown in playback {
              precondition(!shown.events.contains(.starved))
              indices.append(shown.index)
              if indices.count == 15 { break }
            }
            precondition(indices == (0..<15).map { $0 % 12 }, "\(indices)")
            return indices.count
          }
        }
        return await group.reduce(0, +)
      }
      precondition(shown == 30 * 15)
      let peak = PixelMemoryUse.peak - before
      precondition(peak <= 8 << 20, "\(peak) bytes at once")
    }
  }

  @Test func aJumpAtTheFloorIsShown() async throws {
    let clock = CountingClock()
    let buffer = FrameBuffer(budget: 4 * 1024, threads: 1, pressure: nil, seed: 1) { clock.look() }
    let reader = buffer.reader(of: try Self.image())
    _ = await reader.frame(at: 5, upcoming: [6], shortestDelay: .milliseconds(10))
    // The poster, frame 5 and frame 6, on which the canvas is.
    for _ in 0..<1000 where buffer.byteCount != 3 * 1024 { try await Task.sleep(for: .milliseconds(5)) }
    let decodes = await clock.decodes(of: 1, atMost: 3) {
      // Frame 6 is going to be needed, but is in the way now.
      let frame = await reader.frame(at: 20, upcoming: [6, 7], shortestDelay: .milliseconds(10))
      #expect(throws: Never.self) { try frame.result.get() }
    }
    #expect(decodes <= 3)
  }

  /// A source of which frame 1 never comes, or only when a test says so.
  final class Unfinished: FrameSource {
    let size = Size(width: 16, height: 16)
    let frameCount = 4
    let loopCount = LoopCount.infinite
    let end = Semaphore()
    private let isEndless: Bool
    private let made = Mutex<[Int]>([])

    init(isEndless: Bool) { self.isEndless = isEndless }

    var order: [Int] { made.withLock { $0 } }
    func delay(at index: Int) -> FrameDelay { .milliseconds(10) }
    func frame(at index: Int) throws(CoderError) -> Frame {
      made.withLock { $0.append(index) }
      if index == 1 {
        if isEndless { end.wait() }
        throw .malformed("no pixels")
      }
      return Frame(pixels: try PixelBuffer(size: size, format: .rgba8, alpha: .straight))
    }
  }

  @Test func whoIsCancelledDoesNotWait() async {
    let source = Unfinished(isEndless: true)
    let buffer = FrameBuffer(budget: 1 << 20, threads: 1)
    let reader = buffer.reader(of: source)
    let task = Task { await reader.frame(at: 1, upcoming: [], shortestDelay: .milliseconds(10)).result }
    while source.order.isEmpty { await Task.yield() }
    task.cancel()
    await #expect(throws: CoderError.cancelled) { try await task.value.get() }
    // Nor does a playback, and the frame is not called damaged.
    let playing = Task {
      var events: [AnimationPlayer.Event] = []
      for await shown in Playback(source, buffer: buffer, clock: ModelClock()) { events += shown.events }
      return events
    }
    playing.cancel()
    #expect(await playing.value.allSatisfy { if case .corrupt = $0 { false } else { true } })
    source.end.signal()
    source.end.signal()
  }

  @Test func aDamagedFrameIsDecodedAheadOnce() async throws {
    let source = Unfinished(isEndless: false)
    let buffer = FrameBuffer(budget: 1 << 20, threads: 1)
    let reader = buffer.reader(of: source)
    _ = await reader.frame(at: 0, upcoming: [1, 2, 3], shortestDelay: .milliseconds(10))
    for _ in 0..<1000 where !source.order.contains(3) { try await Task.sleep(for: .milliseconds(5)) }
    #expect(source.order == [0, 1, 2, 3])
    await #expect(throws: CoderError.malformed("no pixels")) {
      try await reader.frame(at: 1, upcoming: [2, 3], shortestDelay: .milliseconds(10)).result.get()
    }
    #expect(source.order == [0, 1, 2, 3, 1])
  }

  @Test func whatTransformsMakeIsWithinTheBudget() async throws {
    let image = try Self.image()
    let made = SharedCount()
    image.transform = made.doubling("twice")
    // A frame has 4096 bytes after the transform: ten of them, of 24.
    let buffer = FrameBuffer(budget: 40 * 1024, threads: 2)
    let reader = buffer.reader(of: image)
    for turn in 0..<72 {
      let frame = await reader.frame(
        at: turn % 24, upcoming: (1...4).map { (turn + $0) % 24 }, shortestDelay: .milliseconds(10))
      #expect(try frame.result.get().pixels.size == Size(width: 32, height: 32))
      // While a first frame is made, it is not known how large they are.
      if turn > 0 { #expect(buffer.byteCount <= 40 * 1024) }
    }
    #expect(image.keptByteCount == 0)
    #expect(made.count >= 72 - 10)
  }

  @Test func anotherTransformIsSeenFromTheNextFrameOn() async throws {
    let image = try Self.image()
    let buffer = FrameBuffer(budget: 1 << 20, threads: 2)
    let reader = buffer.reader(of: image)
    let made = SharedCount()
    for (turn, side) in [16, 32, 16].enumerated() {
      image.transform = side == 32 ? made.doubling("twice") : nil
      for index in 0..<24 {
        let frame = await reader.frame(
          at: index, upcoming: (1..<24).map { (index + $0) % 24 }, shortestDelay: .milliseconds(10))
        #expect(try frame.result.get().pixels.size.width == side, "turn \(turn), frame \(index)")
      }
    }
    // Once each: there is memory for all.
    #expect(made.count == 24)
  }
}

/// How often something was done.
private final class SharedCount: Sendable {
  private let value = Mutex(0)
  var count: Int { value.withLock { $0 } }

  func add() { value.withLock { $0 += 1 } }

  func doubling(_ key: String) -> FrameTransform {
    FrameTransform(key) { [self] (pixels, _) throws(CoderError) in
      add()
      return try pixels.resampled(to: Size(width: 2 * pixels.size.width, height: 2 * pixels.size.height))
    }
  }
}
