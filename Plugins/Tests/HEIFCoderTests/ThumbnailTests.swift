// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import Foundation
import ImageCoderPlugin
import Testing

@testable import HEIFCoder

/// The file's own thumbnail, which is decoded when it is offered.
@Suite struct ThumbnailTests {
  private static func file() throws -> [UInt8] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    return [UInt8](try Data(contentsOf: folder.appending(path: "../../../Tests/Fixtures/heif/valid/thumbnail.heic")))
  }

  private static func decode(_ offer: DecodeOffer, of reader: HEIFReader) throws -> [UInt8] {
    let sink = MemorySink(offer)
    try reader.decode(offer, into: sink.sink)
    return sink.pixels
  }

  @Test func whatWasDecodedForTheOfferIsDrawn() throws {
    let bytes = try Self.file()
    let (source, host) = (MemorySource(bytes), MemoryHost())
    defer { withExtendedLifetime((source, host)) {} }
    let reader = try HEIFReader(source.view, host: host.host, options: [])
    let whole = try reader.header(page: 0).canvas
    let request = DecodeRequest(size: Size(width: whole.width / 2, height: whole.height / 2))
    let offer = try reader.offer(for: request)
    #expect(offer.size == Size(width: whole.width / 2, height: whole.height / 2))
    let first = try Self.decode(offer, of: reader)
    // Nothing of it is kept then, so it is decoded again.
    #expect(try Self.decode(offer, of: reader) == first)
    let other = try reader.offer(for: request)
    #expect(other == offer)

    let next = try HEIFReader(source.view, host: host.host, options: [])
    let kept = try next.offer(for: request)
    let items = try #require(bytes.firstRange(of: Array("mdat".utf8))).upperBound
    source.clear(from: items)
    #expect(try Self.decode(kept, of: next) == first)
    #expect(throws: CoderError.self) { try Self.decode(kept, of: next) }
  }

  @Test func oneThatDoesNotDecodeIsNotOffered() throws {
    let bytes = try Self.file()
    let (source, host) = (MemorySource(bytes), MemoryHost())
    defer { withExtendedLifetime((source, host)) {} }
    let reader = try HEIFReader(source.view, host: host.host, options: [])
    let whole = try reader.header(page: 0).canvas
    source.clear(from: try #require(bytes.firstRange(of: Array("mdat".utf8))).upperBound)
    let request = DecodeRequest(size: Size(width: whole.width / 2, height: whole.height / 2))
    #expect(try reader.offer(for: request).size == whole)
  }
}
