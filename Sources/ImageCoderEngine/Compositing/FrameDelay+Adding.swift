// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

extension FrameDelay {
  /// The sum, exactly, or nil when it does not fit.
  package func adding(_ other: FrameDelay) -> FrameDelay? {
    let common = UInt64(denominator) * UInt64(other.denominator)
    let (sum, overflow) = (UInt64(numerator) * UInt64(other.denominator)).addingReportingOverflow(
      UInt64(other.numerator) * UInt64(denominator))
    guard !overflow else { return nil }
    var (divisor, rest) = (sum, common)
    while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
    // A denominator is never 0, so the divisor is not.
    guard let numerator = UInt32(exactly: sum / divisor),
      let denominator = UInt32(exactly: common / divisor)
    else { return nil }
    return FrameDelay(numerator: numerator, denominator: denominator)
  }
}
