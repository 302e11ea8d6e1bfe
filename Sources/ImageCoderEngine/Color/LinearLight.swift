// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// What happens to colors where light is resampled, not codes: they become light before, and colors of the result after.
struct LinearLight: Sendable {
  let decode: ColorTransform
  let encode: ColorTransform

  /// What is resampled.
  static let format = PixelFormat.rgbaFloat32

  /// - Parameters:
  ///   - conversion: The colors of the result, or nil for those of the picture.
  ///   - warn: Is told why codes are resampled all the same.
  /// - Returns: Nil where samples are light, or cannot be made light.
  init?(_ conversion: ColorConversion?, of picture: ColorSpace, warn: (String) -> Void) throws(CoderError) {
    let light: ColorSpace
    var own = picture
    let linear = [ToneCurve](repeating: .linear, count: 3)
    switch picture.model {
    case .rgb(let toXYZ, _) where !picture.isHDR: light = ColorSpace("light", .rgb(toXYZ: toXYZ, curves: linear))
    case .gray(let curve):
      light = .linearSRGB
      guard case .rgb(let toXYZ, _) = light.model else { return nil }
      own = ColorSpace(picture.name, .rgb(toXYZ: toXYZ, curves: [curve, curve, curve]))
    default:
      warn("codes are resampled, not light: \(picture.name) is not made of primaries and curves of an SDR picture")
      return nil
    }
    let target = try conversion.map { (conversion) throws(CoderError) in try ColorPlan.space(of: conversion.target) }
    let intent = conversion?.intent ?? .relativeColorimetric
    let blackPoint = conversion?.blackPoint ?? .kept
    guard
      let decode = try ColorTransform(
        from: picture, to: light, toneMapping: .clip, intent: intent, blackPoint: blackPoint),
      let encode = try ColorTransform(
        from: light, to: target ?? own, toneMapping: .clip, intent: intent, blackPoint: blackPoint)
    else { return nil }
    (self.decode, self.encode) = (decode, encode)
  }
}
