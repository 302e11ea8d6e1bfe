// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

/// A linear map of colors, the same multiplied by alpha or not.
struct ColorMix: Sendable {
  /// What stays of each color.
  private let scale: Float
  /// What each color gets of the luma.
  private let share: Float

  /// The weights of luma, ITU-R BT.601 §2.5.1.
  private static let luma = SIMD4<Float>(0.299, 0.587, 0.114, 0)

  init(saturation: Double = 1, brightness: Double = 1) {
    scale = Float(saturation * brightness)
    share = Float((1 - saturation) * brightness)
  }

  var isIdentity: Bool { scale == 1 && share == 0 }

  /// Maps a row; colors stay between 0 and alpha if `clamps`.
  func apply(_ row: FloatRow, count: Int, clamps: Bool) {
    for x in 0..<count {
      let pixel = row[x]
      let parts = pixel * Self.luma
      var mixed = pixel * scale + (parts.x + parts.y + parts.z) * share
      if clamps { mixed.clamp(lowerBound: .zero, upperBound: SIMD4(repeating: pixel.w)) }
      mixed.w = pixel.w
      row[x] = mixed
    }
  }
}

extension PixelBuffer {
  func mixed(by mix: ColorMix) throws(CoderError) -> PixelBuffer {
    guard !mix.isIdentity else { return self }
    let (width, clamps) = (size.width, !format.isFloat)
    return try mappingRows(to: layout) { row, _ in mix.apply(row, count: width, clamps: clamps) }
  }

  func tinted(_ color: RGBAColor, _ mode: BlendMode) throws(CoderError) -> PixelBuffer {
    let (width, source) = (size.width, color.premultiplied)
    return try mappingRows(to: color.isGray ? layout : layout.withColor) { row, _ in
      for x in 0..<width { row[x] = mode.atop(row[x], source) }
    }
  }

  func laidOver(_ color: RGBAColor) throws(CoderError) -> PixelBuffer {
    guard alpha != .opaque else { return self }
    let (width, backdrop) = (size.width, color.premultiplied)
    var target = color.isGray ? layout : layout.withColor
    if color.alpha == 255 {
      target.alpha = .opaque
      if target.format == .rgba8 { target.format = .rgb8 }
      if target.format == .grayAlpha8 { target.format = .gray8 }
      if target.format == .grayAlpha16 { target.format = .gray16 }
    }
    return try mappingRows(to: target) { row, _ in
      for x in 0..<width { row[x] += backdrop * (1 - row[x].w) }
    }
  }

  func framed(width border: Int, _ color: RGBAColor) throws(CoderError) -> PixelBuffer {
    let (size, source) = (size, color.premultiplied)
    return try mappingRows(to: color.isGray ? layout : layout.withColor) { row, y in
      func paint(_ columns: Range<Int>) {
        for x in columns { row[x] = BlendMode.normal.over(row[x], source) }
      }
      if y < border || y >= size.height - border {
        paint(0..<size.width)
      } else {
        let right = max(size.width - border, border)
        paint(0..<min(border, size.width))
        paint(min(right, size.width)..<size.width)
      }
    }
  }
}
