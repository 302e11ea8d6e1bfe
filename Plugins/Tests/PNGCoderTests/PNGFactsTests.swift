// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import PNGCoder

/// Density, texts, IPTC and content credentials, read, written and taken out.
@Suite struct PNGFactsTests {
  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  private static let start = LibPNG.chunk(.ihdr, [0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0])
  /// One black pixel: a filter byte and a sample, stored by zlib.
  private static let end =
    LibPNG.chunk(.idat, [0x78, 1, 1, 2, 0, 0xFD, 0xFF, 0, 0, 0, 2, 0, 1]) + LibPNG.chunk(.iend, [])

  private static func file(_ chunks: [UInt8]...) -> [UInt8] { signature + start + chunks.flatMap { $0 } + end }

  private static func text(_ name: FourCC, _ data: String) -> [UInt8] { LibPNG.chunk(name, Array(data.utf8)) }

  private func reader(_ file: [UInt8], _ limits: Limits = .standard) throws(CoderError) -> PNGReader {
    try PNGReader(MemorySource(file).view, host: MemoryHost(limits).host, options: [])
  }

  @Test(
    arguments: [
      ([0, 0, 0x2E, 0x23, 0, 0, 0x2E, 0x23, 1], 300.0, Double?.none), ([0, 0, 11, 19, 0, 0, 22, 38, 1], 72.01, 2),
      ([0, 0, 0, 4, 0, 0, 0, 3, 0], nil, 0.75), ([0, 0, 0, 1, 0, 0, 0, 1, 0], nil, nil),
      ([0, 0, 0, 0, 0, 0, 0, 1, 1], nil, nil), ([0, 0, 0, 1, 0, 0, 0, 65, 1], nil, nil),
    ] as [([UInt8], Double?, Double?)])
  func densityIsThatOfPHYs(_ data: [UInt8], _ resolution: Double?, _ aspect: Double?) throws {
    let header = try reader(Self.file(LibPNG.chunk(.phys, data))).header(page: 0)
    #expect(header.resolution == resolution)
    #expect(header.pixelAspect == aspect)
  }

  @Test func textChunksAreTexts() throws {
    let latin1 = LibPNG.chunk(.text, Array("Title\0caf".utf8) + [0xE9])
    let international = Self.text(.itxt, "Author\0\0\0de\0Autor\0Grüße")
    // "ok", stored by zlib.
    let packed = LibPNG.chunk(
      .ztxt, Array("Comment\0\0".utf8) + [0x78, 1, 1, 2, 0, 0xFD, 0xFF, 0x6F, 0x6B, 1, 0x4B, 0, 0xDB])
    let file = Self.file(
      latin1, Self.text(.itxt, "XML:com.adobe.xmp\0\0\0\0\0<x/>"), international,
      Self.text(.text, "Raw profile type foo\0\nfoo\n1\n00\n"), packed)
    let reader = try reader(file)
    #expect(try reader.header(page: 0).metadata == [.xmp, .text])
    let texts = ContainerText.texts(in: try #require(try reader.metadata(.text, page: 0)))
    #expect(
      texts == [
        ContainerText("café", keyword: "Title"), ContainerText("Grüße", keyword: "Author"), ContainerText("ok"),
      ])
    #expect(throws: CoderError.self) { try self.reader(file, Limits(maxMetadata: 26)).metadata(.text, page: 0) }
  }

  @Test func iptcIsARawProfile() throws {
    // 8BIM, 0x0404, an empty name, 8 bytes of data sets.
    let resource = "3842494d04040000000000081c02780003616263"
    for (kind, bytes) in [("iptc", resource), ("8bim", resource), ("iptc", "1c02780003616263")] {
      let text = "Raw profile type \(kind)\0\n\(kind)\n      \(bytes.count / 2)\n\(bytes)\n"
      let reader = try reader(Self.file(Self.text(.text, text)))
      #expect(try reader.header(page: 0).metadata == [.iptc])
      #expect(try reader.metadata(.iptc, page: 0) == [0x1C, 2, 120, 0, 3, 0x61, 0x62, 0x63])
    }
    let other = "Raw profile type 8bim\0\n8bim\n14\n3842494d03ed0000000000020102\n"
    #expect(try reader(Self.file(Self.text(.text, other))).header(page: 0).metadata.isEmpty)
  }

