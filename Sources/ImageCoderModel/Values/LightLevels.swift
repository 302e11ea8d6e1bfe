// SPDX-License-Identifier: Apache-2.0

/// How bright the light of an HDR picture is, and of the display that it was made on: what a file says of it.
public struct LightLevels: Sendable, Hashable {
  /// The light of the brightest pixel, nits, or nil (MaxCLL of CTA-861.3).
  public var contentPeak: Double?
  /// The mean light of the brightest frame, nits, or nil (MaxFALL of CTA-861.3).
  public var frameAveragePeak: Double?
  /// The brightest light of the display that the picture was made on, nits, or nil (SMPTE ST 2086).
  public var masteringPeak: Double?
  /// The darkest light of that display, nits, or nil.
  public var masteringBlack: Double?
  /// The colors of that display, which are not those of the samples, or nil.
  public var masteringPrimaries: StoredColor.Primaries?

  /// States nothing.
  public init() {}

  /// Whether something says how bright the brightest light is.
  public var statesPeak: Bool { contentPeak != nil || masteringPeak != nil }

  /// Nil for what no display and no sample of PQ shows.
  public static func nits(_ value: Double) -> Double? { value > 0 && value <= 10_000 ? value : nil }
}
