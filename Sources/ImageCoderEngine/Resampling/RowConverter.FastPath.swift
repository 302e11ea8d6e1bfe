// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

extension RowConverter {
  /// Conversions that decoders and encoders ask for often, each one loop.
  enum FastPath: Sendable {
    /// Three channels become four, opaque.
    case addAlpha(swapping: Bool)
    /// Gray becomes four channels, opaque.
    case replicate
    case replicateWithAlpha
    case replicateToRGB
    /// Four channels become three.
    case dropAlpha(swapping: Bool)
    case swap
    case premultiply(swapping: Bool)
    case unpremultiply(swapping: Bool)
    /// 8 bits become 16, or the other way round, in the same channels.
    case widen(channels: Int)
    case narrow(channels: Int)
    /// Three channels of 16 bits become four, opaque, of 16 bits or 8; or four become three.
    case addAlpha16
    case narrowAddingAlpha(swapping: Bool)
    case dropAlpha16
    /// Floating point of 32 bits becomes that of 16.
    case halve

    init?(from: PixelLayout, to: PixelLayout) {
      let isColor4 = to.format == .rgba8 || to.format == .bgra8
      let keepsAlpha = from.alpha == to.alpha || from.alpha == .opaque
      switch (from.format, to.format) {
      case (.gray8, .gray16), (.grayAlpha8, .grayAlpha16), (.rgb8, .rgb16), (.rgba8, .rgba16):
        guard keepsAlpha else { return nil }
        self = .widen(channels: from.format.channelCount)
        return
      case (.gray16, .gray8), (.grayAlpha16, .grayAlpha8), (.rgb16, .rgb8), (.rgba16, .rgba8):
        guard keepsAlpha else { return nil }
        self = .narrow(channels: from.format.channelCount)
        return
      case (.rgbaFloat32, .rgbaFloat16):
        guard keepsAlpha else { return nil }
        self = .halve
        return
      default: break
      }
      switch from.format {
      case .rgb16 where to.format == .rgba16: self = .addAlpha16
      case .rgb16 where isColor4: self = .narrowAddingAlpha(swapping: to.format == .bgra8)
      case .rgba16 where to.format == .rgb16 && from.alpha != .premultiplied: self = .dropAlpha16
      case .gray8 where isColor4: self = .replicate
      case .gray8 where to.format == .rgb8: self = .replicateToRGB
      case .grayAlpha8 where isColor4 && from.alpha == to.alpha && from.alpha != .opaque: self = .replicateWithAlpha
      case .rgb8 where isColor4: self = .addAlpha(swapping: to.format == .bgra8)
      case .rgba8, .bgra8:
        let isSwapping = isColor4 && from.format != to.format
        switch (from.alpha, to.alpha) {
        case (.straight, .straight), (.premultiplied, .premultiplied), (.opaque, _):
          if isColor4 {
            self = .swap
          } else if to.format == .rgb8 {
            self = .dropAlpha(swapping: from.format == .bgra8)
          } else {
            return nil
          }
        case (.straight, .opaque) where to.format == .rgb8: self = .dropAlpha(swapping: from.format == .bgra8)
        case (.straight, .premultiplied) where isColor4: self = .premultiply(swapping: isSwapping)
        case (.premultiplied, .straight) where isColor4: self = .unpremultiply(swapping: isSwapping)
        default: return nil
        }
      default: return nil
      }
    }

