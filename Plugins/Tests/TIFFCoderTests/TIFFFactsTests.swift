// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import TIFFCoder

/// Density, IPTC, GeoTIFF and content credentials, read, written and taken out.
@Suite struct TIFFFactsTests {
  private static let fields = TIFFFieldWriter(order: .littleEndian)
  private static let iptc: [UInt8] = [0x1C, 2, 120, 0, 3, 0x61, 0x62, 0x63]
  private static let scale = TIFFField(
    tag: 33550, type: .double, count: 3,
    value: [0, 0, 0, 0, 0, 0, 0xE0, 0x3F] + [0, 0, 0, 0, 0, 0, 0xE0, 0x3F] + [UInt8](repeating: 0, count: 8))
  private static let noData = TIFFField(tag: 42113, type: .ascii, count: 3, value: [0x2D, 0x39, 0])

  private static func rational(_ tag: Int, _ above: UInt32, _ below: UInt32) -> TIFFField {
    var writer = ByteWriter(order: .littleEndian)
    writer.put(above)
    writer.put(below)
    return TIFFField(tag: tag, type: .rational, count: 1, value: writer.bytes)
  }

  /// A gray picture of 2 × 1 pixels, whose strip is in the header.
  private static func file(_ more: [TIFFField]) throws -> [UInt8] {
    let picture = [
      fields.long(256, 2), fields.long(257, 1), fields.shorts(258, [8]), fields.shorts(259, [1]),
      fields.shorts(262, [1]), fields.long(273, 0), fields.long(278, 1), fields.long(279, 2),
    ]
    return try fields.header(firstDirectory: 8) + fields.directory(picture + more, at: 8)
  }

  private func reader(_ file: [UInt8], _ limits: Limits = .standard) throws(CoderError) -> TIFFReader {
    try TIFFReader(MemorySource(file).view, host: MemoryHost(limits).host, options: [])
  }

  @Test(
    arguments: [
      ([rational(282, 300, 1), rational(283, 300, 1)], 300.0, Double?.none),
      ([rational(282, 240, 2), rational(283, 60, 1), fields.shorts(296, [3])], 120 * 2.54, 0.5),
      ([rational(282, 1, 1), rational(283, 2, 1), fields.shorts(296, [1])], nil, 2),
      ([rational(282, 300, 0), rational(283, 300, 1)], nil, nil), ([rational(282, 300, 1)], nil, nil),
      ([rational(282, 1, 1), rational(283, 65, 1)], nil, nil), ([], nil, nil),
    ] as [([TIFFField], Double?, Double?)])
  func densityIsThatOfTheDirectory(_ more: [TIFFField], _ resolution: Double?, _ aspect: Double?) throws {
    let header = try reader(Self.file(more)).header(page: 0)
    #expect(header.resolution == resolution)
    #expect(header.pixelAspect == aspect)
  }

  @Test func iptcIsATagOrAResource() throws {
    let tag = try reader(Self.file([Self.fields.undefined(33723, Self.iptc)]))
    #expect(try tag.header(page: 0).metadata == [.iptc])
    #expect(try tag.metadata(.iptc, page: 0) == Self.iptc)
    let words: [UInt8] = [0, 120, 2, 0x1C, 0x63, 0x62, 0x61, 3]
    let swapped = try reader(Self.file([Self.fields.undefined(33723, words)]))
    #expect(try swapped.metadata(.iptc, page: 0) == [0x1C, 2, 120, 0, 3, 0x61, 0x62, 0x63])
    let resource = MemoryFile.bytes("8BIM", 4, 4, 0, 0, 0, 0, 0, Self.iptc.count, Self.iptc)
    let other = MemoryFile.bytes("8BIM", 3, 0xED, 0, 0, 0, 0, 0, 2, 1, 2)
    let resources = try reader(Self.file([Self.fields.undefined(34377, other + resource)]))
    #expect(try resources.header(page: 0).metadata == [.iptc])
    #expect(try resources.metadata(.iptc, page: 0) == Self.iptc)
    #expect(try reader(Self.file([Self.fields.undefined(34377, other)])).header(page: 0).metadata.isEmpty)
  }

  @Test func geoTIFFIsAStructureOfItsTags() throws {
    let reader = try reader(Self.file([Self.scale, Self.noData, Self.fields.undefined(50_000, [9, 9, 9, 9, 9])]))
    #expect(try reader.header(page: 0).metadata == [.geoTIFF])
    let payload = try #require(try reader.metadata(.geoTIFF, page: 0))
    // A header, two entries, no further directory, and the numbers: 8 + 2 + 24 + 4.
    #expect(payload.count == 38 + 24)
    #expect(payload.prefix(10) == [0x49, 0x49, 42, 0, 8, 0, 0, 0, 2, 0])
    #expect(payload[10..<22] == [0x0E, 0x83, 12, 0, 3, 0, 0, 0, 38, 0, 0, 0])
    #expect(payload[22..<34] == [0x81, 0xA4, 2, 0, 3, 0, 0, 0, 0x2D, 0x39, 0, 0])
    #expect(payload[38...] == Self.scale.value[...])
  }

