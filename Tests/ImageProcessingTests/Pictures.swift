// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import TestSupport

/// Pictures for tests, and their samples as numbers.
enum Pictures {
  /// 8-bit samples, row by row.
  static func bytes(
    _ samples: [UInt8], _ width: Int, _ format: PixelFormat, _ alpha: AlphaMode = .straight
  ) throws(CoderError) -> PixelBuffer {
    let height = samples.count / (width * format.bytesPerPixel)
    return try PixelBuffer(copying: samples, size: Size(width: width, height: height), format: format, alpha: alpha)
  }

  /// 16-bit samples, row by row.
  static func words(
    _ samples: [UInt16], _ width: Int, _ format: PixelFormat, _ alpha: AlphaMode = .straight
  ) throws(CoderError) -> PixelBuffer {
    try bytes(samples.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }, width, format, alpha)
  }

  /// Noise, the same for the same seed.
  static func noise(_ size: Size, _ format: PixelFormat, _ alpha: AlphaMode, seed: UInt64) throws(CoderError)
    -> PixelBuffer
  {
    var random = SplitMix(seed: seed)
    if format.isFloat {
      let values = (0..<(size.pixelCount * 4)).map { _ in Float(random.below(1001)) / 1000 }
      let bytes = values.withUnsafeBytes { Array($0) }
      return try PixelBuffer(copying: bytes, size: size, format: .rgbaFloat32, alpha: alpha)
    }
    let bytes = (0..<(size.pixelCount * format.bytesPerPixel)).map { _ in UInt8(random.below(256)) }
    return try PixelBuffer(copying: bytes, size: size, format: format, alpha: alpha)
  }

  /// The samples of a picture, from 0 to 1, pixel by pixel.
  static func numbers(_ pixels: PixelBuffer) -> [Double] {
    let bytes = pixels.copyBytes()
    return bytes.withUnsafeBytes { raw in
      switch (pixels.format.bytesPerChannel, pixels.format.isFloat) {
      case (1, _): raw.map { Double($0) / 255 }
      case (2, _): raw.bindMemory(to: UInt16.self).map { Double($0) / 65_535 }
      default: raw.bindMemory(to: Float.self).map { Double($0) }
      }
    }
  }

  /// The largest difference of two lists of numbers.
  static func difference(_ a: [Double], _ b: [Double]) -> Double {
    a.count == b.count ? zip(a, b).reduce(0) { max($0, abs($1.0 - $1.1)) } : .infinity
  }
}
