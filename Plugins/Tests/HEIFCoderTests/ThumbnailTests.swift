// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import Foundation
import ImageCoderPlugin
import Testing

@testable import HEIFCoder

/// The file's own thumbnail, which is decoded when it is offered.
@Suite struct ThumbnailTests {
  private let source: MemorySource
  private let host = MemoryHost()
  /// Where the bytes of the items begin.
  private let items: Int

  init() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let bytes = [UInt8](
      try Data(contentsOf: folder.appending(path: "../../../Tests/Fixtures/heif/valid/thumbnail.heic")))
    source = MemorySource(bytes)
    items = try #require(bytes.firstRange(of: Array("mdat".utf8))).upperBound
  }

  /// - Returns: A reader, the size of the picture, and a request for half of it.
  private func open() throws -> (reader: HEIFReader, whole: Size, half: DecodeRequest) {
    let reader = try HEIFReader(source.view, host: host.host, options: [])
    let whole = try reader.header(page: 0).canvas
    return (reader, whole, DecodeRequest(size: Size(width: whole.width / 2, height: whole.height / 2)))
  }

  private func decode(_ offer: DecodeOffer, of reader: HEIFReader) throws -> [UInt8] {
    let sink = MemorySink(offer)
    try reader.decode(offer, into: sink.sink)
    return sink.pixels
  }

  @Test func whatWasDecodedForTheOfferIsDrawn() throws {
    let (reader, _, half) = try open()
    let offer = try reader.offer(for: half)
    #expect(offer.size == half.size)
    let first = try decode(offer, of: reader)
    // Nothing of it is kept then, so it is decoded again.
    #expect(try decode(offer, of: reader) == first)
    #expect(try reader.offer(for: half) == offer)

    let next = try open().reader
    let kept = try next.offer(for: half)
    source.clear(from: items)
    #expect(try decode(kept, of: next) == first)
    #expect(throws: CoderError.self) { try decode(kept, of: next) }
  }

  @Test func oneThatDoesNotDecodeIsNotOffered() throws {
    let (reader, whole, half) = try open()
    source.clear(from: items)
    #expect(try reader.offer(for: half).size == whole)
  }
}
