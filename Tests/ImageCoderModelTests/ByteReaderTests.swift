// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import Testing

@Suite struct ByteReaderTests {
  private static let bytes: [UInt8] = [0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08]

  @Test func readsNumbersInEitherOrder() throws {
    var big = ByteReader(Self.bytes.span.bytes)
    #expect(try big.uint16() == 0x0102)
    #expect(try big.uint24() == 0x030405)
    #expect(try big.uint8() == 0x06)
    #expect(big.remaining == 2 && big.offset == 6)
    var little = ByteReader(Self.bytes.span.bytes, order: .littleEndian)
    #expect(try little.uint32() == 0x0403_0201)
    #expect(try little.uint24() == 0x07_0605)
    var whole = ByteReader(Self.bytes.span.bytes)
    #expect(try whole.uint64() == 0x0102_0304_0506_0708 && whole.isAtEnd)
    #expect(try ByteReader(Self.bytes.span.bytes, order: .littleEndian).uint64(at: 0) == 0x0807_0605_0403_0201)
    #expect(try ByteReader(Self.bytes.span.bytes).unsigned(bytes: 0, at: 8) == 0)
    #expect(try ByteReader(Self.bytes.span.bytes, order: .littleEndian).unsigned(bytes: 5, at: 3) == 0x08_0706_0504)
  }

  @Test func saysWhichFieldIsMissingAndWhere() {
    var reader = ByteReader(Self.bytes.span.bytes, at: 100, of: "the header")
    #expect(throws: CoderError.truncated("the width of the header needs 4 bytes, 1 are left", at: 107)) {
      try reader.skip(7)
      _ = try reader.uint32("the width")
    }
    #expect(reader.position == 7, "a read that fails moves nothing")
    let inside = ByteReader(Self.bytes.span.bytes, at: 100, of: "the box", isCutOff: false)
    #expect(throws: CoderError.malformed("a field of the box needs 2 bytes, 0 are left", at: 108)) {
      _ = try inside.uint16(at: 8)
    }
  }

  /// Places that no file should be able to name.
  @Test(arguments: [-1, Int.min, Int.max, Int.max - 1]) func refusesPlacesOutside(_ place: Int) {
    var reader = ByteReader(Self.bytes.span.bytes)
    #expect(throws: CoderError.self) { _ = try reader.uint32(at: place) }
    #expect(throws: CoderError.self) { try reader.skip(place) }
    #expect(throws: CoderError.self) { try reader.seek(to: place) }
    #expect(throws: CoderError.self) { _ = try reader.array(place) }
    #expect(throws: CoderError.self) { _ = try reader.unsigned(bytes: place) }
    #expect(!reader.has("x", at: place))
  }

  @Test func handsOutPartsWithTheirPlaceInTheFile() throws {
    var reader = ByteReader(Self.bytes.span.bytes, at: 10)
    try reader.skip(2)
    var part = try reader.part(3, of: "the part")
    #expect(part.offset == 12 && part.count == 3 && reader.offset == 15)
    #expect(try part.array(3) == [3, 4, 5])
    #expect(throws: CoderError.malformed("a field of the part needs 1 bytes, 0 are left", at: 15)) {
      _ = try part.uint8()
    }
    #expect(reader.has("\u{6}\u{7}", at: 5) && !reader.has("\u{6}\u{8}", at: 5))
  }

  @Test func writesWhatIsReadBack() throws {
    for order in [ByteOrder.bigEndian, .littleEndian] {
      var writer = ByteWriter(order: order)
      writer.put(UInt16(0xABCD))
      writer.put(UInt64(0x12_3456), bytes: 3)
      writer.put(Int32(-2))
      writer.put("ab")
      writer.putZeros(2)
      writer.replace(UInt16(0x1234), at: 0)
      var reader = ByteReader(writer.bytes.span.bytes, order: order)
      #expect(try reader.uint16() == 0x1234)
      #expect(try reader.uint24() == 0x12_3456)
      #expect(try Int32(bitPattern: reader.uint32()) == -2)
      #expect(try reader.array(4) == [0x61, 0x62, 0, 0])
      #expect(reader.isAtEnd)
    }
  }
}
