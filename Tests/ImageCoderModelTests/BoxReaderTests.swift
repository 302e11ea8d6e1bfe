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
    let first = try boxes.next()
    #expect(first == Box(type: FourCC("ftyp"), start: 0, content: 8, end: 12, isCut: false))
    let found = try boxes.next()
    let meta = try #require(found)
    #expect(meta.type == FourCC("meta") && meta.payload == 20..<35 && meta.fullContent == 24)
    var content = try boxes.content(of: meta)
    let (version, flags) = try content.fullBox()
    #expect(version == 1 && flags == 0x20)
    var inner = BoxReader(try content.part(content.remaining, of: "meta"), in: "meta")
    let handler = try inner.first(FourCC("hdlr"))
    #expect(handler?.start == 24 && handler?.end == 35)
    let (last, innerLast) = (try boxes.next(), try inner.next())
    #expect(last == nil && innerLast == nil)
  }

  @Test func readsSizesOf64BitsAndSizesToTheEnd() throws {
    var writer = ByteWriter()
    writer.put(UInt32(1))
    writer.put(FourCC("abcd"))
    writer.put(UInt64(18))
    writer.put([7, 8])
    writer.put(UInt32(0))
    writer.put(FourCC("mdat"))
    writer.put([9])
    let bytes = writer.bytes
    var boxes = BoxReader(ByteReader(bytes.span.bytes, at: 50))
    let (large, last) = (try boxes.next(), try boxes.next())
    #expect(large == Box(type: FourCC("abcd"), start: 50, content: 66, end: 68, isCut: false))
    #expect(last == Box(type: FourCC("mdat"), start: 68, content: 76, end: 77, isCut: false))
  }

  @Test func aBoxBeyondTheFileIsCutAndOneBeyondItsBoxIsMalformed() throws {
    let bytes: [UInt8] = [0, 0, 0, 20, 0x61, 0x62, 0x63, 0x64, 1, 2]
    var file = BoxReader(ByteReader(bytes.span.bytes), isCutOff: true)
    let found = try file.next()
    let cut = try #require(found)
    #expect(cut.isCut && cut.end == 20)
    let count = try file.content(of: cut).count
    #expect(count == 2)
    let error = failure { () throws(CoderError) in
      var boxes = BoxReader(ByteReader(bytes.span.bytes), in: "meta")
      _ = try boxes.next()
    }
    #expect(error == .malformed("a box abcd of 20 bytes in meta, which has 10 left", at: 0))
  }

  @Test(arguments: [UInt32(2), 7]) func aBoxSmallerThanItsHeaderIsMalformed(_ size: UInt32) {
    var writer = ByteWriter()
    writer.put(size)
    writer.put(FourCC("free"))
    let bytes = writer.bytes
    let error = failure { () throws(CoderError) in
      var boxes = BoxReader(ByteReader(bytes.span.bytes))
      _ = try boxes.next()
    }
    #expect(error == .malformed("a box free of \(size) bytes, its header takes 8", at: 0))
  }

  /// Sizes near the largest integer do not overflow.
  @Test func aSizeBeyondEveryFileIsCut() throws {
    let bytes: [UInt8] = [0, 0, 0, 1, 0x61, 0x62, 0x63, 0x64] + [UInt8](repeating: 0xFF, count: 8)
    var boxes = BoxReader(ByteReader(bytes.span.bytes, at: 1_000), isCutOff: true)
    let (found, next) = (try boxes.next(), try boxes.next())
    #expect(found == Box(type: FourCC("abcd"), start: 1_000, content: 1_016, end: .max, isCut: true))
    #expect(next == nil)
  }
}
