// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import JXLCoder

/// The metadata of a JPEG that is stored, and boxes beside it.
@Suite struct StoredJPEGTests {
  private static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
    [0xFF, marker, UInt8((payload.count + 2) >> 8), UInt8((payload.count + 2) & 255)] + payload
  }

  private static func box(_ type: StaticString, _ payload: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.box(FourCC(type)) { $0.put(payload) }
    return writer.bytes
  }

  private static let jfif = segment(0xE0, MemoryFile.bytes("JFIF\0", 1, 1, 0, 0, 1, 0, 1, 0, 0))
  private static let exif = segment(0xE1, MemoryFile.bytes("Exif\0\0", "II*\0"))
  private static let xmp = segment(0xE1, MemoryFile.bytes("http://ns.adobe.com/xap/1.0/\0", "<x/>"))
  private static let other = MemoryFile.bytes("8BIM", 3, 0xED, 0, 0, 0, 0, 0, 2, 1, 2)
  private static let iptc = MemoryFile.bytes("8BIM", 4, 4, 0, 0, 0, 0, 0, 6, 0x1C, 2, 120, 0, 1, 0x61)
  private static let photoshop = segment(0xED, MemoryFile.bytes("Photoshop 3.0\0", other, iptc))
  private static let comment = segment(0xFE, [0x61])
  private static let tables = segment(0xDB, [UInt8](repeating: 1, count: 65))
  private static let scan = segment(0xDA, [1, 1, 0, 0, 63, 0]) + [0x12, 0xFF, 0, 0xFF, 0xD0, 0x34, 0xFF, 0xD9]
  private static let credentials = MemoryFile.store(40)
  private static let parts = [
    segment(0xEB, MemoryFile.bytes("JP", 0, 1, 0, 0, 0, 1, Array(credentials.prefix(60)))),
    segment(0xEB, MemoryFile.bytes("JP", 0, 1, 0, 0, 0, 2, Array(credentials.prefix(8) + credentials.dropFirst(60)))),
  ]

  private static func file(_ segments: [UInt8]..., after: [UInt8] = []) -> [UInt8] {
    [0xFF, 0xD8] + segments.flatMap { $0 } + scan + after
  }

  private func edited(_ removed: Set<MetadataBlock>, _ payloads: [MetadataBlock: [UInt8]] = [:]) throws -> [UInt8] {
    let file = Self.file(
      Self.jfif, Self.exif, Self.xmp, Self.photoshop, Self.parts[0], Self.parts[1], Self.comment, Self.tables,
      after: [9, 9])
    return try StoredJPEG(parsing: file).edited(MetadataBlockEdits(removed: removed, payloads: payloads))
  }

  @Test func editTakesSegmentsByTheirClass() throws {
    let (jfif, exif, xmp, photoshop) = (Self.jfif, Self.exif, Self.xmp, Self.photoshop)
    let (parts, comment, tables) = (Self.parts[0] + Self.parts[1], Self.comment, Self.tables)
    #expect(try edited([.text]) == Self.file(jfif, exif, xmp, photoshop, parts, tables, after: [9, 9]))
    #expect(try edited([.exif]) == Self.file(jfif, xmp, photoshop, parts, comment, tables, after: [9, 9]))
    #expect(try edited([.xmp]) == Self.file(jfif, exif, photoshop, parts, comment, tables, after: [9, 9]))
    #expect(try edited([.c2pa]) == Self.file(jfif, exif, xmp, photoshop, comment, tables, after: [9, 9]))
    let left = Self.segment(0xED, MemoryFile.bytes("Photoshop 3.0\0", Self.other))
    #expect(try edited([.iptc]) == Self.file(jfif, left, exif, xmp, parts, comment, tables, after: [9, 9]))
    #expect(try edited([.geoTIFF]) == Self.file(jfif, exif, xmp, photoshop, parts, comment, tables, after: [9, 9]))
    #expect(try edited([.iptc, .other, .exif, .xmp, .text]) == Self.file(jfif, tables))
  }

  @Test func editPutsSegmentsAfterJFIF() throws {
    let new = Self.segment(0xE1, MemoryFile.bytes("Exif\0\0", "MM\0*"))
    let result = try edited([.exif, .xmp, .text, .iptc, .other], [.exif: Array("MM\0*".utf8)])
    #expect(result == Self.file(Self.jfif, new, Self.tables))
    #expect(throws: CoderError.self) {
      try edited([.exif], [.exif: [UInt8](repeating: 0, count: 65_528)])
    }
  }

  /// Its codestream is turned by what Exif says.
  @Test func theTurnStaysWithoutExif() throws {
    let exif = ExifOrientation.payload(.right)
    let turned = Self.segment(0xE1, MemoryFile.bytes("Exif\0\0", exif))
    let file = Self.file(Self.jfif, Self.segment(0xE1, MemoryFile.bytes("Exif\0\0", exif, 1, 2)), Self.comment)
    let edits = MetadataBlockEdits(removed: [.exif])
    #expect(try StoredJPEG(parsing: file).edited(edits) == Self.file(Self.jfif, turned, Self.comment))
  }

  @Test func filesWithoutAScanAreRefused() {
    let file = Self.file(Self.jfif)
    for count in 0..<(file.count - Self.scan.count + 1) {
      #expect(throws: CoderError.self) { try StoredJPEG(parsing: Array(file.prefix(count))) }
    }
  }

  /// A reconstruction that is none goes, and that is said.
  @Test func aJPEGThatCannotBeRestoredIsDropped() throws {
    let signature = BoxIndex.signature + Self.box("ftyp", Array("jxl \0\0\0\0jxl ".utf8))
    let codestream = Self.box("jxlc", [0xFF, 0x0A, 7])
    let file = signature + Self.box("jbrd", [1]) + Self.credentials + codestream
    let made = try MemoryFile.made(of: file, .jpegXL) { context throws(CoderError) in
      try JXLMetadata.edit(context, MetadataBlockEdits(removed: [.text]))
    }
    #expect(made.bytes == signature + Self.credentials + codestream)
    #expect(made.facts["dropped"] == .text("stored JPEG"))
  }

  @Test func credentialsAreABox() throws {
    let start = BoxIndex.signature + Self.box("ftyp", Array("jxl \0\0\0\0jxl ".utf8))
    let codestream = Self.box("jxlc", [0xFF, 0x0A, 7])
    let file = start + Self.credentials + codestream
    let index = try BoxIndex(parsing: MemorySource(file).view)
    #expect(index.metadata[.c2pa].map { Array(file[$0.start..<$0.end]) } == Self.credentials)
    func edited(_ removed: Set<MetadataBlock>) throws -> (bytes: [UInt8], facts: Properties) {
      try MemoryFile.made(of: file, .jpegXL) { context throws(CoderError) in
        try JXLMetadata.edit(context, MetadataBlockEdits(removed: removed))
      }
    }
    #expect(try edited([.c2pa]).bytes == start + codestream)
    #expect(try edited([.text]).bytes == file)
    #expect(try edited([.text]).facts["dropped"] == nil)
  }
}
