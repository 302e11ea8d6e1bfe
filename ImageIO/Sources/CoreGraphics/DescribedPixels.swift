// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  import Foundation
  package import ImageCodersBuiltIn

  /// Pixels in memory, as a caller describes them.
  package struct DescribedPixels {
    private enum Kind {
      case gray(bits: Int)
      case words(bytes: Int)
      case samples(count: Int, bytes: Int, isFloat: Bool)
    }

    private let kind: Kind
    private let info: CGBitmapInfo
    private let isGray: Bool

    /// Nil for a description that contradicts itself, and for a layout that is not read.
    package init?(bitsPerComponent: Int, bitsPerPixel: Int, space: CGColorSpace?, info: CGBitmapInfo) {
      self.info = info
      let isFloat = info.contains(.floatComponents)
      switch (space?.model, bitsPerComponent, bitsPerPixel) {
      case (.monochrome, 1, 1), (.monochrome, 2, 2), (.monochrome, 4, 4), (.monochrome, 8, 8):
        guard info.alpha == .none, !isFloat else { return nil }
        kind = .gray(bits: bitsPerComponent)
      case (.monochrome, 8, 16), (.monochrome, 16, 16), (.monochrome, 16, 32):
        let count = bitsPerPixel / bitsPerComponent
        guard (count == 2) == [.last, .premultipliedLast].contains(info.alpha), !isFloat else { return nil }
        guard count == 2 || info.alpha == .none else { return nil }
        kind = .samples(count: count, bytes: bitsPerComponent / 8, isFloat: false)
      case (.rgb, 8, 24):
        guard info.alpha == .none, !isFloat else { return nil }
        kind = .samples(count: 3, bytes: 1, isFloat: false)
      case (.rgb, 8, 32):
        guard info.alpha != .none, info.alpha != .alphaOnly, !isFloat else { return nil }
        kind = .words(bytes: 1)
      case (.rgb, 16, 48):
        guard info.alpha == .none, !isFloat else { return nil }
        kind = .samples(count: 3, bytes: 2, isFloat: false)
      case (.rgb, 16, 64), (.rgb, 32, 128):
        guard [.last, .premultipliedLast, .noneSkipLast].contains(info.alpha), bitsPerComponent == 16 || isFloat else {
          return nil
        }
        kind = .samples(count: 4, bytes: bitsPerComponent / 8, isFloat: isFloat)
      default: return nil
      }
      isGray = space?.model == .monochrome
    }

    /// Whether the order of bytes is one that is read.
    package var isRead: Bool {
      switch kind {
      case .gray: true
      case .words: [.orderDefault, .order32Big, .order32Little].contains(info.byteOrder)
      case .samples(_, let bytes, _):
        switch bytes {
        case 1: info.byteOrder == .orderDefault
        case 2: [.orderDefault, .order16Big, .order16Little].contains(info.byteOrder)
        default: [.orderDefault, .order32Big, .order32Little].contains(info.byteOrder)
        }
      }
    }

    private var alpha: AlphaMode {
      info.alpha.isOpaque ? .opaque : [.last, .first].contains(info.alpha) ? .straight : .premultiplied
    }

    /// The pixels; nil if there is no memory for them.
    ///
    /// - Parameter data: As many bytes as the size and the stride need; the caller has checked that.
    package func read(_ data: Data, size: Size, stride: Int) -> PixelBuffer? {
      let bytes = [UInt8](data)
      switch kind {
      case .gray(8): return buffer(bytes, size, stride: stride, format: .gray8)
      case .gray(let bits):
        return buffer(Self.unpacked(bytes, size, stride: stride, bits: bits), size, stride: size.width, format: .gray8)
      case .words:
        var words = bytes
        let order = Self.order(of: info)
        for y in 0..<size.height {
          for x in 0..<size.width {
            let place = y * stride + 4 * x
            for channel in 0..<4 { words[place + channel] = bytes[place + order[channel]] }
            if alpha == .opaque { words[place + 3] = 255 }
          }
        }
        return buffer(words, size, stride: stride, format: .rgba8)
      case .samples(let count, let width, let isFloat):
        var samples = bytes
        // Core Graphics takes samples of several bytes with the high one first, unless it is told otherwise.
        if width > 1, info.byteOrder != .order16Little, info.byteOrder != .order32Little {
          for y in 0..<size.height {
            for sample in 0..<size.width * count {
              let start = y * stride + sample * width
              samples[start..<start + width].reverse()
            }
          }
        }
        let format: PixelFormat =
          switch (count, width, isFloat) {
          case (1, 1, _): .gray8
          case (2, 1, _): .grayAlpha8
          case (1, _, _): .gray16
          case (2, _, _): .grayAlpha16
          case (3, 1, _): .rgb8
          case (3, _, _): .rgb16
          case (_, 2, false): .rgba16
          case (_, 2, true): .rgbaFloat16
          default: .rgbaFloat32
          }
        guard !(format.bytesPerPixel != count * width) else { return nil }
        return buffer(samples, size, stride: stride, format: format)
      }
    }

    private func buffer(_ bytes: [UInt8], _ size: Size, stride: Int, format: PixelFormat) -> PixelBuffer? {
      var bytes = bytes
      // The last row of the caller may end with its pixels.
      let missing = stride * size.height - bytes.count
      if missing > 0 { bytes += [UInt8](repeating: 0, count: missing) }
      return try? PixelBuffer(copying: bytes, size: size, format: format, alpha: alpha, stride: stride)
    }

    private static func unpacked(_ bytes: [UInt8], _ size: Size, stride: Int, bits: Int) -> [UInt8] {
      let most = (1 << bits) - 1
      var levels: [UInt8] = []
      levels.reserveCapacity(size.width * size.height)
      for y in 0..<size.height {
        for x in 0..<size.width {
          let byte = Int(bytes[y * stride + x * bits / 8])
          let level = byte >> (8 - bits - x * bits % 8) & most
          levels.append(UInt8(level * 255 / most))
        }
      }
      return levels
    }

    /// Where red, green, blue and alpha are in the four bytes of a pixel.
    package static func order(of info: CGBitmapInfo) -> [Int] {
      let isLittle = info.byteOrder == .order32Little
      return info.alpha.isFirst
        ? (isLittle ? [2, 1, 0, 3] : [1, 2, 3, 0]) : (isLittle ? [3, 2, 1, 0] : [0, 1, 2, 3])
    }
  }
#endif