    func convert(_ source: UnsafeRawPointer, into destination: UnsafeMutableRawPointer, count: Int) {
      switch self {
      case .addAlpha(false): Self.addAlpha(source, destination, count: count)
      case .addAlpha(true):
        Self.addAlpha(source, destination, count: count)
        Self.swap(destination, destination, count: count)
      case .replicate: Self.replicate(source, destination, count: count)
      case .replicateWithAlpha: Self.replicateWithAlpha(source, destination, count: count)
      case .replicateToRGB: Self.replicateToRGB(source, destination, count: count)
      case .dropAlpha(let isSwapping): Self.dropAlpha(source, destination, count: count, isSwapping: isSwapping)
      case .swap: Self.swap(source, destination, count: count)
      case .premultiply(let isSwapping): Self.premultiply(source, destination, count: count, isSwapping: isSwapping)
      case .unpremultiply(let isSwapping): Self.unpremultiply(source, destination, count: count, isSwapping: isSwapping)
      case .widen(let channels): Self.widen(source, destination, samples: count * channels)
      case .narrow(let channels): Self.narrow(source, destination, samples: count * channels)
      case .addAlpha16: Self.addAlpha16(source, destination, count: count)
      case .narrowAddingAlpha(let isSwapping):
        Self.narrowAddingAlpha(source, destination, count: count, isSwapping: isSwapping)
      case .dropAlpha16: Self.dropAlpha16(source, destination, count: count)
      case .halve: Self.halve(source, destination, count: count)
      }
    }
  }
}

// Four samples of a pixel are handled as one 32-bit number, least significant byte first in memory, as on every
// machine that Swift runs on.
extension RowConverter.FastPath {
  @inline(__always) private static func pixel(_ row: UnsafeRawPointer, _ index: Int) -> UInt32 {
    row.loadUnaligned(fromByteOffset: index &* 4, as: UInt32.self)
  }

  @inline(__always) private static func put(_ value: UInt32, into row: UnsafeMutableRawPointer, at index: Int) {
    row.storeBytes(of: value, toByteOffset: index &* 4, as: UInt32.self)
  }

  @inline(__always) private static func swapped(_ value: UInt32) -> UInt32 {
    (value & 0xFF00_FF00) | ((value >> 16) & 0xFF) | ((value & 0xFF) << 16)
  }

  private static func halve(_ source: UnsafeRawPointer, _ destination: UnsafeMutableRawPointer, count: Int) {
    for i in 0..<count {
      let pixel = source.loadUnaligned(fromByteOffset: i &* 16, as: SIMD4<Float>.self)
      destination.storeBytes(of: HalfFloat.halves(pixel), toByteOffset: i &* 8, as: SIMD4<UInt16>.self)
    }
  }

  private static func addAlpha(_ source: UnsafeRawPointer, _ destination: UnsafeMutableRawPointer, count: Int) {
    var i = 0
    // Four pixels are three words; the last pixels go one by one, so that nothing beyond the row is read.
    while i &+ 4 <= count {
      let a = source.loadUnaligned(fromByteOffset: i &* 3, as: UInt32.self)
      let b = source.loadUnaligned(fromByteOffset: i &* 3 &+ 4, as: UInt32.self)
      let c = source.loadUnaligned(fromByteOffset: i &* 3 &+ 8, as: UInt32.self)
      put(a | 0xFF00_0000, into: destination, at: i)
      put((a >> 24) | (b << 8) | 0xFF00_0000, into: destination, at: i &+ 1)
      put((b >> 16) | (c << 16) | 0xFF00_0000, into: destination, at: i &+ 2)
      put((c >> 8) | 0xFF00_0000, into: destination, at: i &+ 3)
      i &+= 4
    }
    while i < count {
      let red = UInt32(source.load(fromByteOffset: i &* 3, as: UInt8.self))
      let green = UInt32(source.load(fromByteOffset: i &* 3 &+ 1, as: UInt8.self))
      let blue = UInt32(source.load(fromByteOffset: i &* 3 &+ 2, as: UInt8.self))
      put(red | (green << 8) | (blue << 16) | 0xFF00_0000, into: destination, at: i)
      i &+= 1
    }
  }

  /// A pixel of three samples; of the fourth, which is the next one's first, nothing is used. The last pixel has no next one.
  @inline(__always) private static func three(_ row: UnsafeRawPointer, _ index: Int, of count: Int) -> UInt64 {
    guard index &+ 1 == count else { return row.loadUnaligned(fromByteOffset: index &* 6, as: UInt64.self) }
    let last = UInt64(row.loadUnaligned(fromByteOffset: index &* 6 &+ 4, as: UInt16.self))
    return UInt64(row.loadUnaligned(fromByteOffset: index &* 6, as: UInt32.self)) | last << 32
  }

