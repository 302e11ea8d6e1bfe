// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ISOBaseMediaFile
import ImageCoderPlugin
import Testing

@testable import AVIFCoder

/// Parts of pictures, held against the same parts of the whole; of grids, without the tiles that they do not touch.
@Suite struct AVIFPartTests {
  private static func reader(_ bytes: [UInt8]) throws(CoderError) -> AVIFReader {
    try AVIFReader(MemorySource(bytes).view, host: MemoryHost().host, options: [])
  }

  private static func read(
    _ bytes: [UInt8], part: Rect? = nil
  ) throws -> (offer: DecodeOffer, pixels: [UInt8], problem: CoderError?, isDirect: Bool) {
    let reader = try Self.reader(bytes)
    let found = try reader.delivered(for: DecodeRequest(part: part))
    var isDirect = false
    if case .coded(let open) = reader.shown { isDirect = open.still.map { !$0.isGivenUp } ?? false }
    return (found.offer, found.pixels, found.problem, isDirect)
  }

  @Test(arguments: StillDecoderTests.names) func aPartIsThatOfTheWhole(_ name: String) throws {
    let bytes = try StillDecoderTests.file(name)
    let whole = try Self.read(bytes)
    let size = whole.offer.size
    for (x, y, width, height) in [
      (0, 0, 1, 1), (size.width - 1, size.height - 1, 1, 1), (0, size.height / 2, size.width, 1),
      (size.width / 3, size.height / 3, (size.width + 2) / 3, (size.height + 2) / 3),
      (size.width / 2, 0, (size.width + 1) / 2, size.height), (size.width / 5, 1, 3, 5),
      // Tiles of these files end there.
      (0, 0, 64, min(64, size.height)), (64, 0, size.width - 64, size.height),
    ] where width > 0 && x + width <= size.width && y + height <= size.height {
      let part = Rect(x: x, y: y, width: width, height: height)
      let found = try Self.read(bytes, part: part)
      #expect(found.offer.part == part && found.offer.whole == size && found.problem == nil)
      #expect(found.pixels == whole.offer.pixels(in: part, of: whole.pixels), "\(part)")
    }
  }

  /// Where the coded picture begins: what comes before it says how large it is, and is looked at when a file is opened.
  ///
  /// - Format: AV1 §5.3.2; units of fewer than 128 bytes come before the picture.
  private static func frame(at place: Range<Int>, in bytes: [UInt8]) -> Int {
    var unit = place.lowerBound
    while [1, 2].contains(bytes[unit] >> 3 & 15) { unit += 2 + Int(bytes[unit + 1]) }
    return unit
  }

  /// The tiles that a part touches are enough: a bit that may not be set makes pictures of the others invalid.
  @Test(arguments: ["grid.avif", "grid-order.avif", "grid-tile-alpha.avif"])
  func tilesThatAPartDoesNotTouchAreNotDecoded(_ name: String) throws {
    let bytes = try StillDecoderTests.file(name)
    let whole = try Self.read(bytes)
    let reader = try Self.reader(bytes)
    guard case .coded(let open) = reader.shown, let items = open.file.items else { throw CoderError.malformed(name) }
    let crop = open.presentation.crop
    let tiles = items.sources(of: items.primary)
    let tile = try #require(items.size(of: tiles[0], in: open.file.bytes))
    let canvas = try #require(items.size(of: items.primary, in: open.file.bytes))
    let across = (canvas.width + tile.width - 1) / tile.width
    try #require(tiles.count > 1)
    for kept in tiles.indices {
      // Of the tile, but for what its neighbours' chroma is needed for.
      let (left, top) = (kept % across * tile.width, kept / across * tile.height)
      let inside = Rect(
        x: max(left, crop.x) + 2, y: max(top, crop.y) + 2,
        width: min(left + tile.width, crop.x + crop.width) - max(left, crop.x) - 4,
        height: min(top + tile.height, crop.y + crop.height) - max(top, crop.y) - 4)
      try #require(!inside.isEmpty)
      var damaged = bytes
      for layer in [tiles, open.file.tileAlpha ?? []] {
        for (index, item) in layer.enumerated() where index != kept {
          for place in items.places(of: item, in: open.file.bytes) { damaged[Self.frame(at: place, in: bytes)] = 0xFF }
        }
      }
      let part = Rect(x: inside.x - crop.x, y: inside.y - crop.y, width: inside.width, height: inside.height)
      let found = try Self.read(damaged, part: part)
      #expect(found.problem == nil && found.isDirect, "\(kept)")
      #expect(found.pixels == whole.offer.pixels(in: part, of: whole.pixels), "\(kept)")
    }
  }

  @Test func tilesOfAPart() {
    let all = GridPart(columns: 0..<4, lines: 0..<3)
    func part(_ rect: Rect) -> GridPart {
      GridPart(touching: rect, margin: 2, tile: Size(width: 10, height: 20), in: all)
    }
    #expect(part(Rect(x: 12, y: 22, width: 6, height: 16)) == GridPart(columns: 1..<2, lines: 1..<2))
    #expect(part(Rect(x: 11, y: 22, width: 7, height: 17)) == GridPart(columns: 0..<2, lines: 1..<3))
    #expect(part(Rect(x: 0, y: 0, width: 35, height: 60)) == all)
    #expect(
      GridPart(columns: 1..<4, lines: 2..<3).rect(
        tile: Size(width: 10, height: 20), canvas: Size(width: 37, height: 45))
        == Rect(x: 10, y: 40, width: 27, height: 5))
  }
}
