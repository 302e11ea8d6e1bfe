// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// What the GIF writer makes of many kinds of pictures and animations.
@Suite struct GIFWriterTests {
  private static let gif = ImageFormat.gif
  private static let registry = CoderRegistry(
    searchPath: .only([StagedTree.plugins]),
    preferences: CoderPreferences())

  private static func picture(_ size: Size, _ color: (_ x: Int, _ y: Int) -> UInt32) throws -> PixelBuffer {
    let pixels = try PixelBuffer(size: size, format: .rgba8, alpha: .straight)
    for y in 0..<size.height {
      let row = pixels.row(y).assumingMemoryBound(to: UInt32.self)
      for x in 0..<size.width { row[x] = color(x, y).littleEndian }
    }
    return pixels
  }

  /// One of `count` colors, all different.
  private static func color(_ index: Int, base: Int = 0) -> UInt32 {
    0xFF00_0000 | UInt32(truncatingIfNeeded: (index + base) &* 0x3779B1 & 0xFF_FFFF)
  }

  private static func rows(_ pixels: PixelBuffer) -> [[UInt8]] {
    (0..<pixels.size.height).map { y in pixels.withRow(y) { [UInt8]($0) } }
  }

  private static func frames(_ bytes: [UInt8]) throws -> [[[UInt8]]] {
    var options = DecodeOptions()
    options.pixelFormat = .rgba8
    return try registry.decode(.bytes(bytes), options: options).frames.map { rows($0.pixels) }
  }

  private static func animation(_ pictures: [PixelBuffer]) -> Image {
    Image(
      frames: pictures.map { Frame(pixels: $0, delay: FrameDelay(numerator: 1, denominator: 10)) },
      loopCount: .infinite)
  }

  /// Runs, noise and copies of earlier rows, in images whose code tables fill many times or not at all.
  @Test(arguments: [2, 3, 4, 16, 17, 128, 200, 256], [false, true])
  func stillsOfFewColorsAreExact(_ colors: Int, isInterlaced: Bool) throws {
    var random = SplitMix(seed: UInt64(colors))
    for size in [Size(width: 1, height: 1), Size(width: 7, height: 3), Size(width: 300, height: 211)] {
      var run = (index: 0, left: 0)
      let noisyRows = 40..<90
      let picture = try Self.picture(size) { (x, y) in
        if run.left == 0 || noisyRows.contains(y) {
          run = (random.below(colors), random.below(30))
        } else {
          run.left -= 1
        }
        return Self.color(y % 17 == 3 ? x % colors : run.index)
      }
      var options = EncodeOptions()
      options.isLossless = true
      options.isProgressive = isInterlaced
      let bytes = try Self.registry.encode(Image(picture), as: Self.gif, options: options)
      #expect(try Self.frames(bytes) == [Self.rows(picture)])
    }
  }

  /// Parts that move, holes, and colors that come with later frames.
  @Test(arguments: ["auto", "local"], [8, 60, 200]) func animationsAreExact(_ palette: String, colors: Int) throws {
    var random = SplitMix(seed: UInt64(colors))
    let size = Size(width: 120, height: 90)
    var pictures: [PixelBuffer] = []
    for frame in 0..<12 {
      let noise = (0..<400).map { _ in random.below(colors) }
      pictures.append(
        try Self.picture(size) { (x, y) in
          let (dx, dy) = (x - 8 * frame, y - 20)
          if (0..<20).contains(dx), (0..<20).contains(dy) { return Self.color(noise[20 * dy + dx], base: 40 * frame) }
          if frame > 5, x < 10 { return 0 }
          return Self.color((x / 9 + y / 7) % colors)
        })
    }
    var options = EncodeOptions()
    options.isLossless = true
    options.values["palette"] = .number(palette == "auto" ? 0 : 2)
    let bytes = try Self.registry.encode(Self.animation(pictures), as: Self.gif, options: options)
    #expect(try Self.frames(bytes) == pictures.map(Self.rows))
  }

  /// A frame of 256 colors leaves none for pixels that stay as they were: those get their colors.
  @Test func aFrameOfAllColorsNeedsNoTransparentOne() throws {
    let size = Size(width: 64, height: 64)
    let pictures = try (0..<3).map { frame in
      try Self.picture(size) { (x, y) in Self.color(y < 8 ? x % 16 : (x + 64 * y + frame * (y % 3)) % 256) }
    }
    var options = EncodeOptions()
    options.isLossless = true
    let bytes = try Self.registry.encode(Self.animation(pictures), as: Self.gif, options: options)
    #expect(try Self.frames(bytes) == pictures.map(Self.rows))
  }

