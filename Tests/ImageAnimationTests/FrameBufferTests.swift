// SPDX-License-Identifier: Apache-2.0

import ImageAnimation
import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import Synchronization
import TestSupport
import Testing

/// Pressure that a test makes.
final class ModelPressure: MemoryPressureSource {
  private let listener = Mutex<(@Sendable () -> Void)?>(nil)

  func watch(_ tell: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    listener.withLock { $0 = tell }
    return { [self] in listener.withLock { $0 = nil } }
  }

  func press() { listener.withLock { $0 }?() }
  var isWatched: Bool { listener.withLock { $0 != nil } }
}

/// One budget for the frames of all players.
@Suite struct FrameBufferTests {
  /// A source of frames of 1000 bytes each, which counts how often each is made.
  final class CountedSource: FrameSource {
    let size = Size(width: 10, height: 25)
    let frameCount: Int
    let loopCount = LoopCount.infinite
    private let made = Mutex<[Int]>([])

    private let dependsOnEarlier: Bool

    init(_ count: Int, dependsOnEarlier: Bool = false) {
      frameCount = count
      self.dependsOnEarlier = dependsOnEarlier
    }

    var order: [Int] { made.withLock { $0 } }
    func delay(at index: Int) -> FrameDelay { .milliseconds(10) }
    func isKeyFrame(at index: Int) -> Bool { index == 0 || !dependsOnEarlier }
    func frame(at index: Int) throws(CoderError) -> Frame {
      made.withLock { $0.append(index) }
      return Frame(pixels: try PixelBuffer(size: size, format: .rgba8, alpha: .straight))
    }
  }

  static func time(_ clock: ModelClock) -> @Sendable () -> Duration { { clock.now.time } }

  @Test func framesAreDecodedAheadAndKept() async {
    let buffer = FrameBuffer(budget: 1 << 20, threads: 2)
    let source = CountedSource(5)
    let reader = buffer.reader(of: source)
    for turn in 0..<20 {
      let index = turn % 5
      let frame = await reader.frame(
        at: index, upcoming: (1..<5).map { (index + $0) % 5 }, shortestDelay: .milliseconds(10))
      #expect(!frame.isStarved)
    }
    // Each once: all fit into the budget.
    #expect(source.order.sorted() == [0, 1, 2, 3, 4])
    #expect(buffer.byteCount == 5 * 1024)
  }

  @Test func aLimitOfThePlayerIsKept() async {
    let buffer = FrameBuffer(budget: 1 << 20, threads: 1)
    let source = CountedSource(50)
    let reader = buffer.reader(of: source, byteLimit: 3 * 1024)
    for index in 0..<50 {
      _ = await reader.frame(
        at: index, upcoming: (1..<10).map { (index + $0) % 50 }, shortestDelay: .milliseconds(10))
      #expect(buffer.byteCount <= 4 * 1024)
    }
  }

  @Test func whatDependsOnEarlierFramesIsPlayedBackwardsInBlocks() async {
    let buffer = FrameBuffer(budget: 12 << 10, threads: 1)
    let source = CountedSource(60, dependsOnEarlier: true)
    let reader = buffer.reader(of: source)
    for index in (0..<60).reversed() {
      _ = await reader.frame(at: index, upcoming: (0..<index).reversed(), shortestDelay: .milliseconds(10))
    }
    let order = source.order
    #expect(order.count == 60)
    #expect(Set(order).count == 60)
    // Forwards but for the step from one block to the next: 12 KiB hold blocks of 5 frames and more.
    #expect(zip(order, order.dropFirst()).count { $0 > $1 } <= 12)
  }

