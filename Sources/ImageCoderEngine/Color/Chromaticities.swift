// SPDX-License-Identifier: Apache-2.0

/// The primaries and the white of a color space, as x and y of CIE 1931.
package struct Chromaticities: Hashable, Sendable {
  package var red: SIMD2<Double>
  package var green: SIMD2<Double>
  package var blue: SIMD2<Double>
  package var white: SIMD2<Double>

  private static let d65 = SIMD2(0.3127, 0.3290)
  private static let c = SIMD2(0.310, 0.316)
  /// The white of ICC profiles: X, Y and Z of D50 (ICC.1:2022 §7.2.16).
  static let d50 = SIMD3(0.9642, 1, 0.8249)

  /// BT.709-6 §1, which IEC 61966-2-1 took over.
  package static let sRGB = Chromaticities(
    red: SIMD2(0.64, 0.33), green: SIMD2(0.30, 0.60), blue: SIMD2(0.15, 0.06), white: d65)
  /// SMPTE EG 432-1 with the white of sRGB.
  package static let displayP3 = Chromaticities(
    red: SIMD2(0.680, 0.320), green: SIMD2(0.265, 0.690), blue: SIMD2(0.150, 0.060), white: d65)
  /// BT.2020-2 table 3.
  package static let rec2020 = Chromaticities(
    red: SIMD2(0.708, 0.292), green: SIMD2(0.170, 0.797), blue: SIMD2(0.131, 0.046), white: d65)
  /// Adobe RGB (1998) §4.3.1.1.
  package static let adobeRGB = Chromaticities(
    red: SIMD2(0.64, 0.33), green: SIMD2(0.21, 0.71), blue: SIMD2(0.15, 0.06), white: d65)

  package init(red: SIMD2<Double>, green: SIMD2<Double>, blue: SIMD2<Double>, white: SIMD2<Double>) {
    self.red = red
    self.green = green
    self.blue = blue
    self.white = white
  }

  /// The primaries of a code point.
  ///
  /// - Format: ITU-T H.273 table 2.
  /// - Returns: Nil for codes that are reserved, and for 2, which states nothing.
  package init?(code: UInt8) {
    switch code {
    case 1: self = .sRGB
    case 4: self.init(red: SIMD2(0.67, 0.33), green: SIMD2(0.21, 0.71), blue: SIMD2(0.14, 0.08), white: Self.c)
    case 5: self.init(red: SIMD2(0.64, 0.33), green: SIMD2(0.29, 0.60), blue: SIMD2(0.15, 0.06), white: Self.d65)
    case 6, 7:
      self.init(
        red: SIMD2(0.630, 0.340), green: SIMD2(0.310, 0.595), blue: SIMD2(0.155, 0.070), white: Self.d65)
    case 8:
      self.init(red: SIMD2(0.681, 0.319), green: SIMD2(0.243, 0.692), blue: SIMD2(0.145, 0.049), white: Self.c)
    case 9: self = .rec2020
    case 10: self.init(red: SIMD2(1, 0), green: SIMD2(0, 1), blue: SIMD2(0, 0), white: SIMD2(1.0 / 3, 1.0 / 3))
    case 11:
      self = .displayP3
      white = SIMD2(0.314, 0.351)
    case 12: self = .displayP3
    case 22:
      self.init(
        red: SIMD2(0.630, 0.340), green: SIMD2(0.295, 0.605), blue: SIMD2(0.155, 0.077), white: Self.d65)
    default: return nil
    }
  }

  /// From light of these primaries to X, Y and Z as an eye adapted to D50 sees them, or nil for primaries that lie on a
  /// line, or are none.
  package var toXYZ: Matrix3? {
    guard [red.y, green.y, white.y].allSatisfy({ $0.isFinite && ($0 > 0 || self == Self(code: 10)) }),
      // The blue of ACES (SMPTE ST 2065-1) is no color: its y is below 0.
      blue.y.isFinite, blue.y != 0 || self == Self(code: 10)
    else { return nil }
    let primaries = Matrix3(columns: Self.tristimulus(red), Self.tristimulus(green), Self.tristimulus(blue))
    guard primaries.determinant.magnitude >= 1e-4 else { return nil }
    let xyz = SIMD3(white.x / white.y, 1, (1 - white.x - white.y) / white.y)
    let result = Self.adaptation(from: xyz) * (primaries * Matrix3(diagonal: primaries.inverse * xyz))
    return result.determinant.magnitude >= 1e-4 ? result : nil
  }

  /// What red, green and blue add to the luminance of white, or nil as for ``toXYZ``.
  var luminance: SIMD3<Double>? {
    guard toXYZ != nil else { return nil }
    let primaries = Matrix3(columns: Self.tristimulus(red), Self.tristimulus(green), Self.tristimulus(blue))
    let xyz = SIMD3(white.x / white.y, 1, (1 - white.x - white.y) / white.y)
    return primaries.inverse * xyz * SIMD3(red.y, green.y, blue.y)
  }

  private static func tristimulus(_ point: SIMD2<Double>) -> SIMD3<Double> {
    SIMD3(point.x, point.y, 1 - point.x - point.y)
  }

  /// Linear Bradford adaptation to D50 (ICC.1:2022 annex E.3).
  package static func adaptation(from white: SIMD3<Double>) -> Matrix3 {
    let cones = Matrix3(
      rows: SIMD3(0.8951, 0.2664, -0.1614), SIMD3(-0.7502, 1.7135, 0.0367), SIMD3(0.0389, -0.0685, 1.0296))
    return cones.inverse * (Matrix3(diagonal: (cones * d50) / (cones * white)) * cones)
  }
}
