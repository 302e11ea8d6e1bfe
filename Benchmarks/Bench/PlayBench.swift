// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageAnimation
import ImageCoderEngine
import ImageCoders
import Synchronization

/// Plays an animation as fast as it can: time jumps to the next frame.
struct PlayBench {
  private let registry: CoderRegistry
  private let path: String

  /// Bytes that the frames may hold: less than all frames of any of the animations, so that each is decoded in every play.
  private static let budget = 8 << 20

  init(_ registry: CoderRegistry, path: String) {
    self.registry = registry
    self.path = path
  }

  /// Processor time of all threads while each frame is shown once, opening included.
  func processor(repetitions: Int) async throws -> String {
    var options = DecodeOptions()
    options.pixelFormat = .rgba8
    options.metadata = []
    var times: [Double] = []
    for _ in 0..<repetitions {
      let start = Self.processorMilliseconds()
      let image = try await registry.async.animatedImage(.file(path), options: options, loopCount: .plays(1))
      let count = await play(image)
      guard count == image.frameCount else {
        throw CoderError.io("\(count) of \(image.frameCount) frames were shown")
      }
      times.append(Self.processorMilliseconds() - start)
    }
    times.sort()
    return "min_ms \(Time.text(times[0])) med_ms \(Time.text(times[repetitions / 2])) hash none"
  }

  /// How much pixel memory is held at most, in canvases beyond the budget, and what a step of the player takes.
  func player() async throws -> String {
    let before = PixelMemoryUse.bytes
    PixelMemoryUse.restartPeak()
    let image = try await registry.async.animatedImage(.file(path), loopCount: .plays(1))
    _ = await play(image)
    let over = Double(max(PixelMemoryUse.peak - before - Self.budget, 0)) / Double(max(image.frameByteCount, 1))
    let steps = 1_000_000
    var player = AnimationPlayer(image, loopCount: .infinite)
    player.start(at: .zero)
    var shown = 0
    let start = Time.milliseconds()
    for step in 0..<steps where player.advance(to: .milliseconds(step * 17)).isNewFrame { shown += 1 }
    let time = Time.milliseconds() - start
    guard shown > 0 else { throw CoderError.io("no frame was shown") }
    return "over_canvases \(Time.text(over)) advance_ns \(Time.text(time * 1e6 / Double(steps)))"
  }

  private func play(_ image: AnimatedImage) async -> Int {
    let buffer = FrameBuffer(budget: Self.budget)
    var count = 0
    for await _ in Playback(image, late: .showAll, buffer: buffer, clock: JumpingClock()) { count += 1 }
    return count
  }

  private static func processorMilliseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }
}

/// A clock whose sleepers wake at once, at the time that they have asked for.
private final class JumpingClock: Clock {
  struct Instant: InstantProtocol {
    let time: Duration
    func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
    func duration(to other: Instant) -> Duration { other.time - time }
    static func < (left: Instant, right: Instant) -> Bool { left.time < right.time }
  }

  private let time = Mutex(Swift.Duration.zero)

  var now: Instant { Instant(time: time.withLock { $0 }) }
  let minimumResolution = Swift.Duration.zero

  func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
    time.withLock { $0 = max($0, deadline.time) }
  }
}
