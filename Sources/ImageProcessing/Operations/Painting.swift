// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

extension PixelColor {
  /// Red, green and blue multiplied by alpha, and alpha, each from 0 to 1.
  var premultiplied: SIMD4<Float> {
    let alpha = Float(alpha16) / 65_535
    return SIMD4(
      Float(red16) / 65_535 * alpha, Float(green16) / 65_535 * alpha, Float(blue16) / 65_535 * alpha, alpha)
  }
}

extension PixelLayout {
  /// A layout that can also hold paint.
  func painted(_ color: PixelColor) -> PixelLayout {
    let colored = color.isGray ? self : withColor
    return color.isOpaque ? colored : colored.withAlpha
  }
}

extension PixelBuffer {
  /// Paints a row.
  func fillRow(_ y: Int, with color: PixelColor) {
    let working = PixelLayout(.rgbaFloat32, color.isOpaque ? .opaque : .premultiplied)
    let converter = RowConverter(from: working, to: layout)
    var color = color.premultiplied
    converter.convert(&color, into: row(y), count: 1)
    let pixel = row(y)
    for x in 1..<max(size.width, 1) {
      (pixel + x * format.bytesPerPixel).copyMemory(from: pixel, byteCount: format.bytesPerPixel)
    }
  }
}
