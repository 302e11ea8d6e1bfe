// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderPlugin

/// What samples of a layout are as light.
///
/// - Format: IEC 61966-2-1, the curve of sRGB, for samples that are no light.
struct LightCurve {
  /// The light of each integer sample; empty for floating point.
  private let table: [Float]
  private let isLight: Bool
  private let format: PixelFormat

  /// - Parameters:
  ///   - format: `rgb8`, `rgba16` or `rgba-float32`.
  ///   - isLight: Whether samples are light already.
  init(_ format: PixelFormat, isLight: Bool) {
    self.format = format
    self.isLight = isLight
    let count = format.isFloat ? 0 : format.bytesPerChannel == 1 ? 256 : 65_536
    table = (0..<count).map { sample in
      let value = Float(sample) / Float(count - 1)
      return isLight ? value : Self.light(value)
    }
  }

  /// The light of a sample of sRGB; above 1 the curve goes on.
  static func light(_ sample: Float) -> Float {
    guard sample > 0.04045 else { return sample / 12.92 }
    return powf((sample + 0.055) / 1.055, 2.4)
  }

  /// Calls a closure with the place and the light of each pixel of a row.
  func forEachPixel(in row: UnsafeRawPointer, width: Int, _ body: (Int, SIMD3<Float>) -> Void) {
    switch format {
    case .rgbaFloat32:
      let samples = row.assumingMemoryBound(to: Float.self)
      for x in 0..<width {
        let (red, green, blue) = (samples[4 * x], samples[4 * x + 1], samples[4 * x + 2])
        body(x, isLight ? SIMD3(red, green, blue) : SIMD3(Self.light(red), Self.light(green), Self.light(blue)))
      }
    case .rgba16:
      let samples = row.assumingMemoryBound(to: UInt16.self)
      for x in 0..<width {
        body(x, SIMD3(light(samples[4 * x]), light(samples[4 * x + 1]), light(samples[4 * x + 2])))
      }
    default:
      let samples = row.assumingMemoryBound(to: UInt8.self)
      for x in 0..<width {
        body(x, SIMD3(light(samples[3 * x]), light(samples[3 * x + 1]), light(samples[3 * x + 2])))
      }
    }
  }

  private func light(_ sample: some BinaryInteger) -> Float { table[Int(sample)] }
}
