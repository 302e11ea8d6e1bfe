// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Decoding an incomplete file. Every irregularity is an error here: the host then asks again when all bytes are there.
extension PictureDecoder {
  /// A coarse picture is decoded from one part in so many of a tile's bytes. It costs about half of the whole, since all
  /// samples are made.
  private static let previewShare = 4
  /// A tile with fewer bytes gets no coarse picture.
  private static let leastBytes = 16 << 10

  /// Waits until all parts of some tiles are there.
  func wait(for tiles: Range<Int>) throws(CoderError) {
    for index in tiles {
      while !codestream.hasAllParts(ofTile: index) { try codestream.advance() }
    }
    let end = tiles.reduce(0) { max($0, codestream.tiles[$1]?.parts.last?.data.upperBound ?? 0) }
    try show(end)
    for index in tiles { partsShown[index] = codestream.tiles[index]?.parts.count }
  }

  /// Waits for the bytes up to a place, and shows all that are there.
  private func show(_ end: Int) throws(CoderError) {
    contents = try source.view(at: 0, least: end, most: .max)
    guard contents.count >= end else {
      throw .truncated("the source of \(contents.count) bytes ends inside a tile-part up to \(end)", at: contents.count)
    }
  }

  /// Reads what follows the tiles that were decoded.
  func checkRest() throws(CoderError) {
    try codestream.advanceToTheEnd()
    for (index, count) in partsShown where codestream.tiles[index]?.parts.count ?? 0 != count {
      throw .malformed("a part of tile \(index) after those of other tiles, without a number of its parts")
    }
    guard Int(offer.scaleCode) <= codestream.maxReduction else {
      throw .malformed("a tile has fewer resolutions than the main header says")
    }
  }

  /// Sends a coarse picture of a picture of one tile, when a part of its bytes is there.
  func sendPreview(into sink: RowWriter) throws(CoderError) {
    while !codestream.isOver, codestream.tiles[0]?.parts.isEmpty ?? true { try codestream.advance() }
    guard let first = codestream.tiles[0]?.parts.first?.data else { return }
    // In this order, the first bytes hold a part of the picture and nothing of the rest.
    guard codestream.common(of: 0)?.progression != .pcrl else { return }
    // Where the tile ends; when nothing says it, no share of it can be told.
    let end = codestream.tiles[0]?.announced == 1 ? first.upperBound : codestream.announcedEnd
    let length = end - first.lowerBound
    guard end < .max, length >= Self.leastBytes else { return }
    let wanted = first.lowerBound + length / Self.previewShare
    while !codestream.isOver, (codestream.tiles[0]?.parts.last?.data.upperBound ?? 0) < wanted {
      try codestream.advance()
    }
    try show(wanted)
    // A coarse picture that is about to be replaced is not worth its time.
    guard source.size == .max, contents.count - first.lowerBound < length / 2 else { return }
    guard let tile = codestream.tiles[0], !tile.hasPackedHeaders(contents), let scratch else { return }
    let components = plan.wanted(in: 0, of: codestream, map: assembler.map)
    try plan.check(tile: 0, of: codestream, wanted: components, at: first.lowerBound)
    let stream = try TileStream(
      tile.cut(at: contents.count), area: codestream.grid.tile(0), of: codestream, in: contents, from: source,
      host: host)
    let decoded = decode(stream, tile: 0, wanted: components, messages: LibraryMessages(host))
    guard let decoded else { return }
    let area = codestream.grid.picture(reduction: 0)
    let rows = try sink.rows(at: 0, count: area.size.height)
    try check(rows)
    guard rows.count == area.size.height else { return }
    for line in 0..<rows.count {
      assembler.write(
        decoded, y: area.y0 + line, area: area, to: rows.base + line * rows.stride,
        scratch: scratch.assumingMemoryBound(to: Int32.self))
    }
    try sink.done(at: 0, count: rows.count)
    passes = 1
  }
}

extension Codestream.Tile {
  /// Whether packet headers lie apart from packets. Then headers can be there without their packets, which libraries do not
  /// expect.
  fileprivate func hasPackedHeaders(_ contents: UnsafeRawBufferPointer) -> Bool {
    parts.contains { part in
      if part.packedHeaders != nil { return true }
      var reader = ByteReader(contents.bytes, of: "a tile-part's header")
      do throws(CoderError) {
        try reader.seek(to: part.header.lowerBound)
        while reader.position < part.header.upperBound {
          if try reader.uint16("a marker") == UInt16(Marker.packedHeadersTile) { return true }
          try reader.skip(Int(try reader.uint16(at: reader.position, "a length")), "a segment")
        }
      } catch {
        // The header ends, or is cut: what was read of it has no packet headers.
      }
      return false
    }
  }

  /// The parts, as far as they lie before a place.
  fileprivate func cut(at end: Int) -> Codestream.Tile {
    var tile = self
    tile.parts = parts.compactMap { part in
      guard part.data.lowerBound < end else { return nil }
      var part = part
      part.data = part.data.lowerBound..<min(part.data.upperBound, end)
      return part
    }
    return tile
  }
}
