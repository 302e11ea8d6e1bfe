// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import JPEG2000Coder

/// Density, IPTC, GeoJP2 and content credentials, read, written and taken out.
@Suite struct JP2FactsTests {
  private static func box(_ type: StaticString, _ payload: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.box(FourCC(type)) { $0.put(payload) }
    return writer.bytes
  }

  private static let codestream = box("jp2c", [0xFF, 0x4F, 0xFF, 0x51])
  private static let iptc: [UInt8] = [0x1C, 2, 120, 0, 1, 0x61]
  private static let place = Array("II*\0".utf8)

  private static func file(_ boxes: [UInt8]..., header: [UInt8] = []) -> [UInt8] {
    JP2Header.signature + box("jp2h", header) + boxes.flatMap { $0 } + codestream
  }

  private func header(_ file: [UInt8]) throws(CoderError) -> FileHeader {
    try FileHeader(parsing: MemorySource(file).view, isIncremental: false)
  }

  private func pictureHeader(_ resolution: Double?, _ aspect: Double?) -> ImageHeader {
    var header = ImageHeader(
      format: .jpeg2000, canvas: Size(width: 8, height: 8), pixelFormat: .gray8, bitsPerChannel: 8, alpha: .opaque)
    header.resolution = resolution
    header.pixelAspect = aspect
    return header
  }

  @Test func metadataIsInBoxes() throws {
    let store = MemoryFile.store(20)
    let file = Self.file(
      Self.box("uuid", BoxIdentifier.iptc + Self.iptc), Self.box("uuid", BoxIdentifier.geoTIFF + Self.place), store)
    let header = try header(file)
    #expect(Set(header.metadata.keys) == [.iptc, .geoTIFF, .c2pa])
    #expect(header.metadata[.iptc].map { Array(file[$0]) } == Self.iptc)
    #expect(header.metadata[.geoTIFF].map { Array(file[$0]) } == Self.place)
    #expect(header.metadata[.c2pa].map { Array(file[$0]) } == store)
    var other = store
    other[16] = 0x78
    #expect(try self.header(Self.file(other)).metadata.isEmpty)
  }

  /// 150 and 300 per inch are 5905.5 and 11811.0 per metre: 64,960 elevenths, and 59,055 fifths.
  @Test func densityIsWrittenForAnInch() throws {
    var writer = ByteWriter()
    try #require(WrittenResolution(pictureHeader(300, 0.5))).write(to: &writer)
    let numbers: [UInt8] = [0xFD, 0xC0, 0, 11, 0xE6, 0xAF, 0, 5, 0, 0]
    #expect(writer.bytes == Self.box("res ", Self.box("resc", numbers) + Self.box("resd", numbers)))
    let header = try header(Self.file(header: writer.bytes))
    #expect(header.density.resolution == 300)
    #expect(header.density.aspect == 0.5)
  }

  @Test(arguments: [72.0, 96.52, 300, 1200, 25_400, 0.01]) func densityIsReadAsItWasWritten(_ resolution: Double) throws
  {
    var writer = ByteWriter()
    try #require(WrittenResolution(pictureHeader(resolution, nil))).write(to: &writer)
    let header = try header(Self.file(header: writer.bytes))
    #expect(header.density.resolution == resolution)
    #expect(header.density.aspect == nil)
  }

  @Test func densityWithoutANumberIsNone() {
    #expect(WrittenResolution(pictureHeader(nil, 2)) == nil)
    #expect(WrittenResolution(pictureHeader(1e12, nil)) == nil)
  }

  /// GDAL looks for a whole TIFF file of one pixel.
  @Test func geoJP2IsAPictureOfOnePixel() throws {
    let writer = TIFFFieldWriter(order: .bigEndian)
    let keys = writer.shorts(34735, [1, 1, 0, 0])
    let payload = try writer.header(firstDirectory: 8) + writer.directory([keys, writer.long(256, 700)], at: 8)
    let file = try #require(try GeoJP2.file(payload))
    #expect(file.prefix(12) == [0x4D, 0x4D, 0, 42, 0, 0, 0, 10, 0, 0, 0, 10])
    #expect(file[12..<24] == [1, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 1])
    #expect(file.suffix(8) == [0, 1, 0, 1, 0, 0, 0, 0])
    #expect(try GeoJP2.file([1, 2, 3]) == nil)
  }

  @Test func writerPutsMetadataIntoBoxes() {
    let written = JP2Header(
      size: Size(width: 8, height: 8), layout: PixelLayout(.gray8, .opaque), bits: 8, profile: nil, exif: nil, xmp: nil,
      iptc: Self.iptc, geoTIFF: Self.place)
    var writer = ByteWriter()
    written.write(to: &writer)
    let boxes = Self.box("uuid", BoxIdentifier.iptc + Self.iptc) + Self.box("uuid", BoxIdentifier.geoTIFF + Self.place)
    #expect(writer.bytes.suffix(boxes.count) == boxes[...])
  }

  @Test(
    arguments: [
      ([MetadataBlock.exif], [1, 2, 3, 4, 5]), ([.xmp], [0, 2, 3, 4, 5]), ([.iptc], [0, 1, 3, 4, 5]),
      ([.geoTIFF], [0, 1, 2, 4, 5]), ([.c2pa], [0, 1, 2, 3, 5]), ([.other], [0, 1, 2, 3]),
      ([.icc, .text], [0, 1, 2, 3, 4, 5]),
    ] as [([MetadataBlock], [Int])])
  func editTakesBoxesByTheirClass(_ removed: [MetadataBlock], _ left: [Int]) throws {
    let boxes = [
      Self.box("uuid", BoxIdentifier.exif + [1]), Self.box("uuid", BoxIdentifier.xmp + [2]),
      Self.box("uuid", BoxIdentifier.iptc + [3]), Self.box("uuid", BoxIdentifier.geoTIFF + [4]), MemoryFile.store(9),
      Self.box("xml ", [5]),
    ]
    let edits = MetadataBlockEdits(removed: Set(removed))
    let edited = try MemoryFile.made(of: Self.file(boxes.flatMap { $0 }), .jpeg2000) { context throws(CoderError) in
      try JP2Metadata.edit(context, edits)
    }.bytes
    #expect(edited == Self.file(left.flatMap { boxes[$0] }))
  }

  @Test func editPutsBoxesBeforeTheCodestream() throws {
    let edits = MetadataBlockEdits(removed: [.iptc], payloads: [.iptc: Self.iptc])
    let edited = try MemoryFile.made(of: Self.file(), .jpeg2000) { context throws(CoderError) in
      try JP2Metadata.edit(context, edits)
    }.bytes
    #expect(edited == Self.file(Self.box("uuid", BoxIdentifier.iptc + Self.iptc)))
  }

  @Test func theProfileStays() throws {
    let color = Self.box("colr", [2, 0, 0] + [UInt8](repeating: 0, count: 16) + Array("GRAY".utf8))
    #expect(throws: CoderError.self) {
      try MemoryFile.made(of: Self.file(header: color), .jpeg2000) { context throws(CoderError) in
        try JP2Metadata.edit(context, MetadataBlockEdits(removed: [.icc]))
      }
    }
  }
}
