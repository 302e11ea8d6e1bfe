// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Delays as whole ticks of one clock (ISO/IEC 14496-12 §8.6.1.2).
struct FrameTicks {
  /// Ticks per second.
  let timescale: UInt32
  let ticks: [UInt32]

  /// Of all frames.
  var total: UInt64 { ticks.reduce(0) { $0 + UInt64($1) } }

  /// Runs of equal delays, as the TimeToSampleBox has them.
  var runs: [(count: UInt32, ticks: UInt32)] {
    var runs: [(count: UInt32, ticks: UInt32)] = []
    for tick in ticks {
      if let last = runs.last, last.ticks == tick {
        runs[runs.count - 1].count += 1
      } else {
        runs.append((1, tick))
      }
    }
    return runs
  }

  /// Finds the slowest clock in which every delay is exact. Where 32 bits do not hold it, delays are rounded to
  /// microseconds or milliseconds, so that their sum stays right.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` for a delay of more than 2³² ms.
  init(_ delays: [FrameDelay]) throws(CoderError) {
    if let exact = Self.exact(delays) {
      self = exact
      return
    }
    for timescale in [UInt32(1_000_000), 1000] {
      var seconds = 0.0
      var shown = 0.0
      var ticks: [UInt32] = []
      for delay in delays {
        seconds += delay.seconds
        let end = (seconds * Double(timescale)).rounded()
        guard let tick = UInt32(exactly: end - shown) else { break }
        ticks.append(tick)
        shown = end
      }
      guard ticks.count < delays.count else {
        self = FrameTicks(timescale: timescale, ticks: ticks)
        return
      }
    }
    throw .unsupported("a delay over \(UInt32.max) ms")
  }

  private init(timescale: UInt32, ticks: [UInt32]) {
    self.timescale = timescale
    self.ticks = ticks
  }

  private static func exact(_ delays: [FrameDelay]) -> FrameTicks? {
    var timescale: UInt64 = 1
    for delay in delays {
      let denominator = UInt64(delay.denominator / divisor(delay.numerator, delay.denominator))
      let common = timescale / greatestDivisor(timescale, denominator)
      // Both are below 2^32.
      timescale = common * denominator
      guard timescale <= UInt64(UInt32.max) else { return nil }
    }
    var ticks: [UInt32] = []
    for delay in delays {
      let shared = divisor(delay.numerator, delay.denominator)
      let count = UInt64(delay.numerator / shared) * (timescale / UInt64(delay.denominator / shared))
      guard let tick = UInt32(exactly: count) else { return nil }
      ticks.append(tick)
    }
    return FrameTicks(timescale: UInt32(timescale), ticks: ticks)
  }

  private static func divisor(_ first: UInt32, _ second: UInt32) -> UInt32 {
    UInt32(greatestDivisor(UInt64(first), UInt64(second)))
  }

  private static func greatestDivisor(_ first: UInt64, _ second: UInt64) -> UInt64 {
    var (a, b) = (first, second)
    while b != 0 { (a, b) = (b, a % b) }
    return max(a, 1)
  }
}
