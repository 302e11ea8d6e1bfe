// SPDX-License-Identifier: Apache-2.0

import ImageAnimation
import ImageCoderModel
import Testing

/// Which frame is shown, worked out by hand. Times and delays are milliseconds.
@Suite struct PlayerTableTests {
  /// A row of a table: an animation, a time, and what is shown then.
  struct Row: Sendable, CustomTestStringConvertible {
    let delays: [UInt32]
    let mode: PlaybackMode
    let plays: UInt32
    let rate: (UInt32, UInt32)
    let time: Double
    let index: Int
    let isFinished: Bool
    /// When the next frame begins, or nil if none does.
    let deadline: Double?

    init(
      _ delays: [UInt32], _ mode: PlaybackMode, plays: UInt32 = 0, rate: (UInt32, UInt32) = (1, 1), at time: Double,
      _ index: Int, finished isFinished: Bool = false, next deadline: Double?
    ) {
      (self.delays, self.mode, self.plays, self.rate) = (delays, mode, plays, rate)
      (self.time, self.index, self.isFinished, self.deadline) = (time, index, isFinished, deadline)
    }

    var testDescription: String { "\(delays) \(mode) ×\(plays) rate \(rate) at \(time)" }
  }

  static let three: [UInt32] = [100, 200, 300]

  /// Three frames, in every mode, at each boundary and a nanosecond before it.
  static let modes: [Row] = [
    Row(three, .forward, at: 0, 0, next: 100),
    Row(three, .forward, at: 99.999999, 0, next: 100),
    Row(three, .forward, at: 100, 1, next: 300),
    Row(three, .forward, at: 299.999999, 1, next: 300),
    Row(three, .forward, at: 300, 2, next: 600),
    Row(three, .forward, at: 599.999999, 2, next: 600),
    Row(three, .forward, at: 600, 0, next: 700),
    Row(three, .reverse, at: 0, 2, next: 300),
    Row(three, .reverse, at: 299.999999, 2, next: 300),
    Row(three, .reverse, at: 300, 1, next: 500),
    Row(three, .reverse, at: 500, 0, next: 600),
    Row(three, .reverse, at: 600, 2, next: 900),
    // 0, 1, 2, 1: 100 + 200 + 300 + 200.
    Row(three, .bounce, at: 0, 0, next: 100),
    Row(three, .bounce, at: 300, 2, next: 600),
    Row(three, .bounce, at: 599.999999, 2, next: 600),
    Row(three, .bounce, at: 600, 1, next: 800),
    Row(three, .bounce, at: 799.999999, 1, next: 800),
    Row(three, .bounce, at: 800, 0, next: 900),
    // 2, 1, 0, 1.
    Row(three, .reverseBounce, at: 0, 2, next: 300),
    Row(three, .reverseBounce, at: 300, 1, next: 500),
    Row(three, .reverseBounce, at: 500, 0, next: 600),
    Row(three, .reverseBounce, at: 600, 1, next: 800),
    Row(three, .reverseBounce, at: 800, 2, next: 1100),
  ]

  /// The last play: where it rests, and when it is over.
  static let ends: [Row] = [
    Row(three, .forward, plays: 1, at: 599.999999, 2, next: 600),
    Row(three, .forward, plays: 1, at: 600, 2, finished: true, next: nil),
    Row(three, .forward, plays: 2, at: 600, 0, next: 700),
    Row(three, .forward, plays: 2, at: 1200, 2, finished: true, next: nil),
    Row(three, .reverse, plays: 1, at: 599.999999, 0, next: 600),
    Row(three, .reverse, plays: 1, at: 600, 0, finished: true, next: nil),
    Row(three, .bounce, plays: 1, at: 800, 0, next: 900),
    Row(three, .bounce, plays: 1, at: 899.999999, 0, next: 900),
    Row(three, .bounce, plays: 1, at: 900, 0, finished: true, next: nil),
    Row(three, .bounce, plays: 2, at: 1600, 0, next: 1700),
    Row(three, .reverseBounce, plays: 1, at: 800, 2, next: 1100),
    Row(three, .reverseBounce, plays: 1, at: 1100, 2, finished: true, next: nil),
    // Long after the end.
    Row(three, .forward, plays: 3, at: 1_000_000, 2, finished: true, next: nil),
  ]

  /// One frame, two frames, and frames without a delay, which are never shown while others have one.
  static let few: [Row] = [
    Row([50], .forward, at: 25, 0, next: 50),
    Row([50], .bounce, plays: 2, at: 50, 0, next: 100),
    Row([50], .bounce, plays: 2, at: 100, 0, finished: true, next: nil),
    Row([40, 60], .bounce, at: 40, 1, next: 100),
    Row([40, 60], .bounce, plays: 1, at: 100, 0, next: 140),
    Row([40, 60], .bounce, plays: 1, at: 140, 0, finished: true, next: nil),
    Row([40, 60], .reverseBounce, at: 60, 0, next: 100),
    Row([100, 0, 100], .forward, at: 99.999999, 0, next: 100),
    Row([100, 0, 100], .forward, at: 100, 2, next: 200),
    Row([100, 0, 100], .reverse, at: 100, 0, next: 200),
    Row([0, 0], .forward, at: 1000, 0, next: nil),
    Row([0, 0], .forward, plays: 3, at: 0, 1, finished: true, next: nil),
    Row([0, 0], .reverse, plays: 3, at: 0, 0, finished: true, next: nil),
    Row([0], .forward, at: 10, 0, next: nil),
  ]

