// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// What happens to the colors of a decoded page, and which the result has.
struct ColorPlan: Sendable {
  /// Nil where samples stay as they are.
  let transform: ColorTransform?
  /// How light is resampled, or nil where codes are.
  private(set) var linear: LinearLight?
  /// The space of the result, or nil where the file's own statements hold.
  let result: ColorSpace?

  /// Whether samples go beyond the white of an SDR picture, so that 8 bits are too few.
  var isHDR: Bool { result?.isHDR ?? false }

  /// Whether the file may stay as it is: its samples and what it says of them.
  let keepsFile: Bool

  /// Nothing happens.
  static let asStored = ColorPlan()

  private init() {
    linear = nil
    transform = nil
    result = nil
    keepsFile = true
  }

  /// Colors that a picture has already.
  init(result: ColorSpace) {
    transform = nil
    self.result = result
    keepsFile = false
  }

  /// Plans a conversion.
  ///
  /// - Parameter warn: Is told why colors are not what the file says, or stay as they are.
  /// - Throws: For a target that colors cannot be converted to.
  init(
    _ conversion: ColorConversion, of picture: PictureColor, isAnimated: Bool, warn: (String) -> Void
  ) throws(CoderError) {
    if let refusal = picture.refusal {
      warn("the ICC profile is not used: \(refusal); colors are taken for \(picture.space.name)")
    }
    let target = try Self.space(of: conversion.target)
    do throws(CoderError) {
      // The frames of an animation are all mapped by the same curve.
      transform = try ColorTransform(
        from: picture.space, to: target, toneMapping: conversion.toneMapping,
        peak: picture.statedPeak ?? (isAnimated ? Self.animationPeak : nil), intent: conversion.intent,
        blackPoint: conversion.blackPoint)
    } catch {
      // A picture that cannot be converted is still one; a target that cannot be used is the caller's mistake.
      guard picture.space.model == .tables || picture.space.isInks, target.model != .tables else { throw error }
      warn("the colors stay those of the ICC profile: \(error.message)")
      self = .asStored
      return
    }
    // What is sRGB already says so in its own way.
    let keepsStatements =
      transform == nil && conversion.target == .sRGB && picture.refusal == nil
      && (picture.origin != .icc || picture.space.isSRGB)
    result = keepsStatements ? nil : target
    // A profile that is not used has to go, or the next program may use it.
    keepsFile = transform == nil && picture.refusal == nil
  }

  /// The same plan, in which light is resampled where that is possible.
  func resamplingLight(
    _ conversion: ColorConversion?, of picture: PictureColor, isAnimated: Bool, warn: (String) -> Void
  ) throws(CoderError) -> ColorPlan {
    var plan = self
    guard !isAnimated else {
      warn("codes are resampled, not light: the picture is an animation")
      return plan
    }
    plan.linear = try LinearLight(conversion, of: picture.space, warn: warn)
    return plan
  }

  /// Nits of a display that HDR pictures are usually made on.
  private static let animationPeak = 1000.0

  static func space(of target: ColorTarget) throws(CoderError) -> ColorSpace {
    switch target {
    case .sRGB: return .sRGB
    case .displayP3: return .displayP3
    case .rec2020: return .rec2020
    case .rec2100PQ: return .named(9, 16)
    case .rec2100HLG: return .named(9, 18)
    case .linearSRGB: return .linearSRGB
    case .linearDisplayP3: return .named(12, 8)
    case .linearRec2020: return .named(9, 8)
    case .profile(let bytes):
      if let model = ICCProfile.model(of: bytes), model != "RGB" {
        throw .unsupported(
          "a profile of \(model) as a target; files are written in RGB and gray, and take a profile of RGB")
      }
      do throws(CoderError) { return try ICCColorReader.space(bytes, isGray: false) } catch {
        throw .invalidArgument("the profile that colors are to be converted to: \(error.message)")
      }
    }
  }

  /// What remains true of an image's light: the display that it was made on, between colors of PQ; where samples do not
  /// change, all.
  private func light(of image: Image) -> LightLevels {
    guard let result, result.isHDR, image.cicp?.transfer == result.cicp?.transfer else { return LightLevels() }
    guard transform != nil else { return image.light }
    var light = image.light
    (light.contentPeak, light.frameAveragePeak) = (nil, nil)
    return light
  }

  /// Says of an image which colors it has.
  func describe(_ image: inout Image, metadata: Set<MetadataKind>) {
    guard let result else { return }
    image.light = light(of: image)
    image.cicp = result.profile == nil ? result.cicp : nil
    image.metadata[.icc] = nil
    if var exif = image.metadata[.exif] {
      ExifColorSpace.set(isSRGB: result.model == ColorSpace.sRGB.model, in: &exif)
      image.metadata[.exif] = exif
    }
    // What PQ and HLG mean is in code points: a profile would count more than they do in some programs.
    guard metadata.contains(.icc), !result.isHDR, result.model != ColorSpace.sRGB.model else { return }
    let isGray = image.pixels.format.isGray
    image.metadata[.icc] = isGray ? nil : result.profile
    if image.metadata[.icc] == nil { image.metadata[.icc] = ICCProfile.bytes(of: result, isGray: isGray) }
  }
}
