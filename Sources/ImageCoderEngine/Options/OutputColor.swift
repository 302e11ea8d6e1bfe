// SPDX-License-Identifier: Apache-2.0

/// Which colors a decoded picture has.
///
///     var options = DecodeOptions()
///     options.color = .convert(to: .sRGB)
public enum OutputColor: Sendable, Hashable {
  /// Those of the file: samples stay as they are, and ``Image/metadata`` and ``Image/cicp`` say what they mean.
  case asStored
  /// Those of another space; the result says which.
  case convert(ColorConversion)

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
    .convert(ColorConversion(to: target, intent: intent, blackPoint: blackPoint, toneMapping: toneMapping))
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
