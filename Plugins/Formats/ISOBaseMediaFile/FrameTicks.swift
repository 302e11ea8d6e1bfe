// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// Delays as whole ticks of one clock (ISO/IEC 14496-12 §8.6.1.2), and the boxes of a track that tell of them.
public struct FrameTicks {
  /// Ticks per second.
  public let timescale: UInt32
  /// The ticks of each frame, in the order in which they are shown.
  public let ticks: [UInt32]

  /// The sum of ticks of all frames.
  public var total: UInt64 { ticks.reduce(0) { $0 + UInt64($1) } }

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
  public init(_ delays: [FrameDelay]) throws(CoderError) {
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

extension FrameTicks {
  /// How long a track of these frames plays in all, in ticks; all ones are without end (ISO/IEC 23008-12 §9.6.1).
  ///
  /// - Parameter loopCount: nil where the file does not say, which counts as one play.
  public func duration(of loopCount: LoopCount?) -> UInt64 {
    switch loopCount {
    case .infinite?: return .max
    case .plays(let count)?:
      let product = total.multipliedReportingOverflow(by: UInt64(max(count, 1)))
      return product.overflow ? .max : product.partialValue
    case nil: return total
    }
  }

  /// Writes the TimeToSampleBox (ISO/IEC 14496-12 §8.6.1.2).
  public func writeDelays(to writer: inout ByteWriter) {
    let runs = runs
    writer.fullBox(.timeToSample) { writer in
      writer.put(UInt32(clamping: runs.count))
      for run in runs {
        writer.put(run.count)
        writer.put(run.ticks)
      }
    }
  }

  /// Writes one edit that shows all of the media; flag 1 repeats it (ISO/IEC 14496-12 §8.6.5, §8.6.6). Nothing is
  /// written without a number of plays, and for media of no length, whose edit would mean nothing.
  public func writeEdits(playing loopCount: LoopCount?, to writer: inout ByteWriter) {
    guard let loopCount, total > 0 else { return }
    writer.box(.edit) { writer in
      writer.fullBox(.editList, version: 1, flags: loopCount == .plays(1) ? 0 : 1) { writer in
        writer.put(UInt32(1))
        writer.put(total)
        // From the start of the media, at its own rate.
        writer.put(UInt64(0))
        writer.put(UInt16(1))
        writer.put(UInt16(0))
      }
    }
  }
}
