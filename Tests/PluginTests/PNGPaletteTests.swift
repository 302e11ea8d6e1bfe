// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// Animations of few colors, in PNG.
@Suite(.needs("PNG")) struct PNGPaletteTests {
  private static let size = Size(width: 40, height: 40)
  private static let paletteType: UInt8 = 3
  private static let rgbType: UInt8 = 2
  private static let grayType: UInt8 = 0

  /// A frame of which every place has a color of so many.
  private static func frame(colors: Int, _ number: (_ x: Int, _ y: Int) -> Int) throws -> Frame {
    let pixels = try PixelBuffer(size: size, format: .rgb8, alpha: .opaque)
    for y in 0..<size.height {
      let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
      for x in 0..<size.width {
        let color = number(x, y) % colors
        row[3 * x] = UInt8(color & 255)
        row[3 * x + 1] = UInt8(255 - color & 255)
        row[3 * x + 2] = UInt8(color >> 8 * 200)
      }
    }
    return Frame(pixels: pixels, delay: .milliseconds(40))
  }

  /// Every other column changes, the others stay.
  private static func changing(colors: Int) throws -> Image {
    Image(
      frames: try (0..<5).map { step in
        try frame(colors: colors) { x, y in y * size.width + x + (x % 2 == 0 ? 17 * step : 0) }
      })
  }

  /// A box of a color of its own goes over a ground, which comes back behind it.
  private static func walking(colors: Int) throws -> Image {
    Image(
      frames: try (0..<5).map { step in
        try frame(colors: colors) { x, y in
          let isBox = (4..<12).contains(y) && (6 * step..<6 * step + 9).contains(x) && (x + y) % 3 != 0
          return isBox ? colors - 1 : (y * size.width + x) % (colors - 1)
        }
      })
  }

  private static func check(_ image: Image, isType type: UInt8, hasTransparency: Bool) throws {
    let bytes = try EncodingPictures.registry.encode(image, as: .png, options: EncodingPictures.lossless)
    // IHDR's color type is behind signature, length, name, sides, and depth.
    #expect(bytes[25] == type)
    let name = Array("tRNS".utf8)
    #expect(bytes.indices.contains { bytes[$0...].starts(with: name) } == hasTransparency)
    let found = try EncodingPictures.registry.decode(.bytes(bytes))
    let layout = PixelLayout(.rgb8, .opaque)
    #expect(found.frames.count == image.frames.count)
    for (one, other) in zip(found.frames, image.frames) {
      #expect(
        EncodingPictures.rows(try one.pixels.converted(to: layout)) == EncodingPictures.rows(other.pixels))
    }
  }

  @Test func aPaletteWithRoomHasATransparentColor() throws {
    try Self.check(Self.changing(colors: 255), isType: Self.paletteType, hasTransparency: true)
    try Self.check(Self.walking(colors: 255), isType: Self.paletteType, hasTransparency: true)
  }

  @Test func aFullPaletteDoesWithoutATransparentColor() throws {
    try Self.check(Self.changing(colors: 256), isType: Self.paletteType, hasTransparency: false)
    try Self.check(Self.walking(colors: 256), isType: Self.paletteType, hasTransparency: false)
  }

  /// Gray of more than 16 amounts is stored as gray, of fewer as indexes of 4 bits; a profile of RGB needs RGB or a palette.
  @Test func grayInRGBIsStoredAsGray() throws {
    func gray(_ amounts: Int) throws -> Image {
      let pixels = try PixelBuffer(size: Self.size, format: .rgb8, alpha: .opaque)
      for y in 0..<Self.size.height {
        let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
        for x in 0..<Self.size.width {
          let amount = (y * Self.size.width + x) % amounts * 255 / (amounts - 1)
          for channel in 0..<3 { row[3 * x + channel] = UInt8(amount) }
        }
      }
      return Image(pixels)
    }
    for amounts in [17, 200, 256] {
      try Self.check(try gray(amounts), isType: Self.grayType, hasTransparency: false)
    }
    try Self.check(try gray(16), isType: Self.paletteType, hasTransparency: false)
    var described = try gray(200)
    described.metadata[.icc] = MatrixProfile.displayP3.bytes
    try Self.check(described, isType: Self.paletteType, hasTransparency: false)
    let frames = try (2..<5).map { Frame(pixels: try gray(50 * $0).pixels, delay: .milliseconds(40)) }
    try Self.check(Image(frames: frames), isType: Self.grayType, hasTransparency: false)
  }

  @Test func moreColorsAreStoredAsTheyAre() throws {
    try Self.check(Self.changing(colors: 257), isType: Self.rgbType, hasTransparency: true)
    try Self.check(Self.walking(colors: 257), isType: Self.rgbType, hasTransparency: true)
  }

  /// The transparent color stands for transparent pixels too: it cannot be done without.
  @Test func pixelsThatBecomeTransparentAreNotFilled() throws {
    let layout = PixelLayout(.rgba8, .straight)
    let image = Image(
      frames: try Self.changing(colors: 256).frames.enumerated().map { index, frame in
        let pixels = try frame.pixels.converted(to: layout)
        if index == 2 { pixels.row(20).initializeMemory(as: UInt8.self, repeating: 0, count: 4 * 30) }
        return Frame(pixels: pixels, delay: frame.delay)
      })
    let bytes = try EncodingPictures.registry.encode(image, as: .png, options: EncodingPictures.lossless)
    #expect(bytes[25] == Self.rgbType)
    let found = try EncodingPictures.registry.decode(.bytes(bytes))
    for (one, other) in zip(found.frames, image.frames) {
      #expect(EncodingPictures.rows(try one.pixels.converted(to: layout)) == EncodingPictures.rows(other.pixels))
    }
  }
}