  /// Draws of frames while an animation of 200 frames, all of which need those before them, is played with a buffer that
  /// has room for so many canvases beside the poster, the floor, two frames ahead, and what the decode needs.
  ///
  /// - Parameter ahead: How many of the next frames the buffer is told of.
  private static func draws(_ order: [Int], canvases: Int, ahead: Int = 16) async throws -> Int {
    let draws = Mutex(0)
    var options = DecodeOptions()
    options.progress = { share in if share == 1 { draws.withLock { $0 += 1 } } }
    let bytes = try MadeAnimation.gif(frames: 200, side: 32)
    let image = try await AnimatedImageTests.registry.async.animatedImage(.bytes(bytes), options: options)
    #expect((1..<200).allSatisfy { !image.isKeyFrame(at: $0) })
    let buffer = FrameBuffer(budget: (1 + 2 + 2 + 1 + canvases) * 4096, threads: 1)
    let reader = buffer.reader(of: image)
    draws.withLock { $0 = 0 }
    for place in order.indices {
      let frame = await reader.frame(
        at: order[place], upcoming: Array(order[(place + 1)...].prefix(ahead)), shortestDelay: .milliseconds(10))
      #expect(!frame.isStarved)
      #expect(buffer.byteCount <= buffer.budget)
    }
    return draws.withLock { $0 }
  }

  /// With r draws for each of n frames, binomial(s + r, s) ≥ n for s canvases, the one that is drawn on among them.
  @Test(arguments: [(18, 2), (3, 6)])
  func backwardsTakesAsFewDrawsAsThereIsMemoryFor(_ canvases: Int, _ most: Int) async throws {
    #expect(try await Self.draws((0..<200).reversed(), canvases: canvases) <= most * 200)
  }

  @Test func bouncingTakesAtMostTwiceTheDraws() async throws {
    let bounce = Array(0..<200) + (1..<199).reversed()
    #expect(try await Self.draws(bounce + bounce, canvases: 18) <= 2 * 2 * bounce.count)
  }

  /// 18 canvases among 200 frames are 16 apart. Until they are there, the way to the last frame is gone four times at most.
  @Test func seeksStartFromCanvasesThatThereIsMemoryFor() async throws {
    let order = (0..<200).map { $0 * $0 * 37 % 199 }
    #expect(try await Self.draws(order, canvases: 18, ahead: 0) <= 16 * 200 + 4 * 200)
    // Without any, each frame is drawn from the first one on, or from the one before it.
    #expect(try await Self.draws(order, canvases: 0, ahead: 0) > 60 * 200)
  }

  @Test func withMemoryForAllFramesEachIsDrawnOnce() async throws {
    #expect(try await Self.draws((0..<200).reversed(), canvases: 200) <= 200)
  }

