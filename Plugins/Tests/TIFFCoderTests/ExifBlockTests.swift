// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import Testing

@testable import TIFFCoder

@Suite struct ExifBlockTests {
  private static func block(_ order: ByteOrder) -> ExifBlock {
    let writer = TIFFFieldWriter(order: order)
    var block = ExifBlock()
    block.main = [
      writer.undefined(Tag.make, Array("Maker\0".utf8), type: .ascii), writer.shorts(Tag.orientation, [6]),
    ]
    // TIFF 6.0 §2: in the order of their tags.
    block.exif = [writer.long(0x8827, 800), writer.undefined(0x9000, Array("0232".utf8))]
    block.interoperability = [writer.undefined(1, Array("R98\0".utf8), type: .ascii)]
    block.gps = [writer.undefined(0, [2, 3, 0, 0], type: .byte)]
    return block
  }

  @Test(arguments: [ByteOrder.littleEndian, .bigEndian], [ByteOrder.littleEndian, .bigEndian])
  func readsWhatItWroteForEitherByteOrder(_ stored: ByteOrder, _ order: ByteOrder) throws {
    let read = try #require(ParsedExif(parsing: Self.block(stored).payload(stored), for: order))
    #expect(read.block == Self.block(order))
    #expect(read.damaged == 0)
  }

  /// What says how another file's pixels are stored goes; what would make a camera's raw file of this one is named.
  @Test func fieldsGoByTheirKind() throws {
    let writer = TIFFFieldWriter(order: .bigEndian)
    var block = ExifBlock()
    block.main = [
      writer.long(Tag.stripOffsets, 8), writer.shorts(0x213, [1]), writer.undefined(40_091, [0x54, 0], type: .byte),
      writer.undefined(Tag.printImageMatching, Array("Print".utf8)), writer.undefined(Tag.dngVersion, [1, 4, 0, 0]),
      writer.undefined(Tag.documentName, Array("Plan\0".utf8), type: .ascii),
    ].sorted { $0.tag < $1.tag }
    let read = try #require(ParsedExif(parsing: block.payload(.bigEndian), for: .bigEndian))
    #expect(read.block.main.map(\.tag) == [Tag.documentName, 40_091, Tag.printImageMatching])
    #expect(read.foreign == [Tag.dngVersion])
    #expect(read.damaged == 0)
  }

  @Test func bytesThatAreNoTIFFStructureAreNoBlock() {
    #expect(ParsedExif(parsing: [], for: .bigEndian) == nil)
    #expect(ParsedExif(parsing: [0x4D, 0x4D, 0, 43, 0, 0, 0, 8], for: .bigEndian) == nil)
    #expect(ParsedExif(parsing: ExifPayload.prefix + [0x4D, 0x4D, 0, 42, 0, 0, 0, 8], for: .bigEndian) == nil)
  }

  @Test func fieldsBeyondTheEndAreCounted() throws {
    let whole = try Self.block(.bigEndian).payload(.bigEndian)
    for count in 0..<whole.count {
      let cut = ParsedExif(parsing: Array(whole.prefix(count)), for: .bigEndian)
      guard let cut else {
        #expect(count < 8)
        continue
      }
      let kept = [cut.block.main, cut.block.exif, cut.block.interoperability, cut.block.gps].map(\.count).reduce(0, +)
      #expect(kept <= 6, "\(count) bytes")
      #expect(kept < 6 || cut.damaged == 0, "\(count) bytes")
    }
  }

  @Test(arguments: 0..<32) func changedBytesNeverTrap(_ seed: UInt64) throws {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    var payload = try Self.block(.littleEndian).payload(.littleEndian)
    for _ in 0..<200 {
      payload[4 + random(payload.count - 4)] = UInt8(random(256))
      _ = ParsedExif(parsing: payload, for: .bigEndian)
    }
  }
}