  /// The global palette of a file that is too large to wait for gets its last colors at the end.
  @Test func theGlobalPaletteGrowsToTheEnd() throws {
    var random = SplitMix(seed: 9)
    let size = Size(width: 700, height: 500)
    let pictures = try (0..<6).map { frame in
      try Self.picture(size) { _, _ in Self.color(random.below(100) + 20 * frame) }
    }
    var options = EncodeOptions()
    options.isLossless = true
    let bytes = try Self.registry.encode(Self.animation(pictures), as: Self.gif, options: options)
    #expect(bytes.count > 1 << 20)
    #expect(bytes[10] & 0x87 == 0x87)
    #expect(try Self.frames(bytes) == pictures.map(Self.rows))
  }

  /// 256 reds, then 256 blues. Colors are counted by eights of red and of blue, so a palette for both has every eighth of each.
  @Test func onePaletteIsForAllFrames() throws {
    let size = Size(width: 64, height: 64)
    let pictures = try [0, 16].map { shift in
      try Self.picture(size) { (x, y) in 0xFF00_0000 | UInt32((x + 64 * y) % 256) << UInt32(shift) }
    }
    var options = EncodeOptions()
    options.values["palette"] = .number(1)
    options.values["dither"] = 0
    let bytes = try Self.registry.encode(Self.animation(pictures), as: Self.gif, options: options)
    let frames = try Self.frames(bytes)
    #expect(frames.count == 2)
    for (frame, picture) in zip(frames, pictures) {
      let differences = zip(frame.joined(), Self.rows(picture).joined()).map { abs(Int($0) - Int($1)) }
      #expect(differences.max() ?? 255 <= 5)
    }
  }

  /// Two frames of 8 megapixels fill the memory for frames that wait, but for a row that the core cuts off the second; a third
  /// one has a color that they do not, and the palette has no room for it.
  @Test func framesThatComeTooLateTakeThePaletteThatIsThere() throws {
    let size = Size(width: 4096, height: 2048)
    let pictures = try [(0, 0), (16, 0), (16, 128)].map { (shift, patch) in
      try Self.picture(size) { (x, y) in
        x < patch && y < patch ? 0xFF00_C000 : 0xFF00_0000 | UInt32(y % 256) << UInt32(shift)
      }
    }
    var options = EncodeOptions()
    options.values["palette"] = .number(1)
    options.values["colors"] = 64
    options.values["dither"] = 0
    let bytes = try Self.registry.encode(Self.animation(pictures), as: Self.gif, options: options)
    let frames = try Self.frames(bytes)
    #expect(frames.count == 3)
    #expect(abs(Int(frames[0][200][0]) - 200) <= 5 && abs(Int(frames[1][200][2]) - 200) <= 5)
    // The darkest color is the nearest to green.
    #expect(frames[2][0][0..<3].allSatisfy { $0 <= 8 })
    #expect(frames[2][200] == frames[1][200])
  }

  @Test func qualityIsSizeAndLikeness() throws {
    let picture = try Self.picture(Size(width: 200, height: 150)) { (x, y) in
      let (red, green, blue) = (x * 255 / 199, y * 255 / 149, (x + y) * 255 / 348)
      return 0xFF00_0000 | UInt32(red | green << 8 | blue << 16)
    }
    var sizes: [Int] = []
    var errors: [Int] = []
    for quality in [0, 0.3, 0.6, 1] {
      var options = EncodeOptions()
      options.quality = quality
      options.values["dither"] = 0
      let bytes = try Self.registry.encode(Image(picture), as: Self.gif, options: options)
      sizes.append(bytes.count)
      let decoded = try #require(try Self.frames(bytes).first)
      errors.append(
        zip(decoded.joined(), Self.rows(picture).joined()).reduce(0) { (sum, pair) in
          sum + (Int(pair.0) - Int(pair.1)) * (Int(pair.0) - Int(pair.1))
        })
    }
    #expect(sizes == sizes.sorted() && sizes[0] < sizes[3])
    #expect(errors == errors.sorted(by: >) && errors[0] > errors[3])

    var options = EncodeOptions()
    options.values["dither"] = 0
    options.maxFileSize = (sizes[0] + sizes[3]) / 2
    let bytes = try Self.registry.encode(Image(picture), as: Self.gif, options: options)
    #expect(bytes.count <= (sizes[0] + sizes[3]) / 2)
  }

  @Test func oneColorMayStandForAnother() throws {
    var random = SplitMix(seed: 3)
    let picture = try Self.picture(Size(width: 200, height: 150)) { _, _ in
      0xFF00_0000 | UInt32(100 + random.below(4)) * 0x01_0101
    }
    let exact = try Self.registry.encode(Image(picture), as: Self.gif)
    var options = EncodeOptions()
    options.values["lossy"] = 20
    let lossy = try Self.registry.encode(Image(picture), as: Self.gif, options: options)
    #expect(lossy.count < exact.count / 2)
    let decoded = try #require(try Self.frames(lossy).first)
    #expect(decoded.joined().allSatisfy { (100...103).contains($0) || $0 == 255 })
  }
}
