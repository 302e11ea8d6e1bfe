// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// HEIF files whose picture is a JPEG file, with boxes by hand.
@Suite(.needs("HEIF", "JPEG")) struct JPEGItemTests {
  private static func number(_ value: Int, _ bytes: Int) -> [UInt8] {
    (0..<bytes).reversed().map { UInt8(value >> (8 * $0) & 255) }
  }

  private static func box(_ name: String, _ parts: [UInt8]...) -> [UInt8] {
    let body = parts.flatMap(\.self)
    return number(body.count + 8, 4) + name.utf8 + body
  }

  /// A file of one item, with more properties behind its size.
  private static func file(_ jpeg: [UInt8], size: Size, _ more: [[UInt8]] = []) -> [UInt8] {
    let head = box("ftyp", Array("mif1".utf8), number(0, 4), Array("mif1jpeg".utf8))
    func meta(at start: Int) -> [UInt8] {
      let extents = box("ispe", number(0, 4), number(size.width, 4), number(size.height, 4))
      let links =
        number(0, 4) + number(1, 4) + number(1, 2) + [UInt8(1 + more.count)] + (0...more.count).map { UInt8($0 + 1) }
      return box(
        "meta", number(0, 4), box("hdlr", number(0, 8), Array("pict".utf8), number(0, 8) + number(0, 5)),
        box("pitm", number(0, 4), number(1, 2)),
        box(
          "iloc", number(0, 4), number(0x4400, 2), number(1, 2), number(1, 2), number(0, 2), number(1, 2),
          number(start, 4), number(jpeg.count, 4)),
        box(
          "iinf", number(0, 4), number(1, 2),
          box("infe", number(2 << 24, 4), number(1, 2), number(0, 2), Array("jpeg\0".utf8))),
        box("iprp", box("ipco", extents, more.flatMap(\.self)), box("ipma", links)))
    }
    return head + meta(at: head.count + meta(at: 0).count + 8) + box("mdat", jpeg)
  }

  private static let size = Size(width: 40, height: 24)

  private static func jpeg() throws -> [UInt8] {
    try EncodingPictures.registry.encode(Image(EncodingPictures.photo(size)), as: .jpeg)
  }

  @Test func theHostOpensTheFileInside() throws {
    let jpeg = try Self.jpeg()
    let file = try EncodingPictures.registry.open(.bytes(Self.file(jpeg, size: Self.size)))
    #expect(file.header.format == .heif && file.header.embedded?.count == jpeg.count)
    let inside = try EncodingPictures.registry.decode(.bytes(jpeg))
    #expect(try EncodingPictures.rows(file.image().pixels) == EncodingPictures.rows(inside.pixels))
  }

  @Test func whatTheFileInsideDoesNotSayIsRefused() throws {
    let jpeg = try Self.jpeg()
    for property in [Self.box("irot", [1]), Self.box("jpgC", [0xFF, 0xD8])] {
      let error = #expect(throws: CoderError.self) {
        try EncodingPictures.registry.open(.bytes(Self.file(jpeg, size: Self.size, [property])))
      }
      #expect(error?.code == .unsupported)
    }
  }
}
