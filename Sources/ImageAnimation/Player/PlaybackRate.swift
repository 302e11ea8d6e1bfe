// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

/// How fast an animation plays, as an exact fraction: 2 is twice as fast, 0 stands still.
public struct PlaybackRate: Sendable, Hashable {
  /// The rate is `numerator / denominator`, reduced.
  public let numerator: UInt32
  /// 1 to ``limit``.
  public let denominator: UInt32

  /// The greatest numerator and denominator: one million.
  public static let limit: UInt32 = 1_000_000

  /// As fast as the delays say.
  public static let normal = PlaybackRate(reducing: 1, 1)

  /// An exact rate.
  ///
  /// - Parameters:
  ///   - numerator: At most ``limit``.
  ///   - denominator: 1 to ``limit``.
  /// - Throws: ``CoderError/Code/invalidArgument`` for others.
  public init(_ numerator: UInt32, over denominator: UInt32) throws(CoderError) {
    guard numerator <= Self.limit, denominator >= 1, denominator <= Self.limit else {
      throw .invalidArgument(
        "a rate of \(numerator)/\(denominator); 0 to \(Self.limit) over 1 to \(Self.limit) is allowed")
    }
    self.init(reducing: numerator, denominator)
  }

  /// A rate with up to six decimal places.
  ///
  /// - Parameter value: 0 to 1000, rounded to the nearest millionth.
  /// - Throws: ``CoderError/Code/invalidArgument`` for negative, larger and non-finite values.
  public init(_ value: Double) throws(CoderError) {
    guard value >= 0, value <= 1000 else { throw .invalidArgument("a rate of \(value); 0 to 1000 is allowed") }
    var (numerator, denominator) = (UInt32((value * 1_000_000).rounded()), Self.limit)
    // The numerator has a limit, too: large rates are rounded to thousandths.
    if numerator > Self.limit { (numerator, denominator) = (UInt32((value * 1000).rounded()), 1000) }
    self.init(reducing: numerator, denominator)
  }

  private init(reducing numerator: UInt32, _ denominator: UInt32) {
    let divisor = max(UInt32(greatestCommonDivisor(Int128(numerator), Int128(denominator))), 1)
    self.numerator = numerator / divisor
    self.denominator = denominator / divisor
  }
}

/// Both at least 0.
func greatestCommonDivisor(_ first: Int128, _ second: Int128) -> Int128 {
  var (first, second) = (first, second)
  while second != 0 { (first, second) = (second, first % second) }
  return first
}
