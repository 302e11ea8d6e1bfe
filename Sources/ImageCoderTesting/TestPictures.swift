// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// Pictures to write, all of one size.
struct TestPictures: Sendable {
  let size: Size

  /// Pictures of four times the width and height.
  var larger: TestPictures { TestPictures(size: Size(width: size.width * 4, height: size.height * 4)) }

  /// A smooth picture in any integer layout.
  ///
  /// - Parameter bits: Samples of 16 bits are those of fewer bits, spread over 16.
  func smooth(_ format: PixelFormat, _ alpha: AlphaMode, bits: Int = 16) throws(CoderError) -> PixelBuffer {
    let largest = (1 << bits) - 1
    let buffer = try PixelBuffer(size: size, format: format, alpha: alpha)
    for y in 0..<size.height {
      for x in 0..<size.width {
        for channel in 0..<format.channelCount {
          let isAlpha = format.hasAlpha && channel == format.channelCount - 1
          let alpha = buffer.alpha == .opaque ? 65_535 : max(0, 65_535 - x * 500)
          let wide = isAlpha ? alpha : wave(x, y, channel)
          let sample = ((wide >> (16 - bits)) * 65_535 + largest / 2) / largest
          let place = buffer.row(y) + (x * format.channelCount + channel) * format.bytesPerChannel
          if format.bytesPerChannel == 2 {
            place.storeBytes(of: UInt16(sample), as: UInt16.self)
          } else {
            place.storeBytes(of: UInt8(sample >> 8), as: UInt8.self)
          }
        }
      }
    }
    return buffer
  }

  /// Few colors, so that a palette holds them.
  func flat(_ red: UInt8, _ green: UInt8, _ blue: UInt8) throws(CoderError) -> PixelBuffer {
    let buffer = try PixelBuffer(size: size, format: .rgba8, alpha: .straight)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let isMarked = x / 8 == y / 8
        let pixel = isMarked ? (red, green, blue, UInt8(255)) : (blue, red, green, UInt8(255))
        (buffer.row(y) + x * 4).storeBytes(of: pixel, as: (UInt8, UInt8, UInt8, UInt8).self)
      }
    }
    return buffer
  }

  /// Fine structure beside plain areas and hard edges, opaque.
  func rough() throws(CoderError) -> PixelBuffer {
    let buffer = try PixelBuffer(size: size, format: .rgb8, alpha: .opaque)
    var noise: UInt32 = 1
    for y in 0..<size.height {
      for x in 0..<size.width {
        noise = noise &* 1_664_525 &+ 1_013_904_223
        let grain = UInt8(truncatingIfNeeded: noise >> 24)
        let isPlain = (x / 16 + y / 16) % 3 == 0
        let pixel: (UInt8, UInt8, UInt8) =
          isPlain ? (40, 90, 200) : x < y ? (grain, grain / 2 + 64, 255 - grain) : (grain / 8, UInt8(x & 255), 30)
        (buffer.row(y) + x * 3).storeBytes(of: pixel, as: (UInt8, UInt8, UInt8).self)
      }
    }
    return buffer
  }

  /// Few colors without alpha.
  func opaqueFlat() throws(CoderError) -> PixelBuffer {
    let buffer = try PixelBuffer(size: size, format: .rgb8, alpha: .opaque)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let pixel: (UInt8, UInt8, UInt8) = x / 8 == y / 8 ? (250, 20, 90) : (20, 90, 250)
        (buffer.row(y) + x * 3).storeBytes(of: pixel, as: (UInt8, UInt8, UInt8).self)
      }
    }
    return buffer
  }

  /// Black and white.
  func bilevel() throws(CoderError) -> PixelBuffer {
    let buffer = try PixelBuffer(size: size, format: .gray8, alpha: .opaque)
    for y in 0..<size.height {
      for x in 0..<size.width {
        (buffer.row(y) + x).storeBytes(of: (x / 5 + y / 3) % 2 == 0 ? 0 : 255, as: UInt8.self)
      }
    }
    return buffer
  }

  /// Rises to the largest sample and falls again.
  private func wave(_ x: Int, _ y: Int, _ channel: Int) -> Int {
    let slopes = [(900, 300), (200, 1_100), (500, 500)]
    let (across, down) = slopes[channel % 3]
    let way = (x * across + y * down) % 131_072
    return way > 65_535 ? 131_071 - way : way
  }
}
