// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

extension PixelLayout {
  /// The layout with alpha; straight if there was none.
  var withAlpha: PixelLayout {
    guard alpha == .opaque else { return self }
    switch format {
    case .gray8: return PixelLayout(.grayAlpha8, .straight)
    case .gray16: return PixelLayout(.grayAlpha16, .straight)
    case .rgb8: return PixelLayout(.rgba8, .straight)
    case .rgb16: return PixelLayout(.rgba16, .straight)
    default: return PixelLayout(format, .straight)
    }
  }

  /// The layout with three colors.
  var withColor: PixelLayout {
    switch format {
    case .gray8: PixelLayout(.rgb8, .opaque)
    case .grayAlpha8: PixelLayout(.rgba8, alpha)
    case .gray16: PixelLayout(.rgba16, .opaque)
    case .grayAlpha16: PixelLayout(.rgba16, alpha)
    default: self
    }
  }

  /// How pixels of this layout are worked on: floating point, multiplied by alpha.
  var working: PixelLayout { PixelLayout(.rgbaFloat32, alpha == .opaque ? .opaque : .premultiplied) }
}

extension PixelBuffer {
  /// How the whole picture is held where an operation reads it in any order: four channels, multiplied by alpha. 16 bits
  /// hold what 8 bits multiplied by alpha are; 16 bits multiplied by alpha need more.
  var wideLayout: PixelLayout {
    let isNarrow = format.bytesPerChannel == 1 || alpha == .opaque && !format.isFloat
    return PixelLayout(isNarrow ? .rgba16 : .rgbaFloat32, alpha == .opaque ? .opaque : .premultiplied)
  }
}
