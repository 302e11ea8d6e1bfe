// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import Testing

@Suite struct ByteReaderTests {
  private static let bytes: [UInt8] = [0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08]

  @Test func readsNumbersInEitherOrder() throws {
    var big = ByteReader(Self.bytes.span.bytes)
    let first = [UInt64(try big.uint16()), UInt64(try big.uint24()), UInt64(try big.uint8())]
    #expect(first == [0x0102, 0x030405, 0x06])
    let (remaining, offset) = (big.remaining, big.offset)
    #expect(remaining == 2 && offset == 6)
    var little = ByteReader(Self.bytes.span.bytes, order: .littleEndian)
    let second = [try little.uint32(), try little.uint24()]
    #expect(second == [0x0403_0201, 0x07_0605])
    let whole = [
      try ByteReader(Self.bytes.span.bytes).uint64(at: 0),
      try ByteReader(Self.bytes.span.bytes, order: .littleEndian).uint64(at: 0),
      try ByteReader(Self.bytes.span.bytes).unsigned(bytes: 0, at: 8),
      try ByteReader(Self.bytes.span.bytes, order: .littleEndian).unsigned(bytes: 5, at: 3),
    ]
    #expect(whole == [0x0102_0304_0506_0708, 0x0807_0605_0403_0201, 0, 0x08_0706_0504])
  }

  @Test func saysWhichFieldIsMissingAndWhere() {
    let truncated = failure { () throws(CoderError) in
      var reader = ByteReader(Self.bytes.span.bytes, at: 100, of: "the header")
      try reader.skip(7)
      _ = try reader.uint32("the width")
    }
    #expect(truncated == .truncated("the width of the header needs 4 bytes, 1 are left", at: 107))
    let malformed = failure { () throws(CoderError) in
      _ = try ByteReader(Self.bytes.span.bytes, at: 100, of: "the box", isCutOff: false).uint16(at: 8)
    }
    #expect(malformed == .malformed("a field of the box needs 2 bytes, 0 are left", at: 108))
  }

  /// Places that no file should be able to name.
  @Test(arguments: [-1, Int.min, Int.max, Int.max - 1]) func refusesPlacesOutside(_ place: Int) {
    let errors = [
      failure { () throws(CoderError) in _ = try ByteReader(Self.bytes.span.bytes).uint32(at: place) },
      failure { () throws(CoderError) in
        var reader = ByteReader(Self.bytes.span.bytes)
        try reader.skip(place)
      },
      failure { () throws(CoderError) in
        var reader = ByteReader(Self.bytes.span.bytes)
        try reader.seek(to: place)
      },
      failure { () throws(CoderError) in
        var reader = ByteReader(Self.bytes.span.bytes)
        _ = try reader.array(place)
      },
      failure { () throws(CoderError) in
        var reader = ByteReader(Self.bytes.span.bytes)
        _ = try reader.unsigned(bytes: place)
      },
    ]
    #expect(errors.allSatisfy { $0 != nil })
    let isThere = ByteReader(Self.bytes.span.bytes).has("x", at: place)
    #expect(!isThere)
  }

  @Test func handsOutPartsWithTheirPlaceInTheFile() throws {
    var reader = ByteReader(Self.bytes.span.bytes, at: 10)
    try reader.skip(2)
    var part = try reader.part(3, of: "the part")
    let places = [part.offset, part.count, reader.offset]
    #expect(places == [12, 3, 15])
    let bytes = try part.array(3)
    #expect(bytes == [3, 4, 5])
    let has = [reader.has("\u{6}\u{7}", at: 5), reader.has("\u{6}\u{8}", at: 5)]
    #expect(has == [true, false])
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
      let written = writer.bytes
      var reader = ByteReader(written.span.bytes, order: order)
      let numbers = [UInt32(try reader.uint16()), try reader.uint24(), try reader.uint32()]
      #expect(numbers == [0x1234, 0x12_3456, UInt32(bitPattern: -2)])
      let rest = try reader.array(4)
      #expect(rest == [0x61, 0x62, 0, 0])
    }
  }
}
