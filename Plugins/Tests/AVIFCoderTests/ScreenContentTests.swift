// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import Testing

@testable import AVIFCoder

/// Pictures made by hand of which one knows whether they are screens.
@Suite struct ScreenContentTests {
  private static func isFound(
    _ width: Int, _ height: Int, _ format: PixelFormat = .rgb8, _ color: (Int, Int) -> [UInt8]
  ) throws -> Bool {
    var bytes: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width { bytes += color(x, y).prefix(format.bytesPerPixel) }
    }
    return try bytes.withUnsafeBytes {
      let pixels = PixelView(
        layout: PixelLayout(format, .opaque), size: Size(width: width, height: height),
        base: try #require($0.baseAddress), stride: width * format.bytesPerPixel)
      return ScreenContent.isFound(in: pixels)
    }
  }

  /// Strokes of ink on paper: each letter of 8 × 12 pixels has some, with a row of gray at its edge.
  private static func letters(_ x: Int, _ y: Int, ink: [UInt8], paper: [UInt8]) -> [UInt8] {
    let isStroke = x % 8 == 2 || y % 16 == x / 8 % 11
    guard isStroke, y % 16 < 12 else { return paper }
    return y % 16 == 11 ? zip(ink, paper).map { UInt8((Int($0) + Int($1)) / 2) } : ink
  }

  private static let formats: [PixelFormat] = [.gray8, .rgb8, .rgba8, .bgra8]

  @Test(arguments: formats) func textIsAScreen(_ format: PixelFormat) throws {
    let dark: [UInt8] = [20, 20, 30, 255]
    let light: [UInt8] = [250, 250, 252, 255]
    #expect(try Self.isFound(256, 200, format) { x, y in Self.letters(x, y, ink: dark, paper: light) })
    #expect(try Self.isFound(256, 200, format) { x, y in Self.letters(x, y, ink: light, paper: dark) })
  }

  /// Colors that are equally bright are told apart by one channel.
  @Test func textInColorIsAScreen() throws {
    #expect(try Self.isFound(256, 200) { x, y in Self.letters(x, y, ink: [200, 100, 60], paper: [60, 100, 60]) })
  }

  @Test(arguments: formats) func otherPicturesAreNone(_ format: PixelFormat) throws {
    func noise(_ x: Int, _ y: Int) -> UInt8 { UInt8((x &* 7919 &+ y &* 104_729) &* 2_654_435_761 >> 9 & 0x7F) }
    // Noise, a slope, one color, and text that can hardly be read.
    #expect(try !Self.isFound(256, 200, format) { x, y in [noise(x, y), noise(y, x), 90, 255] })
    #expect(try !Self.isFound(256, 200, format) { x, y in [UInt8(x), UInt8(y), UInt8(x / 2), 255] })
    #expect(try !Self.isFound(256, 200, format) { _, _ in [10, 200, 90, 255] })
    #expect(
      try !Self.isFound(256, 200, format) { x, y in
        Self.letters(x, y, ink: [137, 137, 137, 255], paper: [200, 200, 200, 255])
      })
    #expect(
      try Self.isFound(256, 200, format) { x, y in
        Self.letters(x, y, ink: [136, 136, 136, 255], paper: [200, 200, 200, 255])
      })
  }

  /// A window over a photograph counts if it has more blocks.
  @Test(arguments: [(112, true), (80, false)])
  func moreThanHalfOfTheBlocksDecide(_ height: Int, _ isScreen: Bool) throws {
    let found = try Self.isFound(256, 192) { x, y in
      y < height
        ? Self.letters(x, y, ink: [0, 0, 0], paper: [255, 255, 255]) : [UInt8(x), UInt8(y / 2 + x / 3), UInt8(y)]
    }
    #expect(found == isScreen)
  }

  /// 1 of 16 blocks with a line, and then 1 of 32, on nothing.
  @Test(arguments: [(64, true), (32, false)]) func someTextIsNeeded(_ width: Int, _ isScreen: Bool) throws {
    let found = try Self.isFound(1024, 64) { x, y in
      x < width && y < 64 && x % 16 == 4 ? [0, 0, 0] : [255, 255, 255]
    }
    #expect(found == isScreen)
  }

  @Test func aPictureWithoutAWholeBlockIsNone() throws {
    #expect(try !Self.isFound(15, 300) { x, _ in x == 3 ? [0, 0, 0] : [255, 255, 255] })
    #expect(try Self.isFound(16, 16) { x, _ in x == 3 ? [0, 0, 0] : [255, 255, 255] })
  }
}