  @Test func credentialsAreAChunk() throws {
    let store = MemoryFile.store(40)
    let file = Self.file(LibPNG.chunk(.cabx, store), Self.text(.text, "Comment\0a"))
    let reader = try reader(file)
    #expect(try reader.header(page: 0).metadata == [.c2pa, .text])
    #expect(try reader.metadata(.c2pa, page: 0) == store)
    #expect(throws: CoderError.self) { try self.reader(file, Limits(maxMetadata: 30)).metadata(.c2pa, page: 0) }
    func edited(_ removed: Set<MetadataBlock>) throws -> [UInt8] {
      try MemoryFile.made(of: file, .png) { context throws(CoderError) in
        try PNGMetadata.edit(context, MetadataBlockEdits(removed: removed))
      }.bytes
    }
    #expect(try edited([.c2pa]) == Self.file(Self.text(.text, "Comment\0a")))
    #expect(try edited([.text]) == Self.file(LibPNG.chunk(.cabx, store)))
  }

  @Test(
    arguments: [
      (300.0, Double?.none, [0, 0, 0x2E, 0x23, 0, 0, 0x2E, 0x23, 1]), (72.01, 2, [0, 0, 11, 19, 0, 0, 22, 38, 1]),
      (nil, 0.75, [0, 0, 0x27, 0x10, 0, 0, 0x1D, 0x4C, 0]), (nil, nil, nil), (nil, 1, nil), (1e12, nil, nil),
    ] as [(Double?, Double?, [UInt8]?)])
  func densityIsWrittenForAMetre(_ resolution: Double?, _ aspect: Double?, _ expected: [UInt8]?) {
    var header = ImageHeader(
      format: .png, canvas: Size(width: 8, height: 8), pixelFormat: .gray8, bitsPerChannel: 8, alpha: .opaque)
    header.resolution = resolution
    header.pixelAspect = aspect
    #expect(LibPNG.densityChunk(header) == expected.map { LibPNG.chunk(.phys, $0) } ?? [])
  }

  @Test func textsAreWrittenInLatin1IfTheyFit() {
    #expect(
      LibPNG.textChunk(ContainerText("café", keyword: "Title"))
        == LibPNG.chunk(.text, Array("Title\0caf".utf8) + [0xE9]))
    #expect(LibPNG.textChunk(ContainerText("č")) == Self.text(.itxt, "Comment\0\0\0\0\0č"))
    #expect(LibPNG.textChunk(ContainerText("a", keyword: " č ")) == Self.text(.text, "Comment\0a"))
    let long = String(repeating: "k", count: 90)
    #expect(LibPNG.textChunk(ContainerText("a", keyword: long)) == Self.text(.text, "\(long.prefix(79))\0a"))
  }

  @Test func writerPutsFactsBeforeThePixels() throws {
    let file = MemoryFile()
    let writer = try PNGWriter(file.output, host: MemoryHost().host, options: WriteOptions(format: .png))
    var header = ImageHeader(
      format: .png, canvas: Size(width: 8, height: 8), pixelFormat: .gray8, bitsPerChannel: 8, alpha: .opaque)
    header.resolution = 300
    _ = try writer.layout(for: PixelLayout(.gray8, .opaque))
    try writer.setHeader(header)
    try writer.add(ContainerText.payload([ContainerText("a"), ContainerText("č")]), as: .text)
    let pixels = [UInt8](repeating: 90, count: 64)
    try pixels.withUnsafeBytes { bytes in
      let base = try #require(bytes.baseAddress)
      try writer.add(
        PixelView(layout: PixelLayout(.gray8, .opaque), size: header.canvas, base: base, stride: 8),
        frame: FrameHeader(rect: Rect(covering: header.canvas)))
    }
    try writer.finish()
    let lead = LibPNG.chunk(.phys, [0, 0, 0x2E, 0x23, 0, 0, 0x2E, 0x23, 1]) + Self.text(.text, "Comment\0a")
    #expect(file.bytes.dropFirst(33).starts(with: lead + Self.text(.itxt, "Comment\0\0\0\0\0č")))
  }
}
