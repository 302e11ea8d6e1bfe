// SPDX-License-Identifier: Apache-2.0

/// Which values of measured data become black and white: heights, temperatures, light of telescopes.
public enum SampleRange: Sendable, Hashable {
  /// The least and the greatest value of the picture.
  case extremes
  /// Those that leave out a share of the values at either end, in percent.
  case percentile(Double)
  /// These, in the numbers of the file.
  case values(Double, Double)
}
