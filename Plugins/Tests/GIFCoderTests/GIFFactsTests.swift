// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import GIFCoder

/// Comments and content credentials, read, written and taken out, beside frames that stay byte for byte.
@Suite struct GIFFactsTests {
  /// A canvas of one pixel and a palette of two colors.
  private static let screen = MemoryFile.bytes("GIF89a", 1, 0, 1, 0, 0x80, 0, 0, [0, 0, 0, 255, 255, 255])
  private static let frame = MemoryFile.bytes(
    0x21, 0xF9, 4, 0, 5, 0, 0, 0, 0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0)
  private static let loop = MemoryFile.bytes(0x21, 0xFF, 11, "NETSCAPE2.0", 3, 1, 0, 0, 0)
  private static let other = MemoryFile.bytes(0x21, 0xFF, 11, "STARDIV 5.0", 2, 7, 7, 0)
  private static let profile = MemoryFile.bytes(0x21, 0xFF, 11, "ICCRGBG1012", 3, 1, 2, 3, 0)
  private static let packet = MemoryFile.bytes(0x21, 0xFF, 11, "XMP DataXMP", "<x/>", ApplicationExtension.xmpTrailer)

  private static func comment(_ bytes: [UInt8]) -> [UInt8] { MemoryFile.bytes(0x21, 0xFE, bytes.count, bytes, 0) }

  private static func credentials(_ store: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.put(MemoryFile.bytes(0x21, 0xFF, 11, "C2PA_GIF", 1, 0, 0))
    writer.putSubBlocks(store)
    return writer.bytes
  }

  private static func file(_ blocks: [UInt8]..., after: [UInt8] = []) -> [UInt8] {
    screen + blocks.flatMap { $0 } + [0x3B] + after
  }

  private func reader(_ file: [UInt8], _ limits: Limits = .standard) throws(CoderError) -> GIFReader {
    try GIFReader(MemorySource(file).view, host: MemoryHost(limits).host, options: [])
  }

  private func edited(_ file: [UInt8], _ edits: MetadataBlockEdits) throws -> [UInt8] {
    try MemoryFile.made(of: file, .gif) { context throws(CoderError) in try GIFMetadata.edit(context, edits) }.bytes
  }

  @Test func commentsAreTexts() throws {
    let file = Self.file(
      Self.comment(Array("Grüße".utf8)), Self.frame, Self.comment([0x63, 0x61, 0x66, 0xE9]), [0x21, 0xFE, 0])
    let reader = try reader(file)
    #expect(try reader.header(page: 0).metadata == [.text])
    let texts = ContainerText.texts(in: try #require(try reader.metadata(.text, page: 0)))
    #expect(texts == [ContainerText("Grüße"), ContainerText("café")])
    #expect(throws: CoderError.self) { try self.reader(file, Limits(maxMetadata: 10)).metadata(.text, page: 0) }
  }

  @Test func credentialsAreInAnExtension() throws {
    let store = MemoryFile.store(400)
    let reader = try reader(Self.file(Self.credentials(store), Self.frame))
    #expect(try reader.header(page: 0).metadata == [.c2pa])
    #expect(try reader.metadata(.c2pa, page: 0) == store)
  }

  @Test(
    arguments: [
      ([MetadataBlock.text], [0, 2, 3, 4, 5]), ([.c2pa], [0, 1, 3, 4, 5]), ([.xmp], [0, 1, 2, 4, 5]),
      ([.icc], [0, 1, 2, 3, 5]),
      ([.exif, .iptc, .geoTIFF], [0, 1, 2, 3, 4, 5]), ([.other], [0, 1, 3, 4]),
    ] as [([MetadataBlock], [Int])])
  func editTakesExtensionsByTheirClass(_ removed: [MetadataBlock], _ left: [Int]) throws {
    let blocks = [
      Self.loop, Self.comment([0x61]), Self.credentials(MemoryFile.store(300)), Self.packet, Self.profile, Self.other,
    ]
    let after: [UInt8] = removed.contains(.other) ? [] : [9, 9]
    let file = Self.file(blocks.flatMap { $0 }, Self.frame, Self.frame, after: [9, 9])
    let expected = Self.file(left.flatMap { blocks[$0] }, Self.frame, Self.frame, after: after)
    #expect(try edited(file, MetadataBlockEdits(removed: Set(removed))) == expected)
  }

  @Test func editPutsBlocksAfterTheLoopCount() throws {
    let edits = MetadataBlockEdits(removed: [.xmp, .icc], payloads: [.xmp: Array("<x/>".utf8), .icc: [1, 2, 3]])
    let file = Self.file(Self.loop, Self.packet, Self.frame)
    #expect(try edited(file, edits) == Self.file(Self.loop, Self.profile, Self.packet, Self.frame))
    var old = file
    old[4] = 0x37
    #expect(try edited(old, edits) == Self.file(Self.loop, Self.profile, Self.packet, Self.frame))
    #expect(throws: CoderError.self) { try edited(file, MetadataBlockEdits(removed: [.exif], payloads: [.exif: [1]])) }
  }

  @Test func filesThatAreCutStayCut() throws {
    let file = Self.file(Self.comment([0x61]), Self.frame)
    for count in 13..<file.count {
      let cut = Array(file.prefix(count))
      #expect(try edited(cut, MetadataBlockEdits(removed: [.c2pa])) == cut)
    }
  }

  @Test func writerPutsCommentsBeforeTheFrames() throws {
    let file = MemoryFile()
    let writer = try GIFWriter(file.output, host: MemoryHost().host, options: WriteOptions(format: .gif))
    let header = ImageHeader(
      format: .gif, canvas: Size(width: 1, height: 1), pixelFormat: .gray8, bitsPerChannel: 8, alpha: .opaque)
    try writer.setHeader(header)
    let long = String(repeating: "a", count: 300)
    let texts = [ContainerText("č"), ContainerText("b", keyword: "Title"), ContainerText(long)]
    try writer.add(ContainerText.payload(texts), as: .text)
    let pixels: [UInt8] = [255]
    try pixels.withUnsafeBytes { bytes in
      let base = try #require(bytes.baseAddress)
      try writer.add(
        PixelView(layout: PixelLayout(.gray8, .opaque), size: header.canvas, base: base, stride: 1),
        frame: FrameHeader(rect: Rect(covering: header.canvas)))
    }
    try writer.finish()
    let read = ContainerText.texts(in: try #require(try reader(file.bytes).metadata(.text, page: 0)))
    #expect(read == [ContainerText("č"), ContainerText("Title: b"), ContainerText(long)])
  }
}