  private static func addAlpha16(_ source: UnsafeRawPointer, _ destination: UnsafeMutableRawPointer, count: Int) {
    for i in 0..<count {
      destination.storeBytes(
        of: three(source, i, of: count) | 0xFFFF << 48, toByteOffset: i &* 8, as: UInt64.self)
    }
  }

  private static func narrowAddingAlpha(
    _ source: UnsafeRawPointer, _ destination: UnsafeMutableRawPointer, count: Int, isSwapping: Bool
  ) {
    for i in 0..<count {
      func byte(_ channel: Int) -> UInt32 {
        let sample = UInt32(source.loadUnaligned(fromByteOffset: 6 &* i &+ 2 &* channel, as: UInt16.self))
        return (sample &* 255 &+ 32_895) >> 16
      }
      let (red, blue) = (byte(isSwapping ? 2 : 0), byte(isSwapping ? 0 : 2))
      put(red | byte(1) << 8 | blue << 16 | 0xFF00_0000, into: destination, at: i)
    }
  }

  private static func dropAlpha16(_ source: UnsafeRawPointer, _ destination: UnsafeMutableRawPointer, count: Int) {
    for i in 0..<count {
      let pixel = source.loadUnaligned(fromByteOffset: i &* 8, as: UInt64.self)
      destination.storeBytes(of: UInt32(truncatingIfNeeded: pixel), toByteOffset: i &* 6, as: UInt32.self)
      destination.storeBytes(of: UInt16(truncatingIfNeeded: pixel >> 32), toByteOffset: i &* 6 &+ 4, as: UInt16.self)
    }
  }

  private static func replicate(_ source: UnsafeRawPointer, _ destination: UnsafeMutableRawPointer, count: Int) {
    for i in 0..<count {
      let gray = UInt32(source.load(fromByteOffset: i, as: UInt8.self))
      put((gray | (gray << 8)) | (gray << 16) | 0xFF00_0000, into: destination, at: i)
    }
  }

  private static func replicateWithAlpha(
    _ source: UnsafeRawPointer, _ destination: UnsafeMutableRawPointer, count: Int
  ) {
    for i in 0..<count {
      let both = UInt32(source.loadUnaligned(fromByteOffset: i &* 2, as: UInt16.self))
      let gray = both & 0xFF
      put((gray | (gray << 8)) | (both << 16), into: destination, at: i)
    }
  }

  private static func replicateToRGB(
    _ source: UnsafeRawPointer, _ destination: UnsafeMutableRawPointer, count: Int
  ) {
    for i in 0..<count {
      let gray = source.load(fromByteOffset: i, as: UInt8.self)
      destination.storeBytes(of: gray, toByteOffset: i &* 3, as: UInt8.self)
      destination.storeBytes(of: gray, toByteOffset: i &* 3 &+ 1, as: UInt8.self)
      destination.storeBytes(of: gray, toByteOffset: i &* 3 &+ 2, as: UInt8.self)
    }
  }

  private static func dropAlpha(
    _ source: UnsafeRawPointer, _ destination: UnsafeMutableRawPointer, count: Int, isSwapping: Bool
  ) {
    var i = 0
    while i &+ 4 <= count {
      var (a, b, c, d) = (pixel(source, i), pixel(source, i &+ 1), pixel(source, i &+ 2), pixel(source, i &+ 3))
      if isSwapping { (a, b, c, d) = (swapped(a), swapped(b), swapped(c), swapped(d)) }
      let words = ((a & 0xFF_FFFF) | (b << 24), ((b >> 8) & 0xFFFF) | (c << 16), ((c >> 16) & 0xFF) | (d << 8))
      destination.storeBytes(of: words.0, toByteOffset: i &* 3, as: UInt32.self)
      destination.storeBytes(of: words.1, toByteOffset: i &* 3 &+ 4, as: UInt32.self)
      destination.storeBytes(of: words.2, toByteOffset: i &* 3 &+ 8, as: UInt32.self)
      i &+= 4
    }
    while i < count {
      let value = isSwapping ? swapped(pixel(source, i)) : pixel(source, i)
      destination.storeBytes(of: UInt8(truncatingIfNeeded: value), toByteOffset: i &* 3, as: UInt8.self)
      destination.storeBytes(of: UInt8(truncatingIfNeeded: value >> 8), toByteOffset: i &* 3 &+ 1, as: UInt8.self)
      destination.storeBytes(of: UInt8(truncatingIfNeeded: value >> 16), toByteOffset: i &* 3 &+ 2, as: UInt8.self)
      i &+= 1
    }
  }

