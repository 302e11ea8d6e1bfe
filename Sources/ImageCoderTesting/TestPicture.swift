// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// Pictures to write.
enum TestPicture {
  static let size = Size(width: 48, height: 36)

  /// A smooth picture in any integer layout.
  ///
  /// - Parameter phase: Pictures of different phases differ everywhere.
  static func smooth(_ format: PixelFormat, _ alpha: AlphaMode, phase: Int = 0) throws(CoderError) -> PixelBuffer {
    let buffer = try PixelBuffer(size: size, format: format, alpha: alpha)
    for y in 0..<size.height {
      for x in 0..<size.width {
        for channel in 0..<format.channelCount {
          let isAlpha = format.hasAlpha && channel == format.channelCount - 1
          let sample = isAlpha ? (buffer.alpha == .opaque ? 65_535 : 65_535 - x * 500) : wave(x, y, channel, phase)
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

  /// Few colours, so that a palette holds them.
  static func flat(_ red: UInt8, _ green: UInt8, _ blue: UInt8) throws(CoderError) -> PixelBuffer {
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

  private static func wave(_ x: Int, _ y: Int, _ channel: Int, _ phase: Int) -> Int {
    let slopes = [(900, 300), (200, 1_100), (500, 500)]
    let (across, down) = slopes[channel % 3]
    return (x * across + y * down + phase * 9_000) % 131_072 > 65_535
      ? 131_071 - (x * across + y * down + phase * 9_000) % 131_072
      : (x * across + y * down + phase * 9_000) % 131_072
  }
}
