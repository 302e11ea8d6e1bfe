// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import JPEGCoder

/// Density, IPTC, comments, content credentials and bytes after the picture, read and written.
@Suite struct JPEGFactsTests {
  private static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
    [0xFF, marker, UInt8((payload.count + 2) >> 8), UInt8((payload.count + 2) & 255)] + payload
  }

  private static let picture =
    segment(0xC0, [8, 0, 8, 0, 8, 1, 1, 0x11, 0]) + segment(0xDA, [1, 1, 0, 0, 63, 0]) + [0x12, 0x34, 0xFF, 0xD9]

  private static func file(_ segments: [UInt8]..., after: [UInt8] = []) -> [UInt8] {
    [0xFF, 0xD8] + segments.flatMap { $0 } + picture + after
  }

  private static func jfif(_ unit: UInt8, _ x: UInt16, _ y: UInt16) -> [UInt8] {
    segment(
      0xE0,
      MemoryFile.bytes(
        "JFIF\0", 1, 2,
        [unit, UInt8(x >> 8), UInt8(truncatingIfNeeded: x), UInt8(y >> 8), UInt8(truncatingIfNeeded: y)],
        0, 0))
  }

  /// Segments of a box, `most` bytes of payload in each.
  private static func boxes(_ box: [UInt8], most: Int, number: UInt8 = 1) -> [[UInt8]] {
    let payload = box.dropFirst(8)
    return stride(from: 0, to: payload.count, by: most).enumerated().map { index, start in
      segment(
        0xEB,
        MemoryFile.bytes("JP", 0, Int(number), 0, 0, 0, index + 1, Array(box.prefix(8)))
          + payload.dropFirst(start).prefix(most))
    }
  }

  private static let iptc: [UInt8] = [0x1C, 2, 120, 0, 3, 0x61, 0x62, 0x63]
  private static func resource(_ data: [UInt8]) -> [UInt8] {
    MemoryFile.bytes("8BIM", 4, 4, 0, 0, 0, 0, 0, data.count, data) + (data.count % 2 == 1 ? [0] : [])
  }

  private func reader(_ file: [UInt8], _ limits: Limits = .standard) throws(CoderError) -> JPEGReader {
    try JPEGReader(MemorySource(file).view, host: MemoryHost(limits).host, options: [])
  }

  @Test(
    arguments: [
      (UInt8(1), UInt16(300), UInt16(300), 300.0, Double?.none), (1, 204, 98, 204, 98.0 / 204),
      (2, 100, 100, 254, nil), (0, 1, 1, nil, nil), (0, 10, 11, nil, 1.1), (1, 0, 300, nil, nil), (1, 1, 65, nil, nil),
      (3, 72, 72, nil, nil),
    ] as [(UInt8, UInt16, UInt16, Double?, Double?)])
  func densityIsThatOfJFIF(_ unit: UInt8, _ x: UInt16, _ y: UInt16, _ resolution: Double?, _ aspect: Double?) throws {
    let header = try reader(Self.file(Self.jfif(unit, x, y))).header(page: 0)
    #expect(header.resolution == resolution)
    #expect(header.pixelAspect == aspect)
  }

  @Test(
    arguments: [
      (300.0, Double?.none, [1, 300, 300]), (254, nil, [1, 254, 254]), (118.11 * 2.54, 1, [1, 300, 300]),
      (120 * 2.54, nil, [2, 120, 120]), (204, 98.0 / 204, [1, 204, 98]), (nil, 1.25, [0, 800, 1000]),
      (nil, nil, nil), (70_000, nil, [2, 27_559, 27_559]), (200_000, nil, nil), (0.001, nil, nil),
    ] as [(Double?, Double?, [Int]?)])
  func densityIsWrittenInTheNearerUnit(_ resolution: Double?, _ aspect: Double?, _ expected: [Int]?) {
    var header = ImageHeader(
      format: .jpeg, canvas: Size(width: 8, height: 8), pixelFormat: .gray8, bitsPerChannel: 8, alpha: .opaque)
    header.resolution = resolution
    header.pixelAspect = aspect
    #expect(FileHeader.Density(header).map { [$0.unit, $0.x, $0.y] } == expected)
  }

  @Test func iptcIsAResourceOfPhotoshop() throws {
    let prefix = Array("Photoshop 3.0\0".utf8)
    let reader = try reader(Self.file(Self.segment(0xED, prefix + Self.resource(Self.iptc))))
    #expect(try reader.header(page: 0).metadata == [.iptc])
    #expect(try reader.metadata(.iptc, page: 0) == Self.iptc)
  }

  /// A resource that goes on in the next segment.
  @Test func iptcOfTwoSegmentsIsJoined() throws {
    let prefix = Array("Photoshop 3.0\0".utf8)
    let resource = Self.resource(Self.iptc)
    let file = Self.file(
      Self.segment(0xED, prefix + resource.prefix(15)), Self.segment(0xED, prefix + resource.dropFirst(15)))
    #expect(try reader(file).header(page: 0).metadata == [.iptc])
    #expect(try reader(file).metadata(.iptc, page: 0) == Self.iptc)
    #expect(throws: CoderError.self) { try reader(file, Limits(maxMetadata: 20)).metadata(.iptc, page: 0) }
    #expect(try reader(file, Limits(maxMetadata: 20)).header(page: 0).metadata.isEmpty)
  }

  @Test func otherResourcesAreNoIPTC() throws {
    let other = MemoryFile.bytes("Photoshop 3.0\0", "8BIM", 3, 0xED, 0, 0, 0, 0, 0, 2, 1, 2)
    #expect(try reader(Self.file(Self.segment(0xED, other))).header(page: 0).metadata.isEmpty)
    #expect(try reader(Self.file(Self.segment(0xED, Array("Adobe_CM".utf8)))).header(page: 0).metadata.isEmpty)
  }

  @Test func commentsAreTexts() throws {
    let file = Self.file(
      Self.segment(0xFE, Array("Grüße".utf8) + [0]), Self.segment(0xFE, [0x63, 0x61, 0x66, 0xE9]),
      Self.segment(0xFE, [0]))
    let reader = try reader(file)
    #expect(try reader.header(page: 0).metadata == [.text])
    let texts = ContainerText.texts(in: try #require(try reader.metadata(.text, page: 0)))
    #expect(texts == [ContainerText("Grüße"), ContainerText("café")])
  }

  @Test(arguments: [1000, 20, 1]) func credentialsAreJoined(_ most: Int) throws {
    let store = MemoryFile.store(90)
    let parts = Self.boxes(store, most: max(most, 40))
    #expect(parts.count == (most == 1000 ? 1 : 3))
    for segments in [parts, parts.reversed()] {
      let reader = try reader(Self.file(segments.flatMap { $0 }))
      #expect(try reader.header(page: 0).metadata == [.c2pa])
      #expect(try reader.metadata(.c2pa, page: 0) == store)
    }
  }

  @Test func credentialsWithoutAPartAreNone() throws {
    var parts = Self.boxes(MemoryFile.store(90), most: 40)
    parts.remove(at: 1)
    #expect(try reader(Self.file(parts.flatMap { $0 })).metadata(.c2pa, page: 0) == nil)
    #expect(try reader(Self.file(parts.flatMap { $0 })).header(page: 0).metadata.isEmpty)
  }

  @Test func anotherBoxIsNoCredentials() throws {
    var box = MemoryFile.store(4)
    box[16] = 0x78
    #expect(try reader(Self.file(Self.boxes(box, most: 100)[0])).header(page: 0).metadata.isEmpty)
  }

  @Test func trailerIsWhatFollowsTheLastPicture() throws {
    let video = MemoryFile.bytes([0, 0, 0, 16], "ftypmp42", 1, 2, 3, 4)
    #expect(try reader(Self.file(after: video)).metadata(.trailer, page: 0) == video)
    #expect(try reader(Self.file()).metadata(.trailer, page: 0) == nil)
    #expect(try reader(Self.file(after: [0, 0, 0])).metadata(.trailer, page: 0) == nil)
    #expect(throws: CoderError.self) {
      try reader(Self.file(after: video), Limits(maxMetadata: 10)).metadata(.trailer, page: 0)
    }
    let second = Self.file()
    let directory = """
      <x><rdf:li><Container:Item Item:Semantic="Primary"/></rdf:li><rdf:li><Container:Item Item:Semantic="GainMap"
      Item:Length="\(second.count)"/></rdf:li><Container:Item Item:Semantic="MotionPhoto" Item:Length="16"/></x>
      """
    let xmp = Self.segment(0xE1, MemoryFile.bytes("http://ns.adobe.com/xap/1.0/\0", directory))
    #expect(try reader(Self.file(xmp, after: second + video)).metadata(.trailer, page: 0) == video)
  }

  @Test func editTakesCredentialsAlone() throws {
    var other = MemoryFile.store(4)
    other[16] = 0x78
    let (kept, parts) = (Self.boxes(other, most: 100, number: 2)[0], Self.boxes(MemoryFile.store(90), most: 40))
    let comment = Self.segment(0xFE, [0x61])
    let file = Self.file(parts[0], kept, parts[1], comment, parts[2])
    func edited(_ removed: Set<MetadataBlock>) throws -> [UInt8] {
      try MemoryFile.made(of: file, .jpeg) { context throws(CoderError) in
        try JPEGMetadata.edit(context, MetadataBlockEdits(removed: removed))
      }.bytes
    }
    #expect(try edited([.c2pa]) == Self.file(kept, comment))
    #expect(try edited([.text]) == Self.file(parts[0], kept, parts[1], parts[2]))
    #expect(try edited([.other]) == Self.file(comment))
  }

  @Test func writerPutsFactsIntoTheirSegments() throws {
    let file = MemoryFile()
    let writer = try JPEGWriter(file.output, host: MemoryHost().host, options: WriteOptions(format: .jpeg))
    var header = ImageHeader(
      format: .jpeg, canvas: Size(width: 8, height: 8), pixelFormat: .gray8, bitsPerChannel: 8, alpha: .opaque)
    header.resolution = 204
    header.pixelAspect = 98.0 / 204
    try writer.setHeader(header)
    let texts = [ContainerText("Grüße"), ContainerText("a", keyword: "Title")]
    try writer.add(Self.iptc, as: .iptc)
    try writer.add(ContainerText.payload(texts), as: .text)
    try writer.add([1, 2, 3], as: .trailer)
    #expect(throws: CoderError.self) {
      try writer.add(ContainerText.payload([ContainerText(String(repeating: "a", count: 65_534))]), as: .text)
    }
    let pixels = [UInt8](repeating: 90, count: 64)
    try pixels.withUnsafeBytes { bytes in
      let frame = FrameHeader(rect: Rect(covering: header.canvas))
      let base = try #require(bytes.baseAddress)
      try writer.add(
        PixelView(layout: PixelLayout(.gray8, .opaque), size: header.canvas, base: base, stride: 8), frame: frame)
    }
    try writer.finish()
    #expect(
      file.bytes.prefix(20) == [0xFF, 0xD8]
        + Self.segment(0xE0, MemoryFile.bytes("JFIF\0", 1, 1, 1, 0, 204, 0, 98, 0, 0))[...])
    #expect(file.bytes.suffix(5) == [0xFF, 0xD9, 1, 2, 3])
    let reader = try reader(file.bytes)
    #expect(try reader.metadata(.iptc, page: 0) == Self.iptc)
    let read = ContainerText.texts(in: try #require(try reader.metadata(.text, page: 0)))
    #expect(read == [ContainerText("Grüße"), ContainerText("Title: a")])
    #expect(try reader.metadata(.trailer, page: 0) == [1, 2, 3])
  }
}
