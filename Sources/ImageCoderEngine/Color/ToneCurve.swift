// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How stored values become light: 0 to 1 on both sides, but for PQ, where 1 is the white of an SDR picture.
package enum ToneCurve: Hashable, Sendable {
  case linear
  /// A plain exponent.
  case gamma(Double)
  /// A power with a line below it.
  case parametric(PowerCurve)
  /// Values at equal distances, lines between them; at least 2.
  case table([UInt16])
  /// Rec. ITU-R BT.2100-2 table 4: light is absolute.
  case pq
  /// Rec. ITU-R BT.2100-2 table 5: light of the scene, which the display's own curve follows.
  case hlg

  /// The white of an SDR picture in an HDR one, nits (Rep. ITU-R BT.2408-7 §2.1).
  static let whiteLuminance = 203.0

  /// Y = (aX + b)^g + e from X = d on, cX + f below (ICC.1:2022 §10.18).
  package struct PowerCurve: Hashable, Sendable {
    var g = 1.0
    var a = 1.0
    var b = 0.0
    var c = 0.0
    var d = 0.0
    var e = 0.0
    var f = 0.0
  }

  /// IEC 61966-2-1.
  package static let sRGB = ToneCurve.parametric(
    PowerCurve(g: 2.4, a: 1 / 1.055, b: 0.055 / 1.055, c: 1 / 12.92, d: 0.04045))
  /// The inverse of the camera's curve of BT.709, as H.273 has it for codes 1, 6, 14 and 15.
  package static let rec709 = ToneCurve.parametric(
    PowerCurve(
      g: 1 / 0.45, a: 1 / 1.09929682680944, b: 0.09929682680944 / 1.09929682680944, c: 1 / 4.5,
      d: 4.5 * 0.018053968510807))
  /// Adobe RGB (1998) §4.3.1.2.
  package static let adobeRGB = ToneCurve.gamma(563.0 / 256)
  /// ISO 22028-2, with the line near black that profiles leave out.
  package static let romm = ToneCurve.parametric(PowerCurve(g: 1.8, c: 1.0 / 16, d: 16.0 / 512))

  /// The curve of a code point.
  ///
  /// - Format: ITU-T H.273 table 3.
  /// - Returns: Nil for codes that are reserved, and for 2, which states nothing.
  package init?(code: UInt8) {
    switch code {
    case 1, 6, 11, 12, 14, 15: self = .rec709
    case 4: self = .gamma(2.2)
    case 5: self = .gamma(2.8)
    case 7: self = .parametric(PowerCurve(g: 1 / 0.45, a: 1 / 1.1115, b: 0.1115 / 1.1115, c: 1 / 4.0, d: 4 * 0.0228))
    case 8: self = .linear
    case 13: self = .sRGB
    case 16: self = .pq
    case 17: self = .parametric(PowerCurve(g: 2.6, a: pow(52.37 / 48, 1 / 2.6)))
    case 18: self = .hlg
    default: return nil
    }
  }

  /// Whether light goes beyond the white of an SDR picture.
  var isHDR: Bool { self == .pq || self == .hlg }

  /// Light of a stored value. Below 0 it is that of 0; tables end at 1.
  package func light(_ value: Double) -> Double {
    let value = max(value, 0)
    switch self {
    case .linear: return value
    case .gamma(let gamma): return pow(value, gamma)
    case .parametric(let curve):
      if value < curve.d { return curve.c * value + curve.f }
      return pow(max(curve.a * value + curve.b, 0), curve.g) + curve.e
    case .table(let entries):
      let place = min(value, 1) * Double(entries.count - 1)
      let index = min(Int(place), entries.count - 2)
      let (low, high) = (Double(entries[index]), Double(entries[index + 1]))
      return (low + (high - low) * (place - Double(index))) / 65_535
    case .pq: return Self.luminance(pq: value) / Self.whiteLuminance
    case .hlg:
      if value <= 0.5 { return value * value / 3 }
      return (exp((value - Self.hlgC) / Self.hlgA) + Self.hlgB) / 12
    }
  }

  /// The stored value of light. Below 0 it is 0.
  package func value(_ light: Double) -> Double {
    switch self {
    case .linear: return max(light, 0)
    case .gamma(let gamma): return pow(max(light, 0), 1 / gamma)
    case .parametric(let curve):
      // Between line and power there may be a gap or a step; values in it become the place where it is.
      if curve.d > 0, curve.c > 0, light < curve.c * curve.d + curve.f {
        return min(max((light - curve.f) / curve.c, 0), curve.d)
      }
      return max((pow(max(light - curve.e, 0), 1 / curve.g) - curve.b) / curve.a, curve.d)
    case .table(let entries):
      let wanted = min(max(light, 0), 1) * 65_535
      var (low, high) = (0, entries.count - 1)
      guard wanted > Double(entries[low]) else { return 0 }
      guard wanted < Double(entries[high]) else { return 1 }
      while high - low > 1 {
        let middle = (low + high) / 2
        if Double(entries[middle]) < wanted { low = middle } else { high = middle }
      }
      let (below, above) = (Double(entries[low]), Double(entries[high]))
      let part = above > below ? (wanted - below) / (above - below) : 0
      return (Double(low) + part) / Double(entries.count - 1)
    case .pq: return Self.pq(luminance: light * Self.whiteLuminance)
    case .hlg:
      let light = max(light, 0)
      return light <= 1.0 / 12 ? (3 * light).squareRoot() : Self.hlgA * log(12 * light - Self.hlgB) + Self.hlgC
    }
  }

  /// The same curve with a black of no light, and white where it was.
  ///
  /// - Parameter black: Light that becomes none.
  func scaled(fromBlack black: Double) -> ToneCurve {
    let scale = 1 / (1 - black)
    switch self {
    case .linear, .gamma, .pq, .hlg: return self
    case .parametric(var curve):
      let root = pow(scale, 1 / curve.g)
      (curve.a, curve.b, curve.c) = (curve.a * root, curve.b * root, curve.c * scale)
      (curve.e, curve.f) = ((curve.e - black) * scale, (curve.f - black) * scale)
      return .parametric(curve)
    case .table(let entries):
      return .table(
        entries.map { UInt16(min(max((Double($0) / 65_535 - black) * scale, 0), 1) * 65_535 + 0.5) })
    }
  }

  /// Whether a stored value follows from light: a table may fall or stay.
  var isInvertible: Bool {
    guard case .table(let entries) = self else { return true }
    return zip(entries, entries.dropFirst()).allSatisfy { $0 <= $1 }
  }

  private static let hlgA = 0.17883277
  private static let hlgB = 1 - 4 * hlgA
  private static let hlgC = 0.55991073

  private static let m1 = 2610.0 / 16384
  private static let m2 = 2523.0 / 32
  private static let c1 = 3424.0 / 4096
  private static let c2 = 2413.0 / 128
  private static let c3 = 2392.0 / 128

  /// Nits of a value of PQ.
  package static func luminance(pq value: Double) -> Double {
    let root = pow(min(max(value, 0), 1), 1 / m2)
    return 10_000 * pow(max(root - c1, 0) / (c2 - c3 * root), 1 / m1)
  }

  /// The value of PQ of nits, 0 to 10,000.
  package static func pq(luminance: Double) -> Double {
    let power = pow(min(max(luminance / 10_000, 0), 1), m1)
    return pow((c1 + c2 * power) / (1 + c3 * power), m2)
  }
}
