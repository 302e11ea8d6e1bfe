// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// Lays rows of pixels with alpha over one color.
struct RowFlattener {
  private let layout: PixelLayout
  /// The values of the background, in the channel order of the layout: integers of the sample's range, or 0 … 1.
  private let integers: (UInt32, UInt32, UInt32)
  private let floats: (Float, Float, Float)

  /// - Parameters:
  ///   - layout: Any format with alpha but `grayAlpha8` and `bgra8`; straight or premultiplied.
  ///   - background: Its alpha is not used.
  init(_ layout: PixelLayout, on background: PixelColor) {
    self.layout = layout
    let color = (UInt32(background.red16), UInt32(background.green16), UInt32(background.blue16))
    if layout.format.isGray {
      let luma = (299 * color.0 + 587 * color.1 + 114 * color.2 + 500) / 1_000
      self.integers = (luma, luma, luma)
    } else if layout.format.bytesPerChannel == 1 {
      self.integers = (UInt32(background.red), UInt32(background.green), UInt32(background.blue))
    } else {
      self.integers = color
    }
    self.floats = (Float(color.0) / 65_535, Float(color.1) / 65_535, Float(color.2) / 65_535)
  }

  /// The layout of flattened rows: opaque, `rgb8` from formats of 8 bits, the same format from others.
  static func result(of layout: PixelLayout) -> PixelLayout {
    PixelLayout(layout.format.bytesPerChannel == 1 ? .rgb8 : layout.format, .opaque)
  }

  /// Flattens one row; 8-bit rows become `rgb8`, others keep their format.
  func flatten(_ source: UnsafeRawPointer, into destination: UnsafeMutableRawPointer, count: Int) {
    switch layout.format {
    case .rgba8: flatten8(source, destination, count: count)
    case .grayAlpha16: flatten16(source, destination, count: count, colors: 1)
    case .rgba16: flatten16(source, destination, count: count, colors: 3)
    case .rgbaFloat16: flattenFloats(SampleFloat16.self, source, destination, count: count)
    default: flattenFloats(SampleFloat32.self, source, destination, count: count)
    }
  }

  @inline(__always)
  private func over(_ color: UInt32, alpha: UInt32, background: UInt32, maximum: UInt32) -> UInt32 {
    // Straight: one rounding of the sum. Premultiplied: color has been rounded already, so only the rest is.
    if layout.alpha == .straight {
      let sum = UInt64(color) * UInt64(alpha) + UInt64(background) * UInt64(maximum - alpha)
      return UInt32(truncatingIfNeeded: (sum + UInt64(maximum / 2)) / UInt64(maximum))
    }
    let rest = (UInt64(background) * UInt64(maximum - alpha) + UInt64(maximum / 2)) / UInt64(maximum)
    return min(maximum, color + UInt32(truncatingIfNeeded: rest))
  }

  private func flatten8(_ source: UnsafeRawPointer, _ destination: UnsafeMutableRawPointer, count: Int) {
    let background = integers
    for i in 0..<count {
      let pixel = source.loadUnaligned(fromByteOffset: 4 &* i, as: UInt32.self)
      let alpha = pixel >> 24
      let red = over(pixel & 0xFF, alpha: alpha, background: background.0, maximum: 255)
      let green = over((pixel >> 8) & 0xFF, alpha: alpha, background: background.1, maximum: 255)
      let blue = over((pixel >> 16) & 0xFF, alpha: alpha, background: background.2, maximum: 255)
      destination.storeBytes(of: UInt8(truncatingIfNeeded: red), toByteOffset: 3 &* i, as: UInt8.self)
      destination.storeBytes(of: UInt8(truncatingIfNeeded: green), toByteOffset: 3 &* i &+ 1, as: UInt8.self)
      destination.storeBytes(of: UInt8(truncatingIfNeeded: blue), toByteOffset: 3 &* i &+ 2, as: UInt8.self)
    }
  }

  private func flatten16(
    _ source: UnsafeRawPointer, _ destination: UnsafeMutableRawPointer, count: Int, colors: Int
  ) {
    let background = [integers.0, integers.1, integers.2]
    for i in 0..<count {
      let first = i * (colors + 1)
      func sample(_ channel: Int) -> UInt32 {
        UInt32(source.loadUnaligned(fromByteOffset: 2 * (first + channel), as: UInt16.self))
      }
      let alpha = sample(colors)
      for c in 0..<colors {
        let value = UInt16(
          truncatingIfNeeded: over(sample(c), alpha: alpha, background: background[c], maximum: 65_535))
        destination.storeBytes(of: value, toByteOffset: 2 * (first + c), as: UInt16.self)
      }
      destination.storeBytes(of: UInt16.max, toByteOffset: 2 * (first + colors), as: UInt16.self)
    }
  }

  @inline(__always)
  private func flattenFloats<Sample: PixelSample>(
    _: Sample.Type, _ source: UnsafeRawPointer, _ destination: UnsafeMutableRawPointer, count: Int
  ) {
    let background = SIMD4<Float>(floats.0, floats.1, floats.2, 1)
    let isStraight = layout.alpha == .straight
    for i in 0..<count {
      let alpha = Sample.read(source, 4 &* i &+ 3)
      for c in 0..<3 {
        let color = Sample.read(source, 4 &* i &+ c)
        let value = (isStraight ? color * alpha : color) + background[c] * (1 - alpha)
        Sample.write(value, destination, 4 &* i &+ c)
      }
      Sample.write(1, destination, 4 &* i &+ 3)
    }
  }
}
