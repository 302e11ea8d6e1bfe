// SPDX-License-Identifier: Apache-2.0

import CWebP
import ImageCoderPlugin
import Testing

/// Pictures that libwebp's encoder writes in all the ways that it has.
struct EncodedPicture: Sendable, CustomTestStringConvertible {
  /// What a picture shows: each makes the encoder take other transforms and codes.
  enum Content: Sendable, CaseIterable {
    case noise
    case slopes
    case photograph
    /// Of so many colors.
    case two
    case four
    case sixteen
    case many
    case flat
    /// Rows that come again far below.
    case repeated
  }

  var content: Content
  var size: Size
  var method: Int32 = 4
  var quality: Float = 75
  /// How alpha is stored beside lossy colors: none for a lossless picture.
  var alpha: (compression: Int32, filter: Int32, quality: Int32)?

  var testDescription: String {
    "\(content) \(size) method \(method) quality \(quality) alpha \(alpha.map { "\($0)" } ?? "-")"
  }

  static func noise(_ index: Int) -> UInt8 {
    var value = UInt32(truncatingIfNeeded: index) &* 2_654_435_761
    value ^= value >> 15
    value &*= 0x2c1b_3c6d
    return UInt8(truncatingIfNeeded: value >> 12)
  }

  private func color(_ x: Int, _ y: Int) -> (UInt8, UInt8, UInt8, UInt8) {
    let place = y * size.width + x
    func palette(_ count: Int) -> (UInt8, UInt8, UInt8, UInt8) {
      let index = (Int(Self.noise(x / 3 + y / 2 * 977)) + (x / 40) * 3) % count
      return (Self.noise(index), Self.noise(index + 999), Self.noise(index + 5000), index == 1 ? 100 : 255)
    }
    switch content {
    case .noise: return (Self.noise(place), Self.noise(place + 7_000_001), Self.noise(place * 3), Self.noise(place * 7))
    case .slopes:
      let (red, green) = (UInt8(truncatingIfNeeded: x), UInt8(truncatingIfNeeded: x + y))
      return (red, green, UInt8(truncatingIfNeeded: x * y / 64), UInt8(truncatingIfNeeded: y / 2))
    case .photograph:
      let light = (x * 3 + y * 2) / 7 % 200 + Int(Self.noise(place) % 7)
      return (UInt8(light + 20), UInt8(light), UInt8(light / 2 + Int(Self.noise(place + 1) % 5)), 255)
    case .two: return palette(2)
    case .four: return palette(4)
    case .sixteen: return palette(15)
    case .many: return palette(250)
    case .flat: return (10, 20, 30, 40)
    case .repeated:
      let row = y % 613
      return (Self.noise(row * size.width + x), Self.noise(row * size.width + x + 1), 7, x % 5 == 0 ? 0 : 255)
    }
  }

  /// The file.
  func bytes() throws -> [UInt8] {
    var config = WebPConfig()
    try #require(WebPConfigInit(&config) != 0)
    config.method = method
    config.quality = quality
    config.exact = 1
    if let alpha {
      config.alpha_compression = alpha.compression
      config.alpha_filtering = alpha.filter
      config.alpha_quality = alpha.quality
    } else {
      config.lossless = 1
    }
    var pixels = [UInt8](repeating: 0, count: size.pixelCount * 4)
    pixels.withUnsafeMutableBufferPointer { pixels in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let at = (y * size.width + x) * 4
          (pixels[at], pixels[at + 1], pixels[at + 2], pixels[at + 3]) = color(x, y)
        }
      }
    }
    var picture = WebPPicture()
    try #require(WebPPictureInit(&picture) != 0)
    (picture.width, picture.height, picture.use_argb) = (Int32(size.width), Int32(size.height), 1)
    var writer = WebPMemoryWriter()
    WebPMemoryWriterInit(&writer)
    defer {
      WebPPictureFree(&picture)
      WebPMemoryWriterClear(&writer)
    }
    try #require(WebPPictureImportRGBA(&picture, pixels, Int32(size.width * 4)) != 0)
    picture.writer = WebPMemoryWrite
    let isWritten = withUnsafeMutablePointer(to: &writer) { writer in
      picture.custom_ptr = UnsafeMutableRawPointer(writer)
      return WebPEncode(&config, &picture) != 0
    }
    try #require(isWritten)
    return Array(UnsafeBufferPointer(start: writer.mem, count: writer.size))
  }
}