  private static func swap(_ source: UnsafeRawPointer, _ destination: UnsafeMutableRawPointer, count: Int) {
    for i in 0..<count { put(swapped(pixel(source, i)), into: destination, at: i) }
  }

  /// `color × alpha ÷ 255`, rounded: exact for all bytes.
  @inline(__always) private static func product(_ color: UInt32, _ alpha: UInt32) -> UInt32 {
    let sum = (color & 0xFF) &* alpha &+ 128
    return (sum &+ (sum >> 8)) >> 8
  }

  private static func premultiply(
    _ source: UnsafeRawPointer, _ destination: UnsafeMutableRawPointer, count: Int, isSwapping: Bool
  ) {
    let first: UInt32 = isSwapping ? 16 : 0
    let third: UInt32 = isSwapping ? 0 : 16
    for i in 0..<count {
      let value = pixel(source, i)
      let alpha = value >> 24
      let color = (product(value >> first, alpha), product(value >> 8, alpha), product(value >> third, alpha))
      put(color.0 | (color.1 << 8) | (color.2 << 16) | (alpha << 24), into: destination, at: i)
    }
  }

  private static func unpremultiply(
    _ source: UnsafeRawPointer, _ destination: UnsafeMutableRawPointer, count: Int, isSwapping: Bool
  ) {
    for i in 0..<count {
      let value = isSwapping ? swapped(pixel(source, i)) : pixel(source, i)
      let alpha = value >> 24
      if alpha == 255 {
        put(value, into: destination, at: i)
      } else if alpha == 0 {
        put(0, into: destination, at: i)
      } else {
        // One division for three: dividends are below 2¹⁶ and divisors below 2⁸, so the product with the reciprocal,
        // rounded up, in units of 2⁻³² is too large by less than the smallest step of a quotient.
        let reciprocal = UInt64(UInt32.max / alpha) &+ 1
        func quotient(_ color: UInt32) -> UInt32 {
          let dividend = min(color & 0xFF, alpha) &* 255 &+ alpha / 2
          return UInt32(truncatingIfNeeded: (UInt64(dividend) &* reciprocal) >> 32)
        }
        let color = (quotient(value), quotient(value >> 8), quotient(value >> 16))
        put(color.0 | (color.1 << 8) | (color.2 << 16) | (alpha << 24), into: destination, at: i)
      }
    }
  }

  private static func widen(_ source: UnsafeRawPointer, _ destination: UnsafeMutableRawPointer, samples: Int) {
    for i in 0..<samples {
      let sample = UInt16(source.load(fromByteOffset: i, as: UInt8.self)) &* 257
      destination.storeBytes(of: sample, toByteOffset: 2 &* i, as: UInt16.self)
    }
  }

  private static func narrow(_ source: UnsafeRawPointer, _ destination: UnsafeMutableRawPointer, samples: Int) {
    for i in 0..<samples {
      let sample = UInt32(source.loadUnaligned(fromByteOffset: 2 &* i, as: UInt16.self))
      let byte = UInt8(truncatingIfNeeded: (sample &* 255 &+ 32_895) >> 16)
      destination.storeBytes(of: byte, toByteOffset: i, as: UInt8.self)
    }
  }
}
