// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderPlugin

/// Pixels of 16 or 32 bits whose channels are where masks say.
final class MaskedPixels {
  private let channels: [ChannelMask]
  private let format: PixelFormat
  /// For each channel, what a value of its mask becomes: a sample at its place in a pixel of four bytes, or one of 16
  /// bits.
  private let bytes: [LookupTable<UInt32>]
  private let words: [LookupTable<UInt16>]
  /// What each pixel of 16 bits becomes, of a picture so large that it is worth the time to make.
  private var pixels16: LookupTable<UInt32>?

  private static let manyPixels = 1 << 17

  /// - Parameters:
  ///   - bits: Of a pixel.
  ///   - count: Pixels of the picture.
  init(_ masks: PixelMasks, bits: Int, count: Int, format: PixelFormat, hasAlpha: Bool) {
    self.format = format
    channels = [masks.red, masks.green, masks.blue, hasAlpha ? masks.alpha : 0].map(ChannelMask.init)
    let missing: [UInt16] = [0, 0, 0, .max]
    if format == .rgba16 {
      words = zip(channels, missing).map { LookupTable($0.words(missing: $1)) }
      bytes = []
    } else {
      let places: [UInt32] = format == .bgra8 ? [16, 8, 0, 24] : [0, 8, 16, 24]
      bytes = zip(channels, zip(places, missing)).map { channel, fixed in
        LookupTable(channel.bytes(shiftedBy: fixed.0, missing: UInt32(fixed.1 >> 8)))
      }
      words = []
    }
    guard bits == 16, format != .rgba16, count >= Self.manyPixels else { return }
    let all = (0..<(1 << 16)).map { UInt16(truncatingIfNeeded: $0) }
    let table = LookupTable([UInt32](repeating: 0, count: all.count))
    all.withUnsafeBytes { pixels in
      guard let base = pixels.baseAddress else { return }
      unpackBytes(base, of: UInt16.self, table.base, all.count, isOpaque: false)
    }
    pixels16 = table
  }

  func unpack<Pixel: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ source: UnsafeRawPointer, of type: Pixel.Type, _ destination: UnsafeMutableRawPointer, _ count: Int
  ) {
    if let table = pixels16?.base {
      for i in 0..<count {
        let color = table[Int(source.loadUnaligned(fromByteOffset: i &* 2, as: UInt16.self))]
        if format == .rgb8 {
          PixelBytes.put3(color, destination, i &* 3)
        } else {
          PixelBytes.put(color, destination, i &* 4)
        }
      }
      return
    }
    switch format {
    case .rgba16: unpackWords(source, of: type, destination, count)
    case .rgb8: unpackBytes(source, of: type, destination, count, isOpaque: true)
    default: unpackBytes(source, of: type, destination, count, isOpaque: false)
    }
  }

  @inline(__always) private func unpackBytes<Pixel: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ source: UnsafeRawPointer, of type: Pixel.Type, _ destination: UnsafeMutableRawPointer, _ count: Int,
    isOpaque: Bool
  ) {
    let (red, green, blue, alpha) = (channels[0], channels[1], channels[2], channels[3])
    let (r, g, b, a) = (bytes[0].base, bytes[1].base, bytes[2].base, bytes[3].base)
    for i in 0..<count {
      let pixel = UInt32(source.loadUnaligned(fromByteOffset: i &* MemoryLayout<Pixel>.size, as: Pixel.self))
      let color =
        r[Int((pixel & red.mask) &>> red.shift)] | g[Int((pixel & green.mask) &>> green.shift)]
        | b[Int((pixel & blue.mask) &>> blue.shift)]
      if isOpaque {
        PixelBytes.put3(color, destination, i &* 3)
      } else {
        PixelBytes.put(color | a[Int((pixel & alpha.mask) &>> alpha.shift)], destination, i &* 4)
      }
    }
  }

  private func unpackWords<Pixel: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ source: UnsafeRawPointer, of type: Pixel.Type, _ destination: UnsafeMutableRawPointer, _ count: Int
  ) {
    let out = destination.assumingMemoryBound(to: UInt16.self)
    for i in 0..<count {
      let pixel = UInt32(source.loadUnaligned(fromByteOffset: i &* MemoryLayout<Pixel>.size, as: Pixel.self))
      for c in 0..<4 {
        let channel = channels[c]
        out[i &* 4 &+ c] = words[c].base[Int((pixel & channel.mask) &>> channel.shift)]
      }
    }
  }
}

/// Pixels of 64 bits, as GDI+ has them: linear samples of the colors of sRGB, with 13 bits after the point.
///
/// They are delivered with the transfer function of sRGB, as every other bitmap's are; what is below 0 or above 1 is
/// clipped.
final class LinearPixels {
  private static let one = 8_192
  private let colors: LookupTable<UInt16>
  private let alphas: LookupTable<UInt16>

  init() {
    // IEC 61966-2-1, section 5.2.
    colors = LookupTable(
      (0...Self.one).map { value in
        let linear = Double(value) / Double(Self.one)
        let encoded = linear <= 0.003_130_8 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055
        return UInt16(min(max((encoded * 65_535).rounded(), 0), 65_535))
      })
    alphas = LookupTable((0...Self.one).map { UInt16(truncatingIfNeeded: ($0 * 131_070 + Self.one) / (2 * Self.one)) })
  }

  func unpack(_ source: UnsafeRawPointer, _ format: PixelFormat, _ destination: UnsafeMutableRawPointer, _ count: Int) {
    @inline(__always) func sample(_ pixel: Int, _ channel: Int, _ table: UnsafePointer<UInt16>) -> UInt16 {
      let stored = source.loadUnaligned(fromByteOffset: pixel &* 8 &+ channel &* 2, as: Int16.self)
      return table[min(max(Int(stored), 0), Self.one)]
    }
    let isSwapped = format == .bgra8
    for i in 0..<count {
      let (blue, green, red) = (sample(i, 0, colors.base), sample(i, 1, colors.base), sample(i, 2, colors.base))
      let alpha = sample(i, 3, alphas.base)
      if format == .rgba16 {
        let out = destination.assumingMemoryBound(to: UInt16.self) + i &* 4
        (out[0], out[1], out[2], out[3]) = (red, green, blue, alpha)
      } else {
        let (first, third) = isSwapped ? (blue, red) : (red, blue)
        let low = Self.byte(first) | Self.byte(green) << 8
        PixelBytes.put(low | Self.byte(third) << 16 | Self.byte(alpha) << 24, destination, i &* 4)
      }
    }
  }

  /// 16 bits become 8, to the nearest.
  private static func byte(_ sample: UInt16) -> UInt32 { (UInt32(sample) &* 255 &+ 32_895) >> 16 }
}
