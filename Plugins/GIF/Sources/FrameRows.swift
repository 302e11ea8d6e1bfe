// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A frame's rows as they are written: opaque pixels and fully transparent ones.
///
/// GIF has no partial transparency: alpha of 128 and more counts as opaque.
struct FrameRows {
  let size: Size
  private let layout: PixelLayout
  private let base: UnsafeRawPointer
  private let stride: Int

  init(_ view: PixelView) {
    size = view.size
    layout = view.layout
    base = view.base
    stride = view.stride
  }

  /// Pixels that ``load(_:into:)`` has written, one row after the other.
  init(loaded pixels: UnsafePointer<UInt32>, size: Size) {
    self.size = size
    layout = PixelLayout(.rgba8, .straight)
    base = UnsafeRawPointer(pixels)
    stride = 4 * size.width
  }

  /// Writes row `y`: red in the low byte, 255 in the high one, or 0 for a transparent pixel.
  func load(_ y: Int, into row: UnsafeMutablePointer<UInt32>) {
    let source = base + y * stride
    switch layout.format {
    case .gray8:
      for x in 0..<size.width {
        row[x] = UInt32(source.load(fromByteOffset: x, as: UInt8.self)) &* 0x01_0101 | 0xFF00_0000
      }
    case .rgb8:
      for x in 0..<size.width {
        let pixel = source + 3 &* x
        row[x] =
          UInt32(pixel.load(as: UInt8.self)) | UInt32(pixel.load(fromByteOffset: 1, as: UInt8.self)) &<< 8
          | UInt32(pixel.load(fromByteOffset: 2, as: UInt8.self)) &<< 16 | 0xFF00_0000
      }
    default:
      let ignoresAlpha: UInt32 = layout.alpha == .opaque ? 0xFF00_0000 : 0
      let swaps = layout.format == .bgra8
      for x in 0..<size.width {
        var pixel = UInt32(littleEndian: source.loadUnaligned(fromByteOffset: 4 &* x, as: UInt32.self)) | ignoresAlpha
        if swaps { pixel = pixel & 0xFF00_FF00 | pixel &>> 16 & 0xFF | (pixel & 0xFF) &<< 16 }
        row[x] = pixel >= 0x8000_0000 ? pixel | 0xFF00_0000 : 0
      }
    }
  }

  /// Whether some pixel is neither opaque nor fully transparent.
  func hasPartialAlpha() -> Bool {
    guard layout.format.hasAlpha, layout.alpha != .opaque else { return false }
    for y in 0..<size.height {
      let source = base + y * stride
      for x in 0..<size.width {
        let alpha = source.load(fromByteOffset: 4 &* x &+ 3, as: UInt8.self)
        if alpha != 0, alpha != 255 { return true }
      }
    }
    return false
  }
}
