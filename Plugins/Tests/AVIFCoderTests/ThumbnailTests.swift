// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import Foundation
import ImageCoderPlugin
import Testing

@testable import AVIFCoder

/// The file's own thumbnail, which is decoded when it is offered.
@Suite struct ThumbnailTests {
  private let bytes: [UInt8]
  private let host = MemoryHost()
  /// Where the thumbnail's bytes begin, the last of the file: at the second of its temporal delimiters.
  private let item: Int

  init() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    bytes = [UInt8](
      try Data(contentsOf: folder.appending(path: "../../../Tests/Fixtures/avif/valid/thumbnail.avif")))
    item = try #require(bytes.ranges(of: [0x12, 0, 0x0A]).last).lowerBound
  }

  /// - Returns: The size of the picture, and what is offered for a quarter of it.
  private func offered(
    _ source: MemorySource, arriving: Bool = false
  ) throws -> (reader: AVIFReader, whole: Size, quarter: Size, offer: DecodeOffer) {
    let reader = try AVIFReader(source.view, host: host.host, options: arriving ? [.incremental] : [])
    let whole = try reader.header(page: 0).canvas
    let quarter = Size(width: whole.width / 4, height: whole.height / 4)
    return (reader, whole, quarter, try reader.offer(for: DecodeRequest(size: quarter)))
  }

  private func decode(_ offer: DecodeOffer, of reader: AVIFReader) throws -> [UInt8] {
    let sink = MemorySink(offer)
    try reader.decode(offer, into: sink.sink)
    return sink.pixels
  }

  @Test func oneThatDecodesIsOffered() throws {
    let source = MemorySource(bytes)
    let (reader, _, quarter, offer) = try offered(source)
    #expect(offer.size == quarter)
    let pixels = try decode(offer, of: reader)
    #expect(try decode(offer, of: reader) == pixels)
    withExtendedLifetime(source) {}
  }

  @Test func oneThatArrivesIsOffered() throws {
    let source = MemorySource(bytes, .incremental)
    let (reader, _, quarter, offer) = try offered(source, arriving: true)
    #expect(offer.size == quarter)
    let whole = MemorySource(bytes)
    let other = try offered(whole)
    #expect(try decode(offer, of: reader) == decode(other.offer, of: other.reader))
    withExtendedLifetime((source, whole)) {}
  }

  @Test func oneThatIsCancelledIsOfferedAgain() throws {
    let source = MemorySource(bytes)
    let reader = try AVIFReader(source.view, host: host.host, options: [])
    let quarter = Size(width: try reader.header(page: 0).canvas.width / 4, height: 1)
    host.isCancelled = true
    let error = #expect(throws: CoderError.self) { try reader.offer(for: DecodeRequest(size: quarter)) }
    #expect(error?.code == .cancelled)
    host.isCancelled = false
    #expect(try reader.offer(for: DecodeRequest(size: quarter)).size.width == quarter.width)
    withExtendedLifetime(source) {}
  }

  @Test func oneThatIsDamagedIsNotOffered() throws {
    let source = MemorySource(bytes[..<item] + [UInt8](repeating: 0xFF, count: bytes.count - item))
    let (reader, whole, _, offer) = try offered(source)
    #expect(offer.size == whole)
    let untouched = MemorySource(bytes)
    let other = try AVIFReader(untouched.view, host: host.host, options: [])
    #expect(try decode(offer, of: reader) == decode(other.offer(for: DecodeRequest()), of: other))
    withExtendedLifetime((source, untouched)) {}
  }

  @Test func oneThatIsCutIsNotOffered() throws {
    let source = MemorySource(Array(bytes.dropLast(40)))
    let (_, whole, _, offer) = try offered(source)
    #expect(offer.size == whole)
    withExtendedLifetime(source) {}
  }
}
