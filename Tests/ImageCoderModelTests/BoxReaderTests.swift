// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import Testing

@Suite struct BoxReaderTests {
  @Test func goesThroughBoxesAndThoseInside() throws {
    var writer = ByteWriter()
    writer.box(FourCC("ftyp")) { $0.put("heic") }
    writer.fullBox(FourCC("meta"), version: 1, flags: 0x20) { meta in
      meta.box(FourCC("hdlr")) { $0.putZeros(3) }
    }
    let bytes = writer.bytes
    var boxes = BoxReader(ByteReader(bytes.span.bytes))
    #expect(
      try boxes.next() == Box(type: FourCC("ftyp"), start: 0, content: 8, end: 12, isCut: false))
    let meta = try #require(try boxes.next())
    #expect(meta.type == FourCC("meta") && meta.payload == 20..<35 && meta.fullContent == 24)
    var content = try boxes.content(of: meta)
    let (version, flags) = try content.fullBox()
    #expect(version == 1 && flags == 0x20)
    var inner = BoxReader(try content.part(content.remaining, of: "meta"), in: "meta")
    let handler = try #require(try inner.first(FourCC("hdlr")))
    #expect(handler.start == 24 && handler.end == 35)
    #expect(try boxes.next() == nil && inner.next() == nil)
  }

  @Test func readsSizesOf64BitsAndSizesToTheEnd() throws {
    let bytes: [UInt8] = [
      0, 0, 0, 1, 0x61, 0x62, 0x63, 0x64, 0, 0, 0, 0, 0, 0, 0, 18, 7, 8, 0, 0, 0, 0, 0x6D, 0x64, 0x61, 0x74, 9,
    ]
    var boxes = BoxReader(ByteReader(bytes.span.bytes, at: 50))
    #expect(try boxes.next() == Box(type: FourCC("abcd"), start: 50, content: 66, end: 68, isCut: false))
    #expect(try boxes.next() == Box(type: FourCC("mdat"), start: 68, content: 76, end: 77, isCut: false))
  }

  @Test func aBoxBeyondTheFileIsCutAndOneBeyondItsBoxIsMalformed() throws {
    let bytes: [UInt8] = [0, 0, 0, 20, 0x61, 0x62, 0x63, 0x64, 1, 2]
    var file = BoxReader(ByteReader(bytes.span.bytes), isCutOff: true)
    let cut = try #require(try file.next())
    #expect(cut.isCut && cut.end == 20)
    #expect(try file.content(of: cut).count == 2)
    var box = BoxReader(ByteReader(bytes.span.bytes), in: "meta")
    #expect(throws: CoderError.malformed("a box abcd of 20 bytes in meta, which has 10 left", at: 0)) {
      _ = try box.next()
    }
  }

  @Test(arguments: [UInt32(2), 7]) func aBoxSmallerThanItsHeaderIsMalformed(_ size: UInt32) {
    var writer = ByteWriter()
    writer.put(size)
    writer.put(FourCC("free"))
    let bytes = writer.bytes
    var boxes = BoxReader(ByteReader(bytes.span.bytes))
    #expect(throws: CoderError.malformed("a box free of \(size) bytes, its header takes 8", at: 0)) {
      _ = try boxes.next()
    }
  }

  /// Sizes near the largest integer do not overflow.
  @Test func aSizeBeyondEveryFileIsCut() throws {
    let bytes: [UInt8] = [0, 0, 0, 1, 0x61, 0x62, 0x63, 0x64] + [UInt8](repeating: 0xFF, count: 8)
    var boxes = BoxReader(ByteReader(bytes.span.bytes, at: 1_000), isCutOff: true)
    #expect(try boxes.next() == Box(type: FourCC("abcd"), start: 1_000, content: 1_016, end: .max, isCut: true))
    #expect(try boxes.next() == nil)
  }
}