  @Test func canvasesForPlayingBackwardsStayWithinTheBudget() async {
    await #expect(processExitsWith: .success) {
      let bytes = try MadeAnimation.gif(frames: 60, side: 64)
      for canvases in [2, 3, 5, 8, 20] {
        for mode in PlaybackMode.allCases {
          let before = PixelMemoryUse.bytes
          let image = try await AnimatedImageTests.registry.async.animatedImage(.bytes(bytes))
          // The poster, what a decode needs, and the rest.
          let buffer = FrameBuffer(budget: (2 + canvases) * 64 * 64 * 4, threads: 1)
          PixelMemoryUse.restartPeak()
          var count = 0
          for await shown in Playback(image, mode: mode, buffer: buffer, clock: ModelClock()) {
            precondition(!shown.events.contains(.starved), "\(canvases) canvases, \(mode)")
            count += 1
            if count == 150 { break }
          }
          let peak = PixelMemoryUse.peak - before
          precondition(peak <= buffer.budget, "\(peak) bytes of \(buffer.budget), \(canvases) canvases, \(mode)")
        }
      }
    }
  }

  @Test func theKernelIsAskedWhereItCanBe() {
    // What it says cannot be made to happen here; that somebody listens, and stops, can.
    guard let pressure = SystemMemoryPressure.available else { return }
    pressure.watch {}()
  }

  @Test func whoLeavesGivesItsMemoryBack() async {
    let buffer = FrameBuffer(budget: 1 << 20, threads: 1)
    do {
      let reader = buffer.reader(of: CountedSource(4))
      _ = await reader.frame(at: 0, upcoming: [], shortestDelay: .milliseconds(10))
      #expect(buffer.byteCount == 1024)
    }
    #expect(buffer.byteCount == 0)
  }

  @Test func playersOfAnImageShareItsFrames() async throws {
    let image = try await AnimatedImageTests.registry.async.animatedImage(
      .bytes(try MadeAnimation.gif(frames: 6, side: 40)))
    let buffer = FrameBuffer(budget: 1 << 20, threads: 2)
    let (first, second) = (buffer.reader(of: image), buffer.reader(of: image))
    for index in 0..<6 {
      let one = await first.frame(at: index, upcoming: [], shortestDelay: .milliseconds(10))
      let other = await second.frame(at: index, upcoming: [], shortestDelay: .milliseconds(10))
      #expect(try one.result.get().pixels === other.result.get().pixels)
    }
    // Six frames of 40 × 40 × 4 bytes, once: the first one is the poster, and the last one the canvas.
    #expect(buffer.byteCount == 6 * 6400)
  }

  @Test func withoutMemoryThePosterIsShown() async throws {
    let bytes = try MadeAnimation.gif(frames: 6, side: 40)
    let large = try MadeAnimation.gif(frames: 6, side: 80)
    let images = try [bytes, bytes, large].map { try AnimatedImage(.bytes($0), registry: AnimatedImageTests.registry) }
    // 6400 bytes a picture, and 4 × as many of the third. Small ones that move need a frame each, and together the next one
    // and its work; the third one's poster is there, and 4 + 4 + 4 for a frame and a next one with its work do not fit.
    let buffer = FrameBuffer(budget: 9 * 6400, threads: 1)
    let clock = ModelClock()
    var starved: [Bool] = []
    // They keep their memory as long as they are there.
    var playbacks: [Playback<ModelClock>] = []
    for image in images {
      let playback = Playback(image, buffer: buffer, clock: clock)
      playbacks.append(playback)
      var iterator = playback.makeAsyncIterator()
      var events: [AnimationPlayer.Event] = []
      for _ in 0..<8 { events += await iterator.next()?.events ?? [] }
      starved.append(events.contains(.starved))
    }
    #expect(starved == [false, false, true])
    #expect(buffer.byteCount <= 9 * 6400)
    playbacks = []
    // A decode that still runs is waited for.
    for _ in 0..<1000 where buffer.byteCount > 0 { try await Task.sleep(for: .milliseconds(10)) }
    #expect(buffer.byteCount == 0)
  }

  /// A source whose frames never fit, and that has no poster.
  struct HugeSource: FrameSource {
    let size = Size(width: 1, height: 1)
    let frameCount = 3
    let loopCount = LoopCount.plays(1)
    let frameByteCount = Int.max
    func delay(at index: Int) -> FrameDelay { .milliseconds(10) }
    func frame(at index: Int) throws(CoderError) -> Frame { throw .malformed("nobody may ask") }
  }

  @Test func whatNeverFitsAndHasNoPosterIsNotShown() async {
    let buffer = FrameBuffer(budget: 1 << 20, threads: 1)
    let other = buffer.reader(of: CountedSource(3))
    let clock = ModelClock()
    for await _ in Playback(HugeSource(), buffer: buffer, clock: clock) { Issue.record("a frame is shown") }
    // Its time went by all the same, and others have what they need.
    #expect(clock.now.time == .milliseconds(30))
    #expect(!(await other.frame(at: 2, upcoming: [], shortestDelay: .milliseconds(10))).isStarved)
  }

  @Test func pressureHalvesTheUseAtOnce() async {
    let clock = ModelClock()
    let pressure = ModelPressure()
    let buffer = FrameBuffer(budget: 64 << 10, threads: 1, pressure: pressure, seed: 1, now: Self.time(clock))
    let source = CountedSource(40)
    let reader = buffer.reader(of: source)
    for index in 0..<40 {
      _ = await reader.frame(
        at: index, upcoming: (1..<10).map { (index + $0) % 40 }, shortestDelay: .milliseconds(10))
    }
    #expect(buffer.byteCount == 40 << 10)
    pressure.press()
    #expect(buffer.byteCount == 20 << 10)
    #expect(buffer.allowance == 20 << 10)
    // What follows within two seconds is the same event.
    clock.pass(.seconds(1))
    pressure.press()
    #expect(buffer.allowance == 20 << 10)
    clock.pass(.seconds(2))
    pressure.press()
    #expect(buffer.allowance == 10 << 10)
    // Never below the floor: the frame that is shown and the next one.
    for _ in 0..<10 {
      clock.pass(.seconds(60))
      pressure.press()
    }
    #expect(buffer.allowance == 2 << 10)
    #expect(!(await reader.frame(at: 3, upcoming: [], shortestDelay: .milliseconds(10))).isStarved)
  }

  @Test func itGrowsAgainAtRandomTimes() async {
    var times: Set<Duration> = []
    for seed in 0..<8 {
      let clock = ModelClock()
      let pressure = ModelPressure()
      let buffer = FrameBuffer(
        budget: 64 << 10, threads: 1, pressure: pressure, seed: UInt64(seed), now: Self.time(clock))
      let reader = buffer.reader(of: CountedSource(40))
      pressure.press()
      let least = buffer.allowance
      #expect(least == 2 << 10)
      while buffer.allowance == least {
        clock.pass(.milliseconds(100))
        _ = await reader.frame(at: 0, upcoming: [], shortestDelay: .milliseconds(10))
      }
      // A quarter of the budget more.
      #expect(buffer.allowance == least + (16 << 10))
      #expect(clock.now.time >= .seconds(5) && clock.now.time <= .milliseconds(15_100))
      times.insert(clock.now.time)
    }
    #expect(times.count > 4)
  }

  @Test func aBufferThatIsGoneIsNotTold() {
    let pressure = ModelPressure()
    do {
      let buffer = FrameBuffer(budget: 1 << 20, pressure: pressure)
      #expect(pressure.isWatched)
      _ = buffer.budget
    }
    #expect(!pressure.isWatched)
  }

  @Test func fiftyPlayersStayWithinTheirBudgetAtEveryAllocation() async {
    await #expect(processExitsWith: .success) {
      let budget = 64 << 20
      let registry = AnimatedImageTests.registry
      // 50 animations of 240×240 pixels, 230,400 bytes a frame: 46 MB for the floors, and 1.4 GB for all frames.
      let bytes = try MadeAnimation.gif(frames: 120, side: 240)
      let before = PixelMemoryUse.bytes
      let images = try (0..<50).map { _ in try AnimatedImage(.bytes(bytes), registry: registry) }
      let buffer = FrameBuffer(budget: budget)
      // Whoever is not here yet is not counted.
      let playbacks = images.enumerated().map { number, image in
        Playback(image, mode: PlaybackMode.allCases[number % 4], buffer: buffer, clock: ModelClock())
      }
      PixelMemoryUse.restartPeak()
      let shown = try await withThrowingTaskGroup(of: Int.self) { group in
        for (number, playback) in playbacks.enumerated() {
          group.addTask {
            var count = 0
            for await shown in playback {
              precondition(!shown.events.contains(.starved), "player \(number) is starved")
              count += 1
              if count == 30 { break }
            }
            return count
          }
        }
        return try await group.reduce(0, +)
      }
      precondition(shown == 50 * 30, "\(shown) frames")
      let peak = PixelMemoryUse.peak - before
      precondition(peak <= budget, "\(peak) bytes at once")
      // It was used, too.
      precondition(peak > budget / 3, "\(peak) bytes at once")
    }
  }

  @Test func aThousandPlayersShareEightThreads() async {
    await #expect(processExitsWith: .success) {
      let bytes = try MadeAnimation.gif(frames: 4, side: 16)
      let images = try (0..<100).map { _ in try AnimatedImage(.bytes(bytes), registry: AnimatedImageTests.registry) }
      let buffer = FrameBuffer(budget: 64 << 20, threads: 100)
      precondition(buffer.threads == 8)
      let before = ProcessThreads.count
      let most = await withTaskGroup(of: Int.self) { group in
        for player in 0..<1000 {
          group.addTask {
            var (count, threads) = (0, 0)
            for await _ in Playback(images[player % 100], buffer: buffer, clock: ModelClock()) {
              count += 1
              if count % 5 == 0 { threads = max(threads, ProcessThreads.count) }
              if count == 10 { break }
            }
            return threads
          }
        }
        return await group.reduce(0, max)
      }
      // Eight for decoding; the pool of tasks has as many as there are processors, and some more.
      let added = most - before
      precondition(added <= 8 + 2 * ThreadPool.processors + 2, "\(added) threads more")
    }
  }
}
