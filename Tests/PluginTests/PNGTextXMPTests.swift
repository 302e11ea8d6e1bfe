// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// XMP belongs into iTXt (XMP part 3 §1.1.5); some programs put it into other text under the same keyword.
@Suite(.needs("PNG")) struct PNGTextXMPTests {
  private static let registry = CoderRegistry(
    searchPath: .only([StagedTree.plugins]),
    preferences: CoderPreferences())

  private static func packet(_ number: Int) -> [UInt8] {
    Array("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><!-- \(number) --></x:xmpmeta>".utf8)
  }

  /// A picture with text chunks behind its header: names and what follows the keyword.
  private static func file(_ chunks: [(name: String, data: [UInt8])]) throws -> [UInt8] {
    let pixels = try PixelBuffer(size: Size(width: 2, height: 2), format: .rgb8, alpha: .opaque)
    pixels.clear(rows: 0..<2)
    var bytes = try registry.encode(Image(pixels), as: .png)
    for (name, data) in chunks.reversed() {
      let data = Array("XML:com.adobe.xmp\0".utf8) + data
      bytes.insert(contentsOf: [0, 0, 0, UInt8(data.count)] + Array(name.utf8) + data + [0, 0, 0, 0], at: 33)
    }
    PNGChecksums.repair(&bytes)
    return bytes
  }

  private static func xmp(_ chunks: [(name: String, data: [UInt8])]) throws -> [UInt8]? {
    try registry.open(.bytes(try file(chunks))).metadata(.xmp)
  }

  @Test func otherTextCountsWhereThereIsNoITXt() throws {
    let text = ("tEXt", Self.packet(1))
    let international = ("iTXt", [0, 0, 0, 0] + Self.packet(2))
    #expect(try Self.xmp([]) == nil)
    #expect(try Self.xmp([text]) == Self.packet(1))
    #expect(try Self.xmp([text, international]) == Self.packet(2))
    #expect(try Self.xmp([international, text]) == Self.packet(2))
    #expect(try Self.xmp([text, ("tEXt", Self.packet(3))]) == Self.packet(1))
  }

  /// Stored without compression (RFC 1950 and 1951 §3.2.4): the checksum is Adler-32 of the packet.
  @Test func compressedTextCountsToo() throws {
    let packet = Self.packet(4)
    var (low, high) = (1, 0)
    for byte in packet {
      low = (low + Int(byte)) % 65_521
      high = (high + low) % 65_521
    }
    let count = UInt8(packet.count)
    let sum = [high >> 8, high & 255, low >> 8, low & 255].map(UInt8.init)
    let stored: [UInt8] = [0, 0x78, 0x01, 1, count, 0, ~count, 0xFF] + packet + sum
    #expect(try Self.xmp([("zTXt", stored)]) == packet)
  }
}
