// SPDX-License-Identifier: Apache-2.0

import Glibc

extension ToneMapping {
  /// Up to this peak, nits, a picture is as good as SDR: it ends within a code of white.
  static let whitePeak = 207.0

  /// What light is multiplied by.
  ///
  /// - Parameters:
  ///   - light: The largest of the channels; 1 is 203 nit.
  ///   - peak: The brightest light of the picture, nits.
  func gain(_ light: Double, peak: Double) -> Double {
    guard light > 0 else { return gain(1e-6, peak: peak) }
    guard peak > Self.whitePeak else { return 1 }
    switch self {
    case .bt2390:
      let top = ToneCurve.pq(luminance: peak)
      let white = ToneCurve.pq(luminance: ToneCurve.whiteLuminance) / top
      let value = min(ToneCurve.pq(luminance: light * ToneCurve.whiteLuminance) / top, 1)
      let knee = 1.5 * white - 0.5
      guard value > knee else { return 1 }
      let t = (value - knee) / (1 - knee)
      let (t2, t3) = (t * t, t * t * t)
      let mapped =
        (2 * t3 - 3 * t2 + 1) * knee + (t3 - 2 * t2 + t) * (1 - knee) + (3 * t2 - 2 * t3) * white
      return ToneCurve.luminance(pq: mapped * top) / ToneCurve.whiteLuminance / light
    case .rwtmo: return Self.referenceWhite(light, headroom: peak / ToneCurve.whiteLuminance) / light
    case .clip: return 1
    }
  }

  /// A line up to white, and above it a Bézier curve that ends at the peak.
  private static func referenceWhite(_ light: Double, headroom: Double) -> Double {
    let white = 1 - 0.5 * min(1, log(headroom) / log(1000 / ToneCurve.whiteLuminance))
    guard light > 1 else { return light * white }
    guard light < headroom else { return 1 }
    let middle = (x: 0.35 + 0.65 / white, y: 0.35 * white + 0.65)
    // x(t) = 1 + 2 b t + a t²
    let b = middle.x - 1
    let a = 1 - 2 * middle.x + headroom
    let t =
      a.magnitude < 1e-9 ? (light - 1) / (2 * b) : ((b * b + a * (light - 1)).squareRoot() - b) / a
    return white * (1 - t) * (1 - t) + 2 * middle.y * t * (1 - t) + t * t
  }
}
