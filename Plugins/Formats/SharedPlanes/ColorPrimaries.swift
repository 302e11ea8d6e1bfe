// SPDX-License-Identifier: Apache-2.0

/// Where primaries and white lie in the chromaticity diagram, by the value of ColourPrimaries (ITU-T H.273 table 2).
public struct ColorPrimaries {
  public typealias Chromaticity = (x: Double, y: Double)

  public let green: Chromaticity
  public let blue: Chromaticity
  public let red: Chromaticity
  public let white: Chromaticity

  private static let d65: Chromaticity = (0.3127, 0.3290)
  private static let c: Chromaticity = (0.310, 0.316)

  /// - Returns: nil for values that are reserved. Unspecified primaries, 2, are those of BT.709, as everywhere.
  public init?(code: UInt8) {
    switch code {
    case 1, 2: (green, blue, red, white) = ((0.300, 0.600), (0.150, 0.060), (0.640, 0.330), Self.d65)
    case 4: (green, blue, red, white) = ((0.21, 0.71), (0.14, 0.08), (0.67, 0.33), Self.c)
    case 5: (green, blue, red, white) = ((0.29, 0.60), (0.15, 0.06), (0.64, 0.33), Self.d65)
    case 6, 7: (green, blue, red, white) = ((0.310, 0.595), (0.155, 0.070), (0.630, 0.340), Self.d65)
    case 8: (green, blue, red, white) = ((0.243, 0.692), (0.145, 0.049), (0.681, 0.319), Self.c)
    case 9: (green, blue, red, white) = ((0.170, 0.797), (0.131, 0.046), (0.708, 0.292), Self.d65)
    case 10: (green, blue, red, white) = ((0, 1), (0, 0), (1, 0), (1.0 / 3, 1.0 / 3))
    case 11: (green, blue, red, white) = ((0.265, 0.690), (0.150, 0.060), (0.680, 0.320), (0.314, 0.351))
    case 12: (green, blue, red, white) = ((0.265, 0.690), (0.150, 0.060), (0.680, 0.320), Self.d65)
    case 22: (green, blue, red, white) = ((0.295, 0.605), (0.155, 0.077), (0.630, 0.340), Self.d65)
    default: return nil
    }
  }

  /// What red and blue add to the luminance of white (H.273 equations 32 to 37).
  public var weights: (red: Double, blue: Double) {
    let (gx, gy, gz) = (green.x, green.y, 1 - green.x - green.y)
    let (bx, by, bz) = (blue.x, blue.y, 1 - blue.x - blue.y)
    let (rx, ry, rz) = (red.x, red.y, 1 - red.x - red.y)
    let (wx, wy, wz) = (white.x, white.y, 1 - white.x - white.y)
    let whole = wy * (rx * (gy * bz - by * gz) + gx * (by * rz - ry * bz) + bx * (ry * gz - gy * rz))
    let red = ry * (wx * (gy * bz - by * gz) + wy * (bx * gz - gx * bz) + wz * (gx * by - bx * gy)) / whole
    let blue = by * (wx * (ry * gz - gy * rz) + wy * (gx * rz - rx * gz) + wz * (rx * gy - gx * ry)) / whole
    return (red, blue)
  }
}
