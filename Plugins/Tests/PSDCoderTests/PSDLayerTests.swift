// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import PSDCoder

/// Layers as pages after the merged picture: which there are, where they lie, and their own pixels.
@Suite struct PSDLayerTests {
  /// A record and its channels.
  private struct Layer {
    var name = ""
    /// Top, left, bottom, right.
    var edges: [Int32] = [0, 0, 0, 0]
    var mode = "norm"
    var opacity: UInt8 = 255
    var flags: UInt8 = 0
    /// The type of a group's marker, or nil.
    var marker: UInt8?
    /// Numbers, and what is stored with the compression.
    var channels: [(Int16, [UInt8])] = []

    func record(_ isLarge: Bool) -> [UInt8] {
      var writer = ByteWriter()
      for edge in edges { writer.put(UInt32(bitPattern: edge)) }
      writer.put(UInt16(channels.count))
      for (id, data) in channels {
        writer.put(UInt16(bitPattern: id))
        writer.put(UInt64(data.count), bytes: isLarge ? 8 : 4)
      }
      writer.put("8BIM")
      writer.put(Array(mode.utf8))
      writer.put([opacity, 0, flags, 0])
      let text = [UInt8(name.utf8.count)] + Array(name.utf8)
      let padded = text + [UInt8](repeating: 0, count: (4 - text.count % 4) % 4)
      var block: [UInt8] = []
      if let marker { block = Array("8BIMlsct".utf8) + [0, 0, 0, 4, 0, 0, 0, marker] }
      writer.put(UInt32(8 + padded.count + block.count))
      writer.put([UInt8](repeating: 0, count: 8) + padded + block)
      return writer.bytes
    }
  }

  private static func file(_ layers: [Layer], version: UInt16 = 1, mode: PSDHeader.Mode = .rgb) -> SmallFile {
    let records = layers.flatMap { $0.record(version == 2) }
    let pixels = layers.flatMap { $0.channels.flatMap(\.1) }
    return SmallFile(
      version: version, mode: mode, layers: [0, UInt8(layers.count)] + records + pixels, data: [1, 4, 2, 5, 3, 6])
  }

  /// 2×1 pixels at 3, -1: raw red, packed green, raw blue, and raw alpha.
  private static let square = Layer(
    name: "square", edges: [-1, 3, 0, 5], mode: "mul ", opacity: 51, flags: 2,
    channels: [(-1, [0, 0, 128, 255]), (0, [0, 0, 10, 20]), (1, [0, 1, 0, 2, 0xFF, 30]), (2, [0, 0, 50, 60])])

  private static func pixels(
    _ reader: PSDReader, page: Int
  ) throws(CoderError) -> (pixels: [UInt8], problem: CoderError?) {
    let offer = try reader.offer(for: DecodeRequest(page: page))
    let sink = MemorySink(offer, most: 1)
    do throws(CoderError) { try reader.decode(offer, into: sink.sink) } catch { return (sink.pixels, error) }
    return (sink.pixels, nil)
  }

  @Test func aLayerIsAPageAfterTheMergedPicture() throws {
    let reader = try Self.file([Self.square]).reader()
    #expect(try reader.header(page: 0).pageCount == 2)
    #expect(try reader.header(page: 0).role == .picture)
    let header = try reader.header(page: 1)
    #expect(header.role == PageRole(.layer, name: "square", owner: 0, x: 3, y: -1))
    #expect(header.canvas == Size(width: 2, height: 1) && header.pixelFormat == .rgba8 && header.alpha == .straight)
    // Not composited over white: colors are as they are stored.
    #expect(try Self.pixels(reader, page: 1).pixels == [10, 30, 50, 128, 20, 30, 60, 255])
    #expect(try Self.pixels(reader, page: 0).pixels == [1, 2, 3, 4, 5, 6])
    let properties = try reader.properties(page: 1, frame: nil)
    #expect(properties["{Layer}", "BlendMode"] == .text("multiply"))
    #expect(properties["{Layer}", "Opacity"] == .number(0.2))
    #expect(properties["{Layer}", "IsVisible"] == .integer(0))
    #expect(properties["{Layer}", "Group"] == nil)
    #expect { try reader.header(page: 2) } throws: { ($0 as? CoderError)?.code == .invalidArgument }
  }

  @Test func layersOfAPSBHaveWiderLengths() throws {
    var layer = Self.square
    layer.channels[2].1 = [0, 1, 0, 0, 0, 2, 0xFF, 30]
    let reader = try Self.file([layer], version: 2).reader()
    #expect(try Self.pixels(reader, page: 1).pixels == [10, 30, 50, 128, 20, 30, 60, 255])
  }

  @Test func groupsAreNamesAndNoPages() throws {
    var inner = Self.square
    inner.name = "inner"
    let layers = [
      Self.square, Layer(name: "</Layer group>", marker: 3), Layer(name: "</Layer group>", marker: 3), inner,
      Layer(name: "low", marker: 2), Layer(name: "adjustment"), Layer(name: "high", marker: 1),
    ]
    let reader = try Self.file(layers).reader()
    #expect(try reader.header(page: 0).pageCount == 3)
    #expect(try reader.header(page: 1).role.name == "square" && reader.header(page: 2).role.name == "inner")
    #expect(try reader.properties(page: 1, frame: nil)["{Layer}", "Group"] == nil)
    #expect(try reader.properties(page: 2, frame: nil)["{Layer}", "Group"] == .text("high/low"))
  }

  @Test func aCutLayerDeliversWholeRows() throws {
    var layer = Self.square
    layer.edges = [0, 0, 2, 1]
    layer.channels = [(0, [0, 0, 1, 2]), (1, [0, 0, 3, 4]), (2, [0, 0, 5])]
    let found = try Self.pixels(try Self.file([layer]).reader(), page: 1)
    #expect(found.pixels == [1, 3, 5, 0, 0, 0])
    #expect(found.problem?.code == .truncated)
  }

  @Test func layersThatCannotBeReadSayWhy() throws {
    var zipped = Self.square
    zipped.channels[1].1 = [0, 2, 0, 0]
    let zip = try Self.file([zipped]).reader()
    #expect(try zip.header(page: 1).role.name == "square")
    #expect(try Self.pixels(zip, page: 1).problem?.code == .unsupported)
    var gray = Self.square
    gray.channels.remove(at: 3)
    #expect(try Self.pixels(try Self.file([gray]).reader(), page: 1).problem?.code == .malformed)
  }

  /// Sizes and lengths as large as their fields hold cost no memory and end no process.
  @Test func wildRecordsAreRefused() throws {
    var layer = Self.square
    layer.edges = [.min, .min, .max, .max]
    let reader = try Self.file([layer]).reader()
    #expect { try reader.header(page: 1) } throws: { ($0 as? CoderError)?.code == .limitExceeded }
    #expect { try Self.pixels(reader, page: 1) } throws: { ($0 as? CoderError)?.code == .limitExceeded }
    var turned = Self.square
    turned.edges = [.max, .max, .min, .min]
    #expect(try Self.file([turned]).reader().header(page: 0).pageCount == 1)
  }
}
