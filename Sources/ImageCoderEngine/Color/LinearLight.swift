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

/// Makes a smaller picture of light, from rows of codes that come in order.
final class LightResampler {
  private let small: PixelBuffer
  private let resampler: StreamingResampler
  private let recoder: RowRecoder
  /// One row of light.
  private let line: PixelBuffer

  /// - Parameters:
  ///   - source: The size of the whole picture.
  ///   - layout: Of its rows.
  ///   - region: The part to show, or nil for all of it.
  /// - Throws: As ``StreamingResampler``.
  init(
    _ linear: LinearLight, _ source: Size, _ layout: PixelLayout, region: ResamplingRegion?, to size: Size
  ) throws(CoderError) {
    let light = PixelLayout(LinearLight.format, layout.alpha == .opaque ? .opaque : .straight)
    small = try PixelBuffer(size: size, format: light.format, alpha: light.alpha)
    resampler = try StreamingResampler(
      source: source, layout: light, region: region ?? .whole(source), destination: small, isPlain: false,
      filter: .hermite)
    recoder = RowRecoder(from: layout, to: light, color: linear.decode)
    line = try PixelBuffer(size: Size(width: source.width, height: 1), format: light.format, alpha: light.alpha)
  }

  /// Rows at the top of the result that are complete.
  var rowsWritten: Int { resampler.rowsWritten }

  /// The picture so far; rows that are not complete are transparent.
  func shown() throws(CoderError) -> PixelBuffer { try small.copy(without: [rowsWritten..<small.size.height]) }

  /// Takes the next row.
  func push(_ row: UnsafeRawPointer) {
    recoder.convert(row, into: line.base, count: line.size.width)
    resampler.push(line.base, stride: line.stride, count: 1)
  }

  /// The picture, in straight floating point.
  func finish() -> PixelBuffer {
    _ = resampler.finish()
    return small
  }
}