  @Test func credentialsAreATag() throws {
    let store = MemoryFile.store(20)
    let reader = try reader(Self.file([Self.fields.undefined(0xCD41, store)]))
    #expect(try reader.header(page: 0).metadata == [.c2pa])
    #expect(try reader.metadata(.c2pa, page: 0) == store)
  }

  @Test func payloadsAreHeldToTheLimit() throws {
    let file = try Self.file([
      Self.scale, Self.fields.undefined(33723, Self.iptc), Self.fields.undefined(0xCD41, MemoryFile.store(20)),
    ])
    let reader = try reader(file, Limits(maxMetadata: 7))
    for kind in [MetadataKind.iptc, .geoTIFF, .c2pa] {
      #expect(throws: CoderError.self) { try reader.metadata(kind, page: 0) }
    }
  }

  @Test(
    arguments: [
      ([MetadataBlock.c2pa], [269, 33550, 33723, 34377, 42113, 50_000]),
      ([.geoTIFF], [269, 33723, 34377, 50_000, 52_545]), ([.other], [269, 33550, 33723, 42113]),
      ([.text, .iptc, .other, .geoTIFF], []), ([.text], [33550, 33723, 34377, 42113, 50_000, 52_545]),
    ] as [([MetadataBlock], [Int])])
  func editTakesTagsByTheirClass(_ removed: [MetadataBlock], _ left: [Int]) throws {
    let other = MemoryFile.bytes("8BIM", 3, 0xED, 0, 0, 0, 0, 0, 2, 1, 2)
    let file = try Self.file([
      Self.rational(282, 300, 1), Self.fields.undefined(269, Array("page\0".utf8), type: .ascii), Self.scale,
      Self.fields.undefined(33723, Self.iptc), Self.fields.undefined(34377, other), Self.noData,
      Self.fields.undefined(50_000, Array("private".utf8)), Self.fields.undefined(0xCD41, MemoryFile.store(20)),
    ])
    let edited = try MemoryFile.made(of: file, .tiff) { context throws(CoderError) in
      try TIFFMetadata.edit(context, MetadataBlockEdits(removed: Set(removed)))
    }.bytes
    let source = try TIFFSource(MemorySource(edited).view)
    let directory = try TIFFDirectory(source, at: source.firstDirectory)
    #expect(directory.entries.map(\.tag) == ([256, 257, 258, 259, 262, 273, 278, 279, 282] + left).sorted())
    if removed.contains(.other) {
      // What is taken out is overwritten.
      #expect(!edited.indices.dropLast(6).contains { edited[$0...].starts(with: Array("private".utf8)) })
    }
  }

  @Test(arguments: [(300.0, Double?.none), (254, 0.5), (nil, 2)] as [(Double?, Double?)])
  func writerKeepsFacts(_ resolution: Double?, _ aspect: Double?) throws {
    let file = MemoryFile()
    let writer = try TIFFWriter(file.output, host: MemoryHost().host, options: WriteOptions(format: .tiff))
    var header = ImageHeader(
      format: .tiff, canvas: Size(width: 4, height: 4), pixelFormat: .gray8, bitsPerChannel: 8, alpha: .opaque)
    header.resolution = resolution
    header.pixelAspect = aspect
    try writer.setHeader(header)
    let place = try #require(try reader(Self.file([Self.scale, Self.noData])).metadata(.geoTIFF, page: 0))
    try writer.add(Self.iptc, as: .iptc)
    try writer.add(place, as: .geoTIFF)
    let pixels = [UInt8](repeating: 90, count: 16)
    try pixels.withUnsafeBytes { bytes in
      let base = try #require(bytes.baseAddress)
      try writer.add(
        PixelView(layout: PixelLayout(.gray8, .opaque), size: header.canvas, base: base, stride: 4),
        frame: FrameHeader(rect: Rect(covering: header.canvas)))
    }
    try writer.finish()
    let written = try reader(file.bytes)
    #expect(try written.header(page: 0).metadata == [.iptc, .geoTIFF])
    #expect(try written.header(page: 0).resolution == resolution)
    #expect(try written.header(page: 0).pixelAspect == aspect)
    #expect(try written.metadata(.iptc, page: 0) == Self.iptc)
    #expect(try written.metadata(.geoTIFF, page: 0) == place)
  }
}
