// SPDX-License-Identifier: Apache-2.0

/// One pixel as it lies in memory: red in the lowest byte, then green, blue and alpha.
struct Pixel: Equatable {
  var bits: UInt32

  /// "The decoder and encoder start with {r: 0, g: 0, b: 0, a: 255} as the previous pixel value."
  static let start = Pixel(bits: 0xFF00_0000)

  /// `(r * 3 + g * 5 + b * 7 + a * 11) % 64`, the pixel's place among the seen ones.
  ///
  /// Red and blue in the lower half, green and alpha in the upper one: one multiplication brings all four products to
  /// bit 56, and nothing below them is large enough to carry into it.
  var place: Int {
    let spread = (UInt64(bits) << 32 | UInt64(bits)) & 0xFF00_FF00_00FF_00FF
    return Int(truncatingIfNeeded: (spread &* 0x0300_0700_0005_000B) >> 56 & 63)
  }

  /// The pixel with differences added, which wrap around: 1 − 2 is 255.
  func adding(red: UInt32, green: UInt32, blue: UInt32) -> Pixel {
    let redBlue = (bits & 0x00FF_00FF) &+ (red & 0xFF | (blue & 0xFF) << 16)
    let greenAlpha = (bits & 0xFF00_FF00) &+ (green & 0xFF) << 8
    // What green carries into alpha's neighbour is cut off by the mask; alpha is taken from the pixel itself.
    return Pixel(bits: redBlue & 0x00FF_00FF | greenAlpha & 0x0000_FF00 | bits & 0xFF00_0000)
  }

  /// One channel, 0 for red to 3 for alpha.
  subscript(channel: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: bits >> (8 * channel)) }
}

/// The tags of the six chunk kinds; the ones of two bits leave six for a value.
enum Tag {
  static let index: UInt8 = 0x00
  static let diff: UInt8 = 0x40
  static let luma: UInt8 = 0x80
  static let run: UInt8 = 0xC0
  static let rgb: UInt8 = 0xFE
  static let rgba: UInt8 = 0xFF
}
