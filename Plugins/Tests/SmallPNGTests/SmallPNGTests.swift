// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import SmallPNG
import Testing

/// Files and streams whose bytes zlib and libpng read.
@Suite struct SmallPNGTests {
  /// Nothing; ten times 7, a literal and a match of 9 at 1; and a match of 6 at 3 between literals.
  @Test(
    arguments: [
      ([], [0x78, 1, 3, 0, 0, 0, 0, 1]),
      ([UInt8](repeating: 7, count: 10), [0x78, 1, 0x63, 0x87, 3, 0, 1, 0x8B, 0, 0x47]),
      (Array("abcabcabcd".utf8), [0x78, 1, 0x4B, 0x4C, 0x4A, 0x86, 0xA0, 0x14, 0, 0x15, 0x14, 3, 0xD7]),
    ] as [([UInt8], [UInt8])])
  func streamsAreOfFixedCodes(_ bytes: [UInt8], _ expected: [UInt8]) throws {
    #expect(try FixedDeflate.packed(bytes) == expected)
  }

  /// One pixel of blue 1, green 2, red 3, alpha 4.
  private func file(_ format: PixelFormat, _ alpha: AlphaMode, keepsAlpha: Bool) throws -> [UInt8] {
    let pixel: [UInt8] = [1, 2, 3, 4]
    return try pixel.withUnsafeBytes { bytes in
      let base = try #require(bytes.baseAddress)
      let view = PixelView(
        layout: PixelLayout(format, alpha), size: Size(width: 1, height: 1), base: base, stride: 4)
      return try SmallPNG.bytes(of: view, keepsAlpha: keepsAlpha, host: MemoryHost().host) {
        (rows) throws(CoderError) in
        rows
      }
    }
  }

  private static let header = MemoryFile.bytes(
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], 0, 0, 0, 13, "IHDR", 0, 0, 0, 1, 0, 0, 0, 1, 8)
  private static let end: [UInt8] = [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]

  @Test func filesHoldRedGreenBlueAndAlpha() throws {
    let file = try file(.bgra8, .straight, keepsAlpha: false)
    // RGBA, its checksum as libpng has it, and sRGB.
    let color = MemoryFile.bytes(
      6, 0, 0, 0, [0x1F, 0x15, 0xC4, 0x89], 0, 0, 0, 1, "sRGB", 0, [0xAE, 0xCE, 0x1C, 0xE9])
    #expect(file.starts(with: Self.header + color + MemoryFile.bytes(0, 0, 0, 5, "IDAT", 0, 3, 2, 1, 4)))
    #expect(file.suffix(12) == Self.end[...])
  }

  @Test func opaqueFilesHaveAlphaIfItIsWanted() throws {
    let three = try file(.rgba8, .opaque, keepsAlpha: false)
    #expect(three[25] == 2 && three[54..<58] == [0, 1, 2, 3])
    let four = try file(.rgba8, .opaque, keepsAlpha: true)
    #expect(four[25] == 6 && four[54..<59] == [0, 1, 2, 3, 255])
  }
}
