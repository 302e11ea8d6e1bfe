// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// What samples mean: primaries and curves, a curve of gray, or the tables of a profile.
package struct ColorSpace: Hashable, Sendable {
  package enum Model: Hashable, Sendable {
    /// - Parameters:
    ///   - toXYZ: From light to X, Y and Z as an eye adapted to D50 sees them.
    ///   - curves: Of red, green and blue.
    case rgb(toXYZ: Matrix3, curves: [ToneCurve])
    /// Grays of every other space, with a curve of their own.
    case gray(ToneCurve)
    /// What only a library can read, or reads better.
    case tables
    /// Cyan, magenta, yellow and black as a profile has them.
    case inks
    /// Cyan, magenta, yellow and black that no profile describes.
    case press
  }

  package var model: Model
  /// As words name it: "Display P3".
  package var name: String
  /// The profile that says it, if one does.
  var profile: [UInt8]?
  /// X, Y and Z of the white that it is seen beside, for absolute colorimetry.
  var mediaWhite = Chromaticities.d50
  /// Code points that say it, if there are any.
  var cicp: CodingIndependentCodePoints?

  /// A space of primaries with one curve.
  ///
  /// - Returns: Nil for primaries that are none.
  package init?(
    _ name: String, _ primaries: Chromaticities, _ curve: ToneCurve, cicp: CodingIndependentCodePoints? = nil
  ) {
    guard let matrix = primaries.toXYZ else { return nil }
    self.init(name, .rgb(toXYZ: matrix, curves: [curve, curve, curve]), cicp: cicp)
  }

  package init(_ name: String, _ model: Model, profile: [UInt8]? = nil, cicp: CodingIndependentCodePoints? = nil) {
    self.name = name
    self.model = model
    self.profile = profile
    self.cicp = cicp
  }

  /// Whether light goes beyond the white of an SDR picture.
  var isHDR: Bool {
    switch model {
    case .rgb(_, let curves): curves[0].isHDR
    case .gray(let curve): curve.isHDR
    case .tables, .inks, .press: false
    }
  }

  /// Whether samples are light.
  var isLight: Bool {
    guard case .rgb(_, let curves) = model else { return false }
    return curves == [.linear, .linear, .linear]
  }

  /// Luminance of the darkest black, of white's, as black point compensation counts it: at most that of an L* of 50.
  var blackLuminance: Double {
    let light: Double
    switch model {
    case .rgb(let toXYZ, let curves):
      light = (toXYZ * SIMD3(curves[0].light(0), curves[1].light(0), curves[2].light(0))).y
    case .gray(let curve): light = curve.light(0)
    case .tables, .inks, .press: return 0
    }
    return min(max(light, 0), 0.1842)
  }

  /// Whether samples are cyan, magenta, yellow and black.
  package var isInks: Bool { model == .inks || model == .press }

  /// Whether it is sRGB, in any maker's words.
  var isSRGB: Bool { model == Self.sRGB.model || profile.map { ICCProfile.isSRGB($0.span.bytes) } ?? false }

  package static let sRGB = named(1, 13)
  package static let linearSRGB = named(1, 8)
  package static let displayP3 = named(12, 13)
  /// The primaries of BT.2020 with its own curve.
  package static let rec2020 = named(9, 1)
  /// Wide enough for every picture, as what tables are asked for.
  static let wide = named(9, 13)
  package static let adobeRGB =
    ColorSpace("Adobe RGB (1998)", .adobeRGB, .adobeRGB) ?? sRGB

  /// Inks that a file says nothing of.
  package static let press = ColorSpace("CMYK on coated paper", .press)

  /// The space of code points that are known to be there.
  package static func named(_ primaries: UInt8, _ transfer: UInt8) -> ColorSpace {
    let points = CodingIndependentCodePoints(primaries: primaries, transfer: transfer, matrix: 0, isFullRange: true)
    return ColorSpace(points) ?? ColorSpace("sRGB", .rgb(toXYZ: .identity, curves: [.sRGB, .sRGB, .sRGB]))
  }

  /// The space of code points. What they leave open is as in sRGB.
  ///
  /// - Returns: Nil if they leave all open, or have a reserved code.
  package init?(_ points: CodingIndependentCodePoints) {
    guard points.primaries != 2 || points.transfer != 2 else { return nil }
    let (primaries, transfer) = (points.primaries == 2 ? 1 : points.primaries, points.transfer)
    guard let chromaticities = Chromaticities(code: primaries),
      let curve = transfer == 2 ? ToneCurve.sRGB : ToneCurve(code: transfer)
    else { return nil }
    self.init(Self.words(primaries, transfer == 2 ? 13 : transfer), chromaticities, curve, cicp: points)
  }

  /// Words for code points.
  static func words(_ primaries: UInt8, _ transfer: UInt8) -> String {
    switch (primaries, transfer) {
    case (1, 13): return "sRGB"
    case (1, 8): return "linear sRGB"
    case (1, 1), (1, 6), (1, 14), (1, 15): return "BT.709"
    case (12, 13): return "Display P3"
    case (12, 8): return "linear Display P3"
    case (9, 16): return "BT.2100 PQ"
    case (9, 18): return "BT.2100 HLG"
    case (9, 1), (9, 6), (9, 14), (9, 15): return "BT.2020"
    case (9, 8): return "linear BT.2020"
    default: break
    }
    let first: String? =
      switch primaries {
      case 1: "BT.709"
      case 4: "BT.470 M"
      case 5: "BT.470 BG"
      case 6, 7: "BT.601"
      case 8: "film"
      case 9: "BT.2020"
      case 10: "XYZ"
      case 11: "DCI P3"
      case 12: "Display P3"
      case 22: "EBU 3213"
      default: nil
      }
    let second: String? =
      switch transfer {
      case 1, 6, 11, 12, 14, 15: "curve of BT.709"
      case 4: "gamma 2.2"
      case 5: "gamma 2.8"
      case 7: "curve of SMPTE 240M"
      case 8: "linear"
      case 13: "curve of sRGB"
      case 16: "PQ"
      case 17: "curve of SMPTE 428"
      case 18: "HLG"
      default: nil
      }
    return (first ?? "primaries \(primaries)") + ", " + (second ?? "transfer \(transfer)")
  }
}
