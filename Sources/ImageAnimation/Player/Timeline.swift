// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// When each frame of a play is shown, in exact integers.
///
/// Time is counted in ticks of `1 / ticksPerSecond`. If the delays have a small common denominator, that is it and every
/// boundary is exact. Otherwise a boundary is the exact sum of all delays before it, rounded down to a tick of 1.4 ns;
/// the remainder is carried from frame to frame, so that nothing adds up.
struct Timeline: Sendable {
  /// Ticks at which each frame begins, and at the end the sum of all delays. Never decreases.
  private(set) var starts: [Int128] = [0]
  private(set) var ticksPerSecond: Int128 = 1
  /// For each frame, how many before it have a delay; at the end, how many there are.
  private var shownBefore = [0]
  /// What the last sum lacks that is less than a tick, in ticks / 2^64.
  private var fraction: Int128 = 0

  /// Above this, the common denominator of the delays is not used.
  static let largestCommonDenominator: Int128 = 1_000_000_000_000
  /// Divisible by 24, 25, 30, 60, 90, 100, 120 and by the common rates of sound.
  static let fineTicks: Int128 = 705_600_000

  init(_ source: some FrameSource) { extend(with: source) }

  init(_ delays: [FrameDelay]) {
    ticksPerSecond = Self.ticksPerSecond(for: delays, common: 1)
    for delay in delays { append(delay) }
  }

  /// Adds the frames that a source has gained.
  mutating func extend(with source: some FrameSource) {
    let added = (count..<max(source.frameCount, count)).map(source.delay)
    let ticks = Self.ticksPerSecond(for: added, common: ticksPerSecond)
    guard ticks == ticksPerSecond else {
      self = Timeline((0..<source.frameCount).map(source.delay))
      return
    }
    for delay in added { append(delay) }
  }

  /// The smallest common denominator of what there is and of further delays, if it is not too large.
  private static func ticksPerSecond(for delays: [FrameDelay], common: Int128) -> Int128 {
    var common = common
    for delay in delays where delay.numerator > 0 {
      // Of a delay like 10/100, what it means counts.
      let divisor = greatestCommonDivisor(Int128(delay.numerator), Int128(delay.denominator))
      let denominator = Int128(delay.denominator) / divisor
      if common % denominator == 0 { continue }
      // One too large stays so.
      if common == fineTicks { return fineTicks }
      common = common / greatestCommonDivisor(common, denominator) * denominator
      if common > largestCommonDenominator { return fineTicks }
    }
    return common
  }

  private mutating func append(_ delay: FrameDelay) {
    let (ticks, rest) = (Int128(delay.numerator) * ticksPerSecond).quotientAndRemainder(
      dividingBy: Int128(delay.denominator))
    fraction += (rest << 64) / Int128(delay.denominator)
    let start = total + ticks + fraction >> 64
    fraction &= Int128(UInt64.max)
    let shown = self.shown + (start > total ? 1 : 0)
    starts.append(start)
    shownBefore.append(shown)
  }

  /// The number of frames.
  var count: Int { starts.count - 1 }

  /// The sum of all delays, in ticks.
  var total: Int128 { starts[count] }

  var duration: Duration { Duration(attoseconds: attoseconds(total)) }

  /// A frame's delay, in ticks.
  func delay(_ index: Int) -> Int128 { starts[index + 1] - starts[index] }

