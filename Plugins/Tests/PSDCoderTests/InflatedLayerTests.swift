// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import PSDCoder

/// Layers whose channels are zlib streams, as Photoshop stores those of 16 and 32 bits.
@Suite struct InflatedLayerTests {
  private static func zip(_ bytes: [UInt8], isPredicted: Bool = false) -> [UInt8] {
    [0, isPredicted ? 3 : 2] + SmallFile.zlib(bytes)
  }

  /// A layer of gray, of one column unless it has two samples in a row.
  private static func gray(width: Int32 = 1, height: Int32 = 1, _ channel: [UInt8]) -> SmallLayer {
    SmallLayer(name: "gray", edges: [0, 0, height, width], channels: [(0, channel)])
  }

  /// A file of more than 8 bits, whose layers are in a block of their own.
  private static func deepFile(_ layer: SmallLayer, depth: UInt16) -> SmallFile {
    var file = SmallLayer.file([], mode: .gray)
    (file.channels, file.depth, file.layers) = (1, depth, [])
    let content = [0, 1] + layer.record(false) + layer.channels.flatMap(\.1)
    let padding = [UInt8](repeating: 0, count: (4 - content.count % 4) % 4)
    file.blocks = Array("8BIMLr\(depth)".utf8) + [0, 0, 0, UInt8(content.count)] + content + padding
    return file
  }

  /// Each channel is compressed by itself.
  @Test func channelsOfEightBits() throws {
    let layer = SmallLayer(
      name: "square", edges: [0, 0, 1, 2],
      channels: [
        (0, Self.zip([10, 20])), (1, Self.zip([10, 20], isPredicted: true)), (2, [0, 0, 50, 60]),
        (-1, [0, 1, 0, 2, 0xFF, 7]),
      ])
    let found = try SmallLayer.pixels(try SmallLayer.file([layer]).reader(), page: 1)
    #expect(found.pixels == [10, 10, 50, 7, 20, 30, 60, 7] && found.problem == nil)
  }

  @Test func samplesOfSixteenBits() throws {
    let layer = Self.gray(width: 2, height: 2, Self.zip([0x12, 0x34, 0, 1, 0xFF, 0xFF, 0, 2], isPredicted: true))
    let reader = try Self.deepFile(layer, depth: 16).reader()
    let header = try reader.header(page: 1)
    #expect(header.pixelFormat == .gray16 && header.bitsPerChannel == 16 && header.canvas == Size(width: 2, height: 2))
    let found = try SmallLayer.pixels(reader, page: 1)
    let words = stride(from: 0, to: found.pixels.count, by: 2).map {
      UInt16(found.pixels[$0]) | UInt16(found.pixels[$0 + 1]) << 8
    }
    #expect(words == [0x1234, 0x1235, 0xFFFF, 0x0001] && found.problem == nil)
  }

  @Test func samplesOfThirtyTwoBits() throws {
    // 0.5 and -2 are 3F000000 and C0000000: the upper bytes first, then differences of bytes.
    let layer = Self.gray(width: 2, Self.zip([0x3F, 0x81, 0x40, 0, 0, 0, 0, 0], isPredicted: true))
    let reader = try Self.deepFile(layer, depth: 32).reader()
    #expect(try reader.header(page: 1).pixelFormat == .rgbaFloat32)
    let pixels = try SmallLayer.pixels(reader, page: 1).pixels
    let floats = pixels.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: 4).map { bytes.loadUnaligned(fromByteOffset: $0, as: Float.self) }
    }
    #expect(floats == [0.5, 0.5, 0.5, 1, -2, -2, -2, 1])
  }

  @Test func damagedStreamsDeliverTheirRows() throws {
    func found(_ stream: [UInt8], height: Int32 = 2) throws -> (pixels: [UInt8], problem: CoderError?) {
      let file = SmallLayer.file([Self.gray(height: height, [0, 2] + stream)], mode: .gray)
      return try SmallLayer.pixels(try file.reader(), page: 1)
    }
    let whole = SmallFile.zlib([7, 9])
    #expect(try found(whole).pixels == [7, 9])
    // The channel ends within the stream, although the file does not.
    let cut = try found(Array(whole.prefix(8)))
    #expect(cut.pixels == [7, 0] && cut.problem?.code == .truncated)
    // The stream ends before the rows do.
    let short = try found(whole, height: 3)
    #expect(short.pixels == [7, 9, 0] && short.problem?.code == .malformed)
    // After the first stored block comes one of a kind that there is not.
    let odd = try found([0x78, 0x01, 0, 1, 0, 0xFE, 0xFF, 7, 0x07])
    #expect(odd.pixels == [7, 0] && odd.problem?.code == .malformed)
    let unequal = try found(whole.dropLast() + [0])
    #expect(unequal.pixels == [7, 9] && unequal.problem?.code == .checksumMismatch)
    #expect(try found([1, 2, 3, 4]).problem?.code == .malformed)
  }

  /// A record of a few bytes may state a layer of any size.
  @Test func memoryIsAllowedBeforeItIsTaken() throws {
    let file = SmallLayer.file([Self.gray(width: 4_000, height: 4_000, Self.zip([1]))], mode: .gray)
    var limits = Limits.standard
    limits.maxMemory = 10_000_000
    let reader = try PSDReader(MemorySource(file.bytes).view, host: MemoryHost(limits).host, options: [])
    let offer = try reader.offer(for: DecodeRequest(page: 1))
    #expect(offer.memory > 16_000_000)
    #expect { try reader.decode(offer, into: MemorySink(offer, most: 1).sink) } throws: {
      ($0 as? CoderError)?.limit == .maxMemory
    }
  }
}
