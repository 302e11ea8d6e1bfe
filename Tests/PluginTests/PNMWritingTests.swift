// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

@Suite struct PNMWritingTests {
  private static func coder() throws -> any ImageCoder {
    try CoderRegistry(
      searchPath: .only([StagedTree.plugins]),
      preferences: CoderPreferences()
    ).coder("org.imagecoders.pnm")
  }

  /// Two rows of two pixels.
  private static func picture(_ format: PixelFormat, _ alpha: AlphaMode, _ bytes: [UInt8]) throws -> PixelBuffer {
    let buffer = try PixelBuffer(size: Size(width: 2, height: 2), format: format, alpha: alpha)
    for y in 0..<2 {
      let row = bytes[(y * bytes.count / 2)..<((y + 1) * bytes.count / 2)]
      for (offset, byte) in row.enumerated() {
        buffer.row(y).storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
      }
    }
    return buffer
  }

  private static func text(_ picture: PixelBuffer, _ values: [String: OptionValue]) throws -> [UInt8] {
    var options = EncodeOptions()
    options.values = values
    return try coder().encode(Image(picture), as: .pnm, options: options)
  }

  @Test func choosesTheSmallestKind() throws {
    let gray = try Self.picture(.gray8, .opaque, [1, 2, 3, 4])
    #expect(try Self.text(gray, [:]) == Array("P5\n2 2\n255\n".utf8) + [1, 2, 3, 4])
    let color = try Self.picture(.rgb8, .opaque, Array(1...12))
    #expect(try Self.text(color, [:]) == Array("P6\n2 2\n255\n".utf8) + Array(1...12))
    let clear = try Self.picture(.grayAlpha8, .straight, Array(1...8))
    let header = "P7\nWIDTH 2\nHEIGHT 2\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n"
    #expect(try Self.text(clear, [:]) == Array(header.utf8) + Array(1...8))
  }

  @Test func writesDigits() throws {
    let gray = try Self.picture(.gray8, .opaque, [0, 9, 10, 255])
    #expect(try Self.text(gray, ["ascii": 1]) == Array("P2\n2 2\n255\n0\n9\n10\n255\n".utf8))
    #expect(try Self.text(gray, ["ascii": 1, "kind": 5]) == Array("P1\n2 2\n11\n10\n".utf8))
  }

  @Test func writesBits() throws {
    let gray = try Self.picture(.gray8, .opaque, [0, 255, 127, 128])
    #expect(try Self.text(gray, ["kind": 5]) == Array("P4\n2 2\n".utf8) + [0x80, 0x80])
  }

  @Test func writesFloatMapsFromTheBottom() throws {
    let color = try Self.picture(.rgb8, .opaque, [255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0])
    let bytes = try Self.text(color, ["kind": 4])
    let one: [UInt8] = [0, 0, 0x80, 0x3F]
    let white = (0..<6).flatMap { _ in one }
    #expect(bytes == Array("PF\n2 2\n-1.0\n".utf8) + [UInt8](repeating: 0, count: 24) + white)
  }
}
