// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Which colors a decoded picture has.
///
///     var options = DecodeOptions()
///     options.color = .convert(to: .sRGB)
public enum OutputColor: Sendable, Hashable {
  /// Those of the file: samples stay as they are, and ``Image/metadata`` and ``Image/cicp`` say what they mean.
  case asStored
  /// Those of another space; the result says which.
  case converted(ColorConversion)

  /// Colors of a space.
  ///
  /// - Parameters:
  ///   - target: The space of the result.
  ///   - intent: What happens to colors that the space does not have. Profiles without tables know two: relative and
  ///     absolute.
  ///   - blackPoint: What happens to the darkest black.
  ///   - toneMapping: How light above the white of an SDR picture is brought below it.
  public static func convert(
    to target: ColorTarget, intent: RenderingIntent = .relativeColorimetric, blackPoint: BlackPoint = .compensated,
    toneMapping: ToneMapping = .bt2390
  ) -> OutputColor {
    .converted(ColorConversion(to: target, intent: intent, blackPoint: blackPoint, toneMapping: toneMapping))
  }
}

/// A conversion of colors: where to, and what happens to those that the target does not have.
public struct ColorConversion: Sendable, Hashable {
  /// The space of the result.
  public var target: ColorTarget
  /// What happens to colors that the space does not have. Profiles without tables know two: relative and absolute.
  public var intent: RenderingIntent
  /// What happens to the darkest black.
  public var blackPoint: BlackPoint
  /// How light above the white of an SDR picture is brought below it.
  public var toneMapping: ToneMapping

  /// Makes a conversion.
  public init(
    to target: ColorTarget, intent: RenderingIntent = .relativeColorimetric, blackPoint: BlackPoint = .compensated,
    toneMapping: ToneMapping = .bt2390
  ) {
    self.target = target
    self.intent = intent
    self.blackPoint = blackPoint
    self.toneMapping = toneMapping
  }
}

/// A color space that pictures are converted to.
public enum ColorTarget: Sendable, Hashable {
  /// The space that pictures without a profile are shown in, IEC 61966-2-1.
  case sRGB
  /// The wider space of today's displays and phones, with the curve of sRGB.
  case displayP3
  /// The primaries and the curve of BT.2020.
  case rec2020
  /// HDR with the primaries of BT.2020 and the curve PQ of BT.2100: white of an SDR picture is at 203 nit. A result
  /// whose pixel format is not asked for has 16 bits.
  case rec2100PQ
  /// HDR with the primaries of BT.2020 and the curve HLG of BT.2100, for a display of 1000 nit, otherwise as ``rec2100PQ``.
  case rec2100HLG
  /// Light with the primaries of sRGB: 1 is white. In a result of floating point, HDR pictures keep light above 1.
  case linearSRGB
  /// Light with the primaries of Display P3: 1 is white. In a result of floating point, HDR pictures keep light above 1.
  case linearDisplayP3
  /// Light with the primaries of BT.2020: 1 is white. In a result of floating point, HDR pictures keep light above 1.
  case linearRec2020
  /// The space of an ICC profile for RGB.
  case profile([UInt8])
}

/// What happens to colors that a space does not have (ICC.1:2022 §D.6).
public enum RenderingIntent: UInt32, Sendable, CaseIterable {
  /// All colors move, so that those inside keep apart from those that come from outside.
  case perceptual = 0
  /// Colors outside move to the nearest inside; white is white.
  case relativeColorimetric = 1
  /// Vivid colors stay vivid.
  case saturation = 2
  /// As relative, but the white of the paper stays as it is.
  case absoluteColorimetric = 3
}

/// What happens to the darkest black of a space.
public enum BlackPoint: Sendable {
  /// It becomes the darkest black of the target, and all other colors follow.
  case compensated
  /// It keeps its light.
  case kept
}

/// How light of an HDR picture, above the white of an SDR picture at 203 nit, is brought below it. Curves scale red, green
/// and blue alike, by the largest of the three.
public enum ToneMapping: Sendable, CaseIterable {
  /// The curve of Rep. ITU-R BT.2390-11 §5.4: what is darker than 88 nit stays as it is, at a peak of 1000 nit.
  case bt2390
  /// The reference white tone mapping of SMPTE ST 2094-50, as Chrome uses it: the whole picture becomes darker.
  case rwtmo
  /// What is above 203 nit is cut off, in each channel.
  case clip
}

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
