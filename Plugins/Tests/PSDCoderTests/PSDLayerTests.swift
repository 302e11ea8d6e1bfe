// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import PSDCoder

/// Layers as pages after the merged picture: which there are, where they lie, and their own pixels.
@Suite struct PSDLayerTests {
  /// 2×1 pixels at 3, -1: raw red, packed green, raw blue, and raw alpha.
  private static let square = SmallLayer(
    name: "square", edges: [-1, 3, 0, 5], mode: "mul ", opacity: 51, flags: 2,
    channels: [(-1, [0, 0, 128, 255]), (0, [0, 0, 10, 20]), (1, [0, 1, 0, 2, 0xFF, 30]), (2, [0, 0, 50, 60])])

  @Test func aLayerIsAPageAfterTheMergedPicture() throws {
    let reader = try SmallLayer.file([Self.square]).reader()
    #expect(try reader.header(page: 0).pageCount == 2)
    #expect(try reader.header(page: 0).role == .picture)
    let header = try reader.header(page: 1)
    #expect(header.role == PageRole(.layer, name: "square", owner: 0, x: 3, y: -1))
    #expect(header.canvas == Size(width: 2, height: 1) && header.pixelFormat == .rgba8 && header.alpha == .straight)
    // Not composited over white: colors are as they are stored.
    #expect(try SmallLayer.pixels(reader, page: 1).pixels == [10, 30, 50, 128, 20, 30, 60, 255])
    #expect(try SmallLayer.pixels(reader, page: 0).pixels == [1, 2, 3, 4, 5, 6])
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
    let reader = try SmallLayer.file([layer], version: 2).reader()
    #expect(try SmallLayer.pixels(reader, page: 1).pixels == [10, 30, 50, 128, 20, 30, 60, 255])
  }

  @Test func groupsAreNamesAndNoPages() throws {
    var inner = Self.square
    inner.name = "inner"
    let layers = [
      Self.square, SmallLayer(name: "</Layer group>", marker: 3), SmallLayer(name: "</Layer group>", marker: 3), inner,
      SmallLayer(name: "low", marker: 2), SmallLayer(name: "adjustment"), SmallLayer(name: "high", marker: 1),
    ]
    let reader = try SmallLayer.file(layers).reader()
    #expect(try reader.header(page: 0).pageCount == 3)
    #expect(try reader.header(page: 1).role.name == "square" && reader.header(page: 2).role.name == "inner")
    #expect(try reader.properties(page: 1, frame: nil)["{Layer}", "Group"] == nil)
    #expect(try reader.properties(page: 2, frame: nil)["{Layer}", "Group"] == .text("high/low"))
  }

  @Test func aCutLayerDeliversWholeRows() throws {
    var layer = Self.square
    layer.edges = [0, 0, 2, 1]
    layer.channels = [(0, [0, 0, 1, 2]), (1, [0, 0, 3, 4]), (2, [0, 0, 5])]
    let found = try SmallLayer.pixels(try SmallLayer.file([layer]).reader(), page: 1)
    #expect(found.pixels == [1, 3, 5, 0, 0, 0])
    #expect(found.problem?.code == .truncated)
  }

  @Test func layersThatCannotBeReadSayWhy() throws {
    var other = Self.square
    other.channels[1].1 = [0, 4, 0, 0]
    let reader = try SmallLayer.file([other]).reader()
    #expect(try reader.header(page: 1).role.name == "square")
    #expect(try SmallLayer.pixels(reader, page: 1).problem?.code == .unsupported)
    var gray = Self.square
    gray.channels.remove(at: 3)
    #expect(try SmallLayer.pixels(try SmallLayer.file([gray]).reader(), page: 1).problem?.code == .malformed)
  }

  /// Sizes and lengths as large as their fields hold cost no memory and end no process.
  @Test func wildRecordsAreRefused() throws {
    var layer = Self.square
    layer.edges = [.min, .min, .max, .max]
    let reader = try SmallLayer.file([layer]).reader()
    #expect { try reader.header(page: 1) } throws: { ($0 as? CoderError)?.code == .limitExceeded }
    #expect { try SmallLayer.pixels(reader, page: 1) } throws: { ($0 as? CoderError)?.code == .limitExceeded }
    var turned = Self.square
    turned.edges = [.max, .max, .min, .min]
    #expect(try SmallLayer.file([turned]).reader().header(page: 0).pageCount == 1)
  }
}
