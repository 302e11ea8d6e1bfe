// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The 256 pixels that indexes stand for, ready to be stored.
///
/// - Format: GIF89a §19, Global Color Table; §21, Local Color Table.
struct GIFPalette {
  /// Bytes in memory order, four each; with `rgb8` the fourth is ignored.
  let pixels: [UInt32]

  /// - Parameters:
  ///   - file: All bytes that are there.
  ///   - count: Colors, 0 when the image has no palette at all.
  ///   - transparentIndex: Its pixels are 0.
  /// - Throws: ``CoderError/Code/truncated`` when the file ends before the palette does.
  init(
    _ file: ByteReader, at offset: Int, count: Int, transparentIndex: UInt8?, format: PixelFormat
  ) throws(CoderError) {
    // An index after the palette's end shows black.
    var pixels = [UInt32](repeating: Self.pixel(0, 0, 0, as: format), count: 256)
    let colors = [UInt8](copying: try file.bytes(at: offset, count: 3 * min(count, 256), "a palette"))
    for index in 0..<colors.count / 3 {
      pixels[index] = Self.pixel(colors[3 * index], colors[3 * index + 1], colors[3 * index + 2], as: format)
    }
    // GIF89a §21: without any palette, one of which the first two entries are black and white.
    if count == 0 { pixels[1] = Self.pixel(255, 255, 255, as: format) }
    if let transparentIndex { pixels[Int(transparentIndex)] = 0 }
    self.pixels = pixels
  }

  private static func pixel(_ red: UInt8, _ green: UInt8, _ blue: UInt8, as format: PixelFormat) -> UInt32 {
    let (first, third) = format == .bgra8 ? (blue, red) : (red, blue)
    return (UInt32(first) | UInt32(green) << 8 | UInt32(third) << 16 | 0xFF00_0000).littleEndian
  }
}

/// Turns indexes into pixels.
struct IndexExpander {
  private let palette: UnsafePointer<UInt32>
  private let bytesPerPixel: Int

  /// - Parameter palette: 256 pixels, valid as long as the expander.
  init(palette: UnsafePointer<UInt32>, format: PixelFormat) {
    self.palette = palette
    bytesPerPixel = format.bytesPerPixel
  }

  /// Writes the first `count` pixels of a row, and no byte after them.
  @inline(__always)
  func expand(_ indexes: UnsafePointer<UInt8>, count: Int, to row: UnsafeMutableRawPointer) {
    guard count > 0 else { return }
    if bytesPerPixel == 4 {
      for pixel in 0..<count {
        row.storeBytes(of: palette[Int(indexes[pixel])], toByteOffset: 4 &* pixel, as: UInt32.self)
      }
    } else {
      // Each store of four bytes is mended by the next one; the last pixel takes three single bytes.
      for pixel in 0..<count &- 1 {
        row.storeBytes(of: palette[Int(indexes[pixel])], toByteOffset: 3 &* pixel, as: UInt32.self)
      }
      let last = palette[Int(indexes[count &- 1])].littleEndian
      for channel in 0..<3 {
        let byte = UInt8(truncatingIfNeeded: last >> UInt32(8 &* channel))
        row.storeBytes(of: byte, toByteOffset: 3 &* (count &- 1) &+ channel, as: UInt8.self)
      }
    }
  }
}
