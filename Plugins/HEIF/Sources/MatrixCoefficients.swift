// SPDX-License-Identifier: Apache-2.0

import CHEIFPlanes
import ImageCoderPlugin

/// How luma and chroma become colours (ITU-T H.273 §8.3).
enum MatrixCoefficients {
  /// What holds for a decoded picture: its item's code points, else those of the bitstream, else, when the bitstream
  /// says nothing, those of the picture that it is a part of.
  static func colours(
    of decoded: heif_decoded, item: CodingIndependentCodePoints?, whole: CodingIndependentCodePoints?
  ) -> heif_colours {
    if let item { return colours(of: item) }
    let says = decoded.matrix != 2 || decoded.primaries != 2 || decoded.transfer != 2
    if !says, let whole { return colours(of: whole) }
    return colours(
      of: CodingIndependentCodePoints(
        primaries: UInt8(clamping: decoded.primaries), transfer: UInt8(clamping: decoded.transfer),
        matrix: UInt8(clamping: decoded.matrix), isFullRange: decoded.is_full_range != 0))
  }

  static func colours(of points: CodingIndependentCodePoints) -> heif_colours {
    var colours = heif_colours()
    colours.is_full_range = points.isFullRange ? 1 : 0
    switch points.matrix {
    case 0: colours.matrix = UInt32(HEIF_MATRIX_IDENTITY)
    case 8: colours.matrix = UInt32(HEIF_MATRIX_YCGCO)
    default: colours.matrix = UInt32(HEIF_MATRIX_LUMA)
    }
    (colours.kr, colours.kb) = weights(matrix: points.matrix, primaries: points.primaries)
    return colours
  }

  /// The weights of red and blue in luma (H.273 table 4). Code points without weights take those of BT.601, as other
  /// readers of HEIF do.
  private static func weights(matrix: UInt8, primaries: UInt8) -> (red: Float, blue: Float) {
    switch matrix {
    case 1: (0.2126, 0.0722)
    case 4: (0.30, 0.11)
    case 7: (0.212, 0.087)
    case 9, 10: (0.2627, 0.0593)
    case 12, 13: derived(from: primaries) ?? (0.299, 0.114)
    default: (0.299, 0.114)
    }
  }

  /// H.273 equations 39 and 40.
  private static func derived(from primaries: UInt8) -> (red: Float, blue: Float)? {
    /// Chromaticities of green, blue, red and white (H.273 table 2).
    let table: [UInt8: [Float]] = [
      1: [0.300, 0.600, 0.150, 0.060, 0.640, 0.330, 0.3127, 0.3290],
      4: [0.21, 0.71, 0.14, 0.08, 0.67, 0.33, 0.310, 0.316],
      5: [0.29, 0.60, 0.15, 0.06, 0.64, 0.33, 0.3127, 0.3290],
      6: [0.310, 0.595, 0.155, 0.070, 0.630, 0.340, 0.3127, 0.3290],
      7: [0.310, 0.595, 0.155, 0.070, 0.630, 0.340, 0.3127, 0.3290],
      8: [0.243, 0.692, 0.145, 0.049, 0.681, 0.319, 0.310, 0.316],
      9: [0.170, 0.797, 0.131, 0.046, 0.708, 0.292, 0.3127, 0.3290],
      11: [0.265, 0.690, 0.150, 0.060, 0.680, 0.320, 0.314, 0.351],
      12: [0.265, 0.690, 0.150, 0.060, 0.680, 0.320, 0.3127, 0.3290],
      22: [0.295, 0.605, 0.155, 0.077, 0.630, 0.340, 0.3127, 0.3290],
    ]
    guard let p = table[primaries] else { return nil }
    let (gx, gy, bx, by, rx, ry, wx, wy) = (p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7])
    let (gz, bz, rz, wz) = (1 - gx - gy, 1 - bx - by, 1 - rx - ry, 1 - wx - wy)
    let whole = wy * (rx * (gy * bz - by * gz) + gx * (by * rz - ry * bz) + bx * (ry * gz - gy * rz))
    guard whole != 0 else { return nil }
    let red = ry * (wx * (gy * bz - by * gz) + wy * (bx * gz - gx * bz) + wz * (gx * by - bx * gy)) / whole
    let blue = by * (wx * (ry * gz - gy * rz) + wy * (gx * rz - rx * gz) + wz * (rx * gy - gx * ry)) / whole
    return (red, blue)
  }
}
