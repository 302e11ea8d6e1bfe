// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import Testing

@testable import PNGCoder

@Suite struct ColorChunksTests {
  @Test func readsEachChunk() throws {
    var chunks = ColorChunks()
    #expect(try chunks.read([0, 0, 177, 143], of: .gama) == nil)
    #expect(try chunks.read([9, 16, 0, 1], of: .cicp) == nil)
    #expect(try chunks.read([2], of: .srgb) == nil)
    #expect(try chunks.read([0, 0, 11, 19, 0, 0, 11, 20, 1], of: .phys) == nil)
    #expect(try chunks.read([UInt8](repeating: 0, count: 28) + [0, 1, 134, 160], of: .chrm) == nil)
    #expect(chunks.gamma == 0.45455)
    #expect(
      chunks.cicp == CodingIndependentCodePoints(primaries: 9, transfer: 16, matrix: 0, isFullRange: true))
    #expect(chunks.renderingIntent == 2)
    #expect(chunks.pixelsPerUnit?.x == 2835 && chunks.pixelsPerUnit?.y == 2836)
    #expect(chunks.pixelsPerUnit?.isMetre == true)
    #expect(chunks.chromaticities == [0, 0, 0, 0, 0, 0, 0, 1])
  }

  @Test(arguments: [(FourCC.gama, 4), (.cicp, 4), (.srgb, 1), (.phys, 9), (.chrm, 32)])
  func aChunkOfAnotherLengthIsIgnored(_ name: FourCC, _ length: Int) throws {
    for count in 0...40 where count != length {
      var chunks = ColorChunks()
      #expect(try chunks.read([UInt8](repeating: 1, count: count), of: name) != nil, "\(count) bytes")
      #expect(chunks.gamma == nil && chunks.cicp == nil && chunks.pixelsPerUnit == nil)
    }
  }

  private func background(
    _ data: [UInt8], _ type: ImageHeaderChunk.ColorType, bits: Int = 8, palette: [UInt8] = []
  ) throws -> PixelColor? {
    var chunks = ColorChunks()
    _ = try chunks.read(data, of: .bkgd)
    let header = ImageHeaderChunk(
      canvas: Size(width: 1, height: 1), bitDepth: bits, colorType: type, isInterlaced: false)
    return try chunks.background(for: header, palette: palette)
  }

  @Test func backgroundsAreScaledTo16Bits() throws {
    #expect(try background([0, 1], .gray, bits: 1) == .white)
    #expect(try background([0, 255, 0, 0, 0, 1], .rgb) == PixelColor(red: 255, green: 0, blue: 1))
    #expect(try background([1], .palette, palette: [0, 0, 0, 1, 2, 3]) == PixelColor(red: 1, green: 2, blue: 3))
  }

  @Test func backgroundsThatDoNotFitAreNone() throws {
    for count in 0...8 {
      let data = [UInt8](repeating: 1, count: count)
      #expect(try (background(data, .gray) == nil) == (count != 2))
      #expect(try (background(data, .rgba) == nil) == (count != 6))
      #expect(try background(data, .palette, palette: [0, 0, 0]) == nil)
    }
  }
}
