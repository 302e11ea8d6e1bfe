// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import WebPCoder

/// The chunk with content credentials, found and taken out.
@Suite struct WebPCredentialsTests {
  private static func chunk(_ name: StaticString, _ payload: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(order: .littleEndian)
    writer.put(FourCC(name))
    writer.put(UInt32(payload.count))
    writer.put(payload)
    writer.putZeros(payload.count % 2)
    return writer.bytes
  }

  private static func riff(_ chunks: [UInt8]...) -> [UInt8] {
    let body = chunks.flatMap { $0 }
    var writer = ByteWriter(order: .littleEndian)
    writer.put("RIFF")
    writer.put(UInt32(body.count + 4))
    writer.put("WEBP")
    return writer.bytes + body
  }

  private static let extended = chunk("VP8X", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
  /// The header of a lossless picture of one pixel.
  private static let picture = chunk("VP8L", [0x2F, 0, 0, 0, 0])

  // What c2pa-rs signs keeps the layout that it has.
  @Test(arguments: [[], extended]) func credentialsAreAChunk(_ before: [UInt8]) throws {
    let store = MemoryFile.store(31)
    let file = Self.riff(before, Self.picture, Self.chunk("C2PA", store), Self.chunk("ABCD", [1]))
    let parsed = try WebPFile(parsing: MemorySource(file).view, limits: .standard, isIncremental: false)
    #expect(parsed.metadata.mapValues { Array(file[$0]) } == [.c2pa: store])
  }

  @Test(
    arguments: [
      ([MetadataBlock.c2pa], ["ABCD"]), ([.text, .exif], ["C2PA", "ABCD"]), ([.other], []),
    ] as [([MetadataBlock], [String])])
  func editTakesTheChunkAlone(_ removed: [MetadataBlock], _ left: [String]) throws {
    let store = MemoryFile.store(31)
    let chunks = ["C2PA": Self.chunk("C2PA", store), "ABCD": Self.chunk("ABCD", [1])]
    let file = Self.riff(Self.extended, Self.picture, Self.chunk("C2PA", store), Self.chunk("ABCD", [1]))
    let edits = MetadataBlockEdits(removed: Set(removed))
    let edited = try MemoryFile.made(of: file, .webP) { context throws(CoderError) in
      try WebPMetadata.edit(context, edits)
    }.bytes
    let kept = left.flatMap { chunks[$0] ?? [] }
    #expect(edited == (left.isEmpty ? Self.riff(Self.picture) : Self.riff(Self.extended, Self.picture, kept)))
  }
}
