// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// Animations of more than 256 colors in PNG, whose pixels are opaque or transparent: a color that nothing else has stands
/// for the transparent ones.
@Suite(.needs("PNG")) struct PNGColorKeyTests {
  private static let size = Size(width: 40, height: 40)
  private static let rgbType: UInt8 = 2
  private static let rgbaType: UInt8 = 6
  private static let opaque: UInt32 = 0xFF00_0000

  /// - Parameter pixel: Red in the lowest byte, alpha in the highest.
  private static func animation(
    _ format: PixelFormat = .rgba8, _ pixel: (_ x: Int, _ y: Int, _ step: Int) -> UInt32
  ) throws -> Image {
    let layout = PixelLayout(.rgba8, .straight)
    let frames = try (0..<4).map { step in
      let pixels = try PixelBuffer(size: size, format: .rgba8, alpha: .straight)
      for y in 0..<size.height {
        let row = pixels.row(y).assumingMemoryBound(to: UInt32.self)
        for x in 0..<size.width { row[x] = pixel(x, y, step).littleEndian }
      }
      return Frame(
        pixels: format == .rgba8 ? pixels : try pixels.converted(to: PixelLayout(format, layout.alpha)),
        delay: .milliseconds(40))
    }
    return Image(frames: frames)
  }

  /// Another color at every place of every frame, none of them black.
  private static func color(_ x: Int, _ y: Int, _ step: Int) -> UInt32 {
    UInt32(1 + x + size.width * y + 1600 * step) << 4 | opaque
  }

  /// Encodes, and expects the same pixels with the same colors behind alpha.
  ///
  /// - Returns: The samples of tRNS, or nil.
  private static func key(_ image: Image, isType type: UInt8) throws -> [UInt8]? {
    let bytes = try EncodingPictures.registry.encode(image, as: .png, options: EncodingPictures.lossless)
    #expect(bytes[25] == type)
    let found = try EncodingPictures.registry.decode(.bytes(bytes))
    #expect(found.frames.count == image.frames.count)
    let layout = PixelLayout(.rgba8, .straight)
    for (one, other) in zip(found.frames, image.frames) {
      let (read, written) = (try one.pixels.converted(to: layout), try other.pixels.converted(to: layout))
      #expect(EncodingPictures.rows(read) == EncodingPictures.rows(written))
    }
    guard let start = bytes.firstRange(of: Array("tRNS".utf8))?.upperBound else { return nil }
    return Array(bytes[start..<start + 6])
  }

  @Test func opaquePixelsNeedNoKey() throws {
    #expect(try Self.key(Self.animation { Self.color($0, $1, $2) }, isType: Self.rgbType) == nil)
  }

  /// Every third pixel of later frames is that of the first.
  @Test(arguments: [PixelFormat.rgba8, .bgra8]) func pixelsThatStayHaveAKey(_ format: PixelFormat) throws {
    let image = try Self.animation(format) { x, y, step in Self.color(x, y, (x + y) % 3 == 0 ? 0 : step) }
    #expect(try Self.key(image, isType: Self.rgbType) == [0, 0, 0, 0, 0, 0])
  }

  /// The first color that is free is then 2, of which red has all.
  @Test func theKeyIsAColorThatNothingHas() throws {
    let image = try Self.animation { x, y, step in
      switch (x, y) {
      case (0, 0): Self.opaque
      case (1, 0): Self.opaque | 1
      default: Self.color(x, y, (x + y) % 3 == 0 ? 0 : step)
      }
    }
    #expect(try Self.key(image, isType: Self.rgbType) == [0, 2, 0, 0, 0, 0])
  }

  @Test func transparentPixelsHaveAKey() throws {
    let image = try Self.animation { x, y, step in x < 10 + step ? 0 : Self.color(x, y, step) }
    #expect(try Self.key(image, isType: Self.rgbType) == [0, 0, 0, 0, 0, 0])
  }

  /// Black would be transparent, and any other key would be seen behind the transparent pixels of the first frame.
  @Test func colorsBehindAlphaStay() throws {
    let image = try Self.animation { x, y, step in
      x < 10 ? 0 : x == 20 && step == 3 ? Self.opaque : Self.color(x, y, step)
    }
    #expect(try Self.key(image, isType: Self.rgbaType) == nil)
  }

  @Test func partialAlphaStays() throws {
    let image = try Self.animation { x, y, step in
      x == 39 && y == 39 && step == 3 ? 0x80FF_FFFF : Self.color(x, y, step)
    }
    #expect(try Self.key(image, isType: Self.rgbaType) == nil)
  }

  /// Noise of so many grays, none of them black.
  private static func noise(_ x: Int, _ y: Int, of count: UInt32) -> UInt32 {
    let mixed = UInt32(truncatingIfNeeded: x &* 7919 &+ y &* 104_729) &* 2_654_435_761
    return (1 + mixed >> 8 % count) &* 0x01_0101 | opaque
  }

  /// How frames are drawn, of fcTL (PNG Third Edition §11.3.6.2): 0 replaces, 1 draws over.
  private static func blends(_ image: Image) throws -> [UInt8] {
    let bytes = try EncodingPictures.registry.encode(image, as: .png, options: EncodingPictures.lossless)
    let name = Array("fcTL".utf8)
    let found = try EncodingPictures.registry.decode(.bytes(bytes))
    for (one, other) in zip(found.frames, image.frames) {
      #expect(EncodingPictures.rows(one.pixels) == EncodingPictures.rows(other.pixels))
    }
    return bytes.indices.dropLast(30).filter { bytes[$0...].starts(with: name) }.map { bytes[$0 + 4 + 25] }
  }

  /// A plain picture after noise has the color of half of it: holes there would be noise.
  @Test(arguments: [false, true]) func scatteredHolesAreFilled(_ hasManyColors: Bool) throws {
    let image = try Self.animation { x, y, step in
      guard step != 1 else { return Self.noise(0, 0, of: 1) }
      return hasManyColors && x >= 20 ? Self.color(x, y, step) : Self.noise(x, y, of: 2)
    }
    #expect(try Self.blends(image)[1] == 0)
  }

  /// Noise that stays but for two corners is not written again.
  @Test(arguments: [200, 250_000] as [UInt32]) func whatStaysIsLeftOut(_ colors: UInt32) throws {
    let image = try Self.animation { x, y, step in
      (x, y) == (0, 0) || (x, y) == (39, 39) ? Self.opaque | UInt32(step + 1) : Self.noise(x, y, of: colors)
    }
    #expect(try Self.blends(image).dropFirst().allSatisfy { $0 == 1 })
  }
}
