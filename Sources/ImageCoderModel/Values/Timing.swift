// SPDX-License-Identifier: Apache-2.0

/// How long a frame is shown: seconds as an exact fraction, as stored in the file.
///
/// Decoders never clamp a delay. Players that follow the browsers' rule use ``clamped(by:)``.
public struct FrameDelay: Sendable, Hashable {
  /// Seconds are `numerator / denominator`.
  public let numerator: UInt32
  /// Never 0.
  public let denominator: UInt32

  /// - Parameter denominator: 0 counts as 100, as in APNG (PNG Third Edition §11.3.6.2).
  public init(numerator: UInt32, denominator: UInt32) {
    self.numerator = numerator
    self.denominator = denominator == 0 ? 100 : denominator
  }

  /// No delay, as in stills and some animations.
  public static let zero = FrameDelay(numerator: 0, denominator: 1)

  /// Whole milliseconds.
  public static func milliseconds(_ value: UInt32) -> FrameDelay { FrameDelay(numerator: value, denominator: 1000) }

  /// Seconds, rounded to the nearest double.
  public var seconds: Double { Double(numerator) / Double(denominator) }

  /// The delay as a duration, rounded down to an attosecond.
  public var duration: Duration {
    let (whole, rest) = numerator.quotientAndRemainder(dividingBy: denominator)
    let (attoseconds, _) = UInt64(denominator).dividingFullWidth(
      UInt64(rest).multipliedFullWidth(by: 1_000_000_000_000_000_000))
    return Duration(secondsComponent: Int64(whole), attosecondsComponent: Int64(attoseconds))
  }

  /// The delay that a player should use under a policy.
  public func clamped(by policy: DelayPolicy) -> FrameDelay {
    switch policy {
    case .exact: self
    // UInt64 products of two UInt32 do not overflow.
    case .browser:
      UInt64(numerator) * 100 <= UInt64(denominator) ? .milliseconds(100) : self
    case .minimum(let shortest): isShorter(than: shortest) ? shortest : self
    }
  }
}

extension FrameDelay {
  /// Whether this is the shorter time, exactly: 1/10 and 10/100 are equally long.
  package func isShorter(than other: FrameDelay) -> Bool {
    // UInt64 products of two UInt32 do not overflow.
    UInt64(numerator) * UInt64(other.denominator) < UInt64(other.numerator) * UInt64(denominator)
  }
}

/// What a player does with very short delays.
public enum DelayPolicy: Sendable, Hashable {
  /// The delay that the file states.
  case exact
  /// As in browsers: a frame with a delay of 10 ms or less is shown for 100 ms.
  case browser
  /// A frame with a shorter delay is shown for this one.
  case minimum(FrameDelay)
}

/// The total number of times that an animation plays.
public enum LoopCount: Sendable, Hashable {
  /// Plays without end.
  case infinite
  /// The total number of plays, at least 1.
  case plays(UInt32)

  /// Makes a loop count from the plugin interface's number, where 0 means endless.
  public init(plays: UInt32) { self = plays == 0 ? .infinite : .plays(plays) }

  /// The plugin interface's number, where 0 means endless.
  public var plays: UInt32 {
    switch self {
    case .infinite: 0
    case .plays(let count): count
    }
  }
}

extension LoopCount: CustomStringConvertible {
  public var description: String {
    switch self {
    case .infinite: "infinite"
    case .plays(let count): "\(count)"
    }
  }
}

extension FrameHeader {
  /// What happens to a frame's rectangle before the next frame is drawn.
  public enum Disposal: UInt32, Sendable, CaseIterable {
    /// The canvas stays as it is.
    case keep = 0
    /// Cleared to transparent.
    case restoreBackground = 1
    /// As it was before the frame was drawn.
    case restorePrevious = 2
  }
}

extension FrameHeader {
  /// How a frame's pixels are drawn on the canvas.
  public enum Blend: UInt32, Sendable, CaseIterable {
    /// Replace, alpha included.
    case source = 0
    /// Composite by alpha.
    case over = 1
  }
}
