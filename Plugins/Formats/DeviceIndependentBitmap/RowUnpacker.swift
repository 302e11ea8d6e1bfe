// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Turns rows as they are stored into rows of pixels.
///
/// A row is one call and one loop.
final class RowUnpacker {
  private let path: Path
  private let format: PixelFormat

  private enum Path {
    case indexes(bits: Int, colors: LookupTable<UInt32>)
    case bgr
    /// Bytes of blue, green, red and alpha, or of something that is no alpha.
    case bgrx(hasAlpha: Bool)
    case masked(MaskedPixels, bits: Int)
    case linear(LinearPixels)
  }

  /// - Parameter hasAlpha: Whether the alpha that pixels have counts; without it every pixel is opaque.
  init(_ bitmap: Bitmap, format: PixelFormat, hasAlpha: Bool) {
    self.format = format
    switch bitmap.header.bitCount {
    case 16, 32:
      let masks = bitmap.masks ?? .bgrx
      if format != .rgba16, bitmap.header.bitCount == 32, masks == .bgrx || masks == .bgra {
        path = .bgrx(hasAlpha: hasAlpha)
      } else {
        let bits = bitmap.header.bitCount
        path = .masked(
          MaskedPixels(masks, bits: bits, count: bitmap.size.pixelCount, format: format, hasAlpha: hasAlpha), bits: bits
        )
      }
    case 24: path = .bgr
    case 64: path = .linear(LinearPixels())
    default:
      let bits = bitmap.header.bitCount
      let isSwapped = format == .rgba8 || format == .rgb8
      let colors = bitmap.colors(1 << min(8, bits)).map { isSwapped ? PixelBytes.swapped($0) : $0 }
      path = .indexes(bits: bits, colors: LookupTable(colors))
    }
  }

  /// For pixels that are made of runs: words of blue, green, red and alpha.
  init(wordsAs format: PixelFormat) {
    self.format = format
    path = .bgrx(hasAlpha: true)
  }

  /// Unpacks a row.
  ///
  /// - Parameters:
  ///   - source: As many bytes as the pixels need, at any address.
  ///   - destination: Room for `count` pixels of the format.
  func unpack(_ source: UnsafeRawPointer, into destination: UnsafeMutableRawPointer, count: Int) {
    switch path {
    case .indexes(let bits, let colors):
      switch format {
      case .gray8: PixelBytes.look(up: source, bits, colors.base, destination, count, bytes: 1)
      case .rgb8: PixelBytes.look(up: source, bits, colors.base, destination, count, bytes: 3)
      default: PixelBytes.look(up: source, bits, colors.base, destination, count, bytes: 4)
      }
    case .bgr:
      switch format {
      case .rgb8: PixelBytes.swapBGR(source, destination, count)
      case .bgra8: PixelBytes.widenBGR(source, destination, count, isSwapping: false)
      default: PixelBytes.widenBGR(source, destination, count, isSwapping: true)
      }
    case .bgrx(let hasAlpha):
      let opaque: UInt32 = hasAlpha ? 0 : 0xFF00_0000
      switch format {
      case .gray8: PixelBytes.firstOfFour(source, destination, count)
      case .rgb8: PixelBytes.narrowBGRX(source, destination, count)
      case .bgra8: PixelBytes.copyBGRX(source, destination, count, opaque)
      default: PixelBytes.swapBGRX(source, destination, count, opaque)
      }
    case .masked(let pixels, let bits):
      if bits == 16 {
        pixels.unpack(source, of: UInt16.self, destination, count)
      } else {
        pixels.unpack(source, of: UInt32.self, destination, count)
      }
    case .linear(let pixels): pixels.unpack(source, format, destination, count)
    }
  }
}
