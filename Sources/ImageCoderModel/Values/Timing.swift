// SPDX-License-Identifier: Apache-2.0

/// How long a frame is shown: exact seconds as a fraction, as the file has them.
///
/// No decoder clamps a delay. Players that want the browsers' rule ask ``clamped(by:)``.
public struct FrameDelay: Sendable, Hashable {
  /// Seconds are `numerator / denominator`.
  public let numerator: UInt32
  /// Never 0.
  public let denominator: UInt32

  /// - Parameter denominator: 0 counts as 100, as APNG has it (PNG Third Edition §11.3.6.2).
  public init(numerator: UInt32, denominator: UInt32) {
    self.numerator = numerator
    self.denominator = denominator == 0 ? 100 : denominator
  }

  /// No delay at all, as files of stills and some animations have it.
  public static let zero = FrameDelay(numerator: 0, denominator: 1)

  /// Whole milliseconds.
  public static func milliseconds(_ value: UInt32) -> FrameDelay { FrameDelay(numerator: value, denominator: 1000) }

  /// Seconds, rounded to the nearest double.
  public var seconds: Double { Double(numerator) / Double(denominator) }

  /// The delay that a player should keep under a policy.
  public func clamped(by policy: DelayPolicy) -> FrameDelay {
    switch policy {
    case .exact: self
    // UInt64 products of two UInt32 do not overflow.
    case .browser:
      UInt64(numerator) * 100 <= UInt64(denominator) ? .milliseconds(100) : self
    }
  }
}

/// What a player does with very short delays.
public enum DelayPolicy: Sendable {
  /// As the file has it.
  case exact
  /// As browsers do: 10 ms and less is shown for 100 ms.
  case browser
}

/// How often an animation plays in all.
public enum LoopCount: Sendable, Hashable {
  case infinite
  /// The number of plays in all, at least 1.
  case plays(UInt32)

  /// From the plugin interface's number, where 0 is without end.
  public init(plays: UInt32) { self = plays == 0 ? .infinite : .plays(plays) }

  /// The plugin interface's number, where 0 is without end.
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

/// What becomes of a frame's rectangle before the next frame is drawn.
public enum Disposal: UInt32, Sendable, CaseIterable {
  case keep = 0
  /// Cleared to transparent.
  case restoreBackground = 1
  /// As it was before the frame was drawn.
  case restorePrevious = 2
}

/// How a frame's pixels meet the canvas.
public enum Blend: UInt32, Sendable, CaseIterable {
  /// Replace, alpha included.
  case source = 0
  /// Composite by alpha.
  case over = 1
}