  /// Times are those of the caller: at twice the rate, everything begins in half the time.
  static let rates: [Row] = [
    Row(three, .forward, rate: (2, 1), at: 49.999999, 0, next: 50),
    Row(three, .forward, rate: (2, 1), at: 150, 2, next: 300),
    Row(three, .forward, rate: (1, 2), at: 199.999999, 0, next: 200),
    Row(three, .forward, rate: (1, 2), at: 600, 2, next: 1200),
    // 100 ms at 3/7 last 233.333333… ms: the deadline is the first whole nanosecond after.
    Row(three, .forward, rate: (3, 7), at: 233.333333, 0, next: 233.333334),
    Row(three, .forward, rate: (3, 7), at: 233.333334, 1, next: 700),
    Row(three, .forward, rate: (0, 1), at: 5000, 0, next: nil),
  ]

  /// 0.5 to 100 frames too late: what is shown is what the time says.
  static let late: [Row] = [
    Row(three, .forward, at: 150, 1, next: 300),
    Row(three, .forward, at: 950, 2, next: 1200),
    Row(three, .forward, at: 60050, 0, next: 60100),
    Row(three, .bounce, at: 80_650, 1, next: 80_800),
    Row([10], .forward, at: 1005, 0, next: 1010),
    Row([10, 10], .forward, at: 1005, 0, next: 1010),
  ]

  @Test(arguments: modes + ends + few + rates + late) func shows(_ row: Row) throws {
    let source = ModelSource(row.delays, loops: LoopCount(plays: row.plays))
    var player = AnimationPlayer(source, mode: row.mode, rate: try PlaybackRate(row.rate.0, over: row.rate.1))
    player.start(at: .zero)
    let step = player.advance(to: Duration(milliseconds: row.time))
    #expect(step.index == row.index)
    #expect((player.status == .finished) == row.isFinished)
    #expect(step.events.contains(.finished) == row.isFinished)
    #expect(step.deadline == row.deadline.map { Duration(milliseconds: $0) })
    // The same by steps as in one go.
    var stepped = AnimationPlayer(source, mode: row.mode, rate: try PlaybackRate(row.rate.0, over: row.rate.1))
    stepped.start(at: .zero)
    for part in 1...7 { _ = stepped.advance(to: Duration(milliseconds: row.time) * part / 7) }
    #expect(stepped.advance(to: Duration(milliseconds: row.time)).index == row.index)
    #expect(stepped.status == player.status)
  }

  @Test func fractionsHaveExactBoundaries() {
    let thirds = ModelSource([FrameDelay](repeating: FrameDelay(numerator: 1, denominator: 3), count: 3))
    var player = AnimationPlayer(thirds)
    player.start(at: .zero)
    let before = player.advance(to: .nanoseconds(333_333_333))
    #expect(before.index == 0)
    #expect(before.deadline == .nanoseconds(333_333_334))
    #expect(player.advance(to: .nanoseconds(333_333_334)).index == 1)
  }

  @Test func aMillionFramesDriftByNothing() {
    // Two frames of NTSC: a million of them end at 1001/30000 s × 1,000,000.
    let source = ModelSource([FrameDelay](repeating: FrameDelay(numerator: 1001, denominator: 30000), count: 2))
    var player = AnimationPlayer(source)
    player.start(at: .zero)
    let before = player.advance(to: .nanoseconds(33_366_666_666_666))
    #expect(before.index == 1)
    #expect(before.events.contains(.loop(plays: 499_999)))
    let after = player.advance(to: .nanoseconds(33_366_666_666_667))
    #expect(after.index == 0)
    #expect(after.events == [.loop(plays: 500_000), .frame(index: 0, dropped: 0)])
    // By a million steps of one frame each: every deadline shows the next frame, and the end is the same.
    player.stop()
    player.start(at: .zero)
    var step = player.advance(to: .zero)
    for _ in 0..<1_000_000 { step = player.advance(to: step.deadline ?? .zero) }
    #expect(step.events == [.loop(plays: 500_000), .frame(index: 0, dropped: 0)])
    #expect(step.deadline == .nanoseconds(33_366_700_033_334))
  }

  @Test func delaysWithoutACommonDenominatorDoNotDrift() {
    // Primes near 2³²: their product is far over the limit, so boundaries are rounded down to 1/705600000 s. The exact sum,
    // 70559999720.71… of them, is rounded once.
    let primes: [UInt32] = [4_294_967_291, 4_294_967_279, 4_294_967_231]
    let source = ModelSource((0..<3000).map { FrameDelay(numerator: primes[$0 % 3] / 30, denominator: primes[$0 % 3]) })
    #expect(source.duration == Duration(attoseconds: 99_999_999_603_174_603_175))
  }
}
