// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import EXRCoder

@Suite struct EXRHeaderTests {
  private static let file = SmallFile(chunks: SmallFile.rows([1, 2, 3]))

  @Test func describesAPictureOfHalfPrecision() throws {
    let header = try Self.file.reader().header(page: 0)
    #expect(header.canvas == Size(width: 2, height: 3) && header.pageCount == 1)
    #expect(header.pixelFormat == .rgbaFloat16 && header.bitsPerChannel == 16 && header.alpha == .opaque)
    #expect(header.cicp == CodingIndependentCodePoints(primaries: 1, transfer: 8, matrix: 0, isFullRange: true))
  }

  @Test func aSmallerWindowOfDataIsTransparentAroundIt() throws {
    var file = Self.file
    file.display = [0, 0, 4, 4]
    let header = try file.reader().header(page: 0)
    #expect(header.canvas == Size(width: 5, height: 5) && header.alpha == .premultiplied)
  }

  @Test func windowsBeyondHalfOfTheIntegersAreMalformed() throws {
    var file = Self.file
    file.data = [0, 0, 1, 1 << 30]
    #expect(throws: CoderError.self) { try file.reader() }
    file.data = [-(1 << 30) + 1, 0, -(1 << 30) + 2, 2]
    file.display = [0, 0, 1, 2]
    #expect(try file.reader().header(page: 0).canvas == Size(width: 2, height: 3))
  }

  @Test func aHeaderNeedsAllItsAttributes() throws {
    let bytes = Self.file.bytes
    for name in ["channels", "compression", "dataWindow", "displayWindow"] {
      var changed = bytes
      let place = try #require(changed.indices.first { changed[$0...].starts(with: Array(name.utf8) + [0]) })
      changed[place] = UInt8(ascii: "x")
      #expect(throws: CoderError.malformed("a header without the attribute \(name)", at: 8)) {
        try EXRFile(reading: MemorySource(changed).view, limits: .standard)
      }
    }
  }

  @Test func metadataBeyondTheLimitIsRefused() throws {
    var file = Self.file
    file.attributes = SmallFile.attribute("comments", "string", [UInt8](repeating: 65, count: 2_000))
    var limits = Limits.standard
    limits.maxMetadata = 1_000
    let error = #expect(throws: CoderError.self) { try file.reader(limits) }
    #expect(error?.code == .limitExceeded && error?.limit == .maxMetadata)
  }

  @Test func attributesBecomeProperties() throws {
    var file = Self.file
    file.attributes = SmallFile.attribute("owner", "string", Array("me".utf8))
    file.attributes += SmallFile.attribute("framesPerSecond", "rational", [24, 0, 0, 0, 2, 0, 0, 0])
    file.attributes += SmallFile.attribute("isoSpeed", "float", [0, 0, 0x80, 0x7F])
    file.attributes += SmallFile.attribute("aperture", "float", [0, 0, 0, 0x40])
    let properties = try file.reader().properties(page: 0, frame: nil)
    #expect(properties["{OpenEXR}", "Owner"] == .text("me"))
    #expect(properties["{OpenEXR}", "FramesPerSecond"] == .number(12))
    #expect(properties["{OpenEXR}", "Compression"] == .text("none"))
    #expect(properties["{OpenEXR}", "DataWindow"] == .list([0, 0, 1, 2].map { .integer($0) }))
    // Infinity is no number of JSON.
    var others = Properties()
    others["aperture"] = .number(2)
    #expect(properties["{OpenEXR}", "Attributes"] == .dictionary(others))
  }
}

@Suite struct ChunkGridTests {
  private static func tiles(_ mode: UInt8) throws(CoderError) -> TileDescription {
    let bytes: [UInt8] = [8, 0, 0, 0, 5, 0, 0, 0, mode]
    var reader = ByteReader(bytes.span.bytes, order: .littleEndian)
    return try TileDescription(parsing: &reader)
  }

  private static let window = Window(x: 0...22, y: 0...18)

  @Test(arguments: [UInt8(0x01): [23, 11, 5, 2, 1], 0x11: [23, 12, 6, 3, 2, 1]])
  func smallerPicturesAreRounded(_ mode: UInt8, _ widths: [Int]) throws {
    let grid = ChunkGrid(window: Self.window, tiles: try Self.tiles(mode), rows: 1)
    #expect(grid.levels.map { grid.size(of: $0).width } == widths)
  }

  @Test func tablesHaveOneLevelAfterTheOther() throws {
    // 23×19: 3×4 tiles; 11×9: 2×2; then 5×4, 2×2 and 1×1, one tile each.
    let grid = ChunkGrid(window: Self.window, tiles: try Self.tiles(1), rows: 1)
    #expect(grid.count == 19)
    #expect(grid.first(of: Level(x: 2, y: 2)) == 16)
    #expect(grid.counts(Level()) == Size(width: 3, height: 4))
  }

  @Test func ripMapsHaveAllCombinations() throws {
    let grid = ChunkGrid(window: Self.window, tiles: try Self.tiles(2), rows: 1)
    #expect(grid.levels.count == 25)
    #expect(grid.size(of: Level(x: 1, y: 0)) == Size(width: 11, height: 19))
    // The whole picture has 12 tiles; after it comes that of half the width.
    #expect(grid.first(of: Level(x: 1, y: 0)) == 12)
  }

  @Test func moreChunksThanATableHoldsAreRefused() throws {
    let window = Window(x: 0...1_000_000_000, y: 0...1_000_000_000)
    #expect(ChunkGrid(window: window, tiles: try Self.tiles(1), rows: 1).count == nil)
  }
}