  /// Ticks as attoseconds, rounded up: a time that begins with a tick is not before it.
  func attoseconds(_ ticks: Int128) -> Int128 {
    let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: ticksPerSecond)
    return seconds * Self.attosecondsPerSecond
      + (rest * Self.attosecondsPerSecond + ticksPerSecond - 1) / ticksPerSecond
  }

  static let attosecondsPerSecond: Int128 = 1_000_000_000_000_000_000

  /// The frame that is shown at a tick of one play forward: the last that begins at or before it, which has a delay.
  ///
  /// - Parameter tick: In `0 ..< total`.
  func frame(at tick: Int128) -> Int {
    var (low, high) = (0, count - 1)
    while low < high {
      let middle = (low + high + 1) / 2
      if starts[middle] <= tick { low = middle } else { high = middle - 1 }
    }
    return low
  }

  // MARK: Modes

  /// The ticks of one play.
  func cycle(_ mode: PlaybackMode) -> Int128 {
    switch mode {
    case .forward, .reverse: total
    // End frames are shown once.
    case .bounce, .reverseBounce: count > 1 ? 2 * total - delay(0) - delay(count - 1) : total
    }
  }

  /// The frame on which an animation rests after its last play, and the ticks until it is over.
  func rest(_ mode: PlaybackMode) -> (frame: Int, ticks: Int128) {
    switch mode {
    case .forward: (count - 1, 0)
    case .reverse: (0, 0)
    case .bounce: (0, count > 1 ? delay(0) : 0)
    case .reverseBounce: (count - 1, count > 1 ? delay(count - 1) : 0)
    }
  }

  /// The frame with which a play begins.
  func first(_ mode: PlaybackMode) -> Int { mode.beginsAtEnd ? count - 1 : 0 }

  /// What is shown at a tick of one play.
  struct Showing: Equatable {
    let index: Int
    /// The tick of the play at which the showing began, and the one at which it ends.
    let begin: Int128
    let end: Int128
    /// Whether the frames are played from the last to the first now.
    let isBackwards: Bool
    /// The number of showings of the play before this one.
    let rank: Int
  }

  /// - Parameter tick: In `0 ..< cycle(mode)`.
  func showing(at tick: Int128, _ mode: PlaybackMode) -> Showing {
    switch mode {
    case .forward: forward(tick, shift: 0, rank: 0)
    case .reverse: backward(tick, shift: 0, rank: 0)
    case .bounce:
      tick < total || count < 2
        ? forward(tick, shift: 0, rank: 0)
        // The last frame is not shown again.
        : backward(tick, shift: total - delay(count - 1), rank: shown - (isShown(count - 1) ? 1 : 0))
    case .reverseBounce:
      tick < total || count < 2
        ? backward(tick, shift: 0, rank: 0)
        : forward(tick, shift: total - delay(0), rank: shown - (isShown(0) ? 1 : 0))
    }
  }

  /// The tick of one play at which a frame's first showing begins.
  func firstShowing(of index: Int, _ mode: PlaybackMode) -> Int128 {
    mode.beginsAtEnd ? total - starts[index + 1] : starts[index]
  }

  /// The tick of one play at which a frame's showing in a direction begins. At the ends of a bounce there is only one.
  func showingTick(of index: Int, isBackwards: Bool, _ mode: PlaybackMode) -> Int128 {
    let isInner = index > 0 && index < count - 1
    switch mode {
    case .bounce where isBackwards && isInner: return 2 * total - delay(count - 1) - starts[index + 1]
    case .reverseBounce where !isBackwards && isInner: return total - delay(0) + starts[index]
    case .forward, .reverse, .bounce, .reverseBounce: return firstShowing(of: index, mode)
    }
  }

  /// The showings of one play.
  func showings(_ mode: PlaybackMode) -> Int {
    switch mode {
    case .forward, .reverse: shown
    case .bounce, .reverseBounce:
      count > 1 ? 2 * shown - (isShown(0) ? 1 : 0) - (isShown(count - 1) ? 1 : 0) : shown
    }
  }

  /// The number of frames that have a delay.
  var shown: Int { shownBefore[count] }

  private func isShown(_ index: Int) -> Bool { delay(index) > 0 }

  /// A pass from the first frame to the last that begins `shift` ticks into the play.
  private func forward(_ tick: Int128, shift: Int128, rank: Int) -> Showing {
    let index = frame(at: tick - shift)
    return Showing(
      index: index, begin: shift + starts[index], end: shift + starts[index + 1], isBackwards: false,
      rank: rank + shownBefore[index])
  }

  /// A pass from the last frame to the first that begins `shift` ticks into the play.
  private func backward(_ tick: Int128, shift: Int128, rank: Int) -> Showing {
    let index = frame(at: total - 1 - (tick - shift))
    return Showing(
      index: index, begin: shift + total - starts[index + 1], end: shift + total - starts[index], isBackwards: true,
      rank: rank + shown - shownBefore[index + 1])
  }
}

extension FrameSource {
  /// The exact sum of the delays of the frames that are known, rounded up to an attosecond.
  public var duration: Duration { Timeline(self).duration }
}
