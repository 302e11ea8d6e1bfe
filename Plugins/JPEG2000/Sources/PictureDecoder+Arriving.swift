// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Decoding while bytes arrive. Whatever is not as it should be ends it with an error: then the host asks again when all
/// bytes are there.
extension PictureDecoder {
  /// Of a tile's bytes, the share that is worth a coarse picture. All of its samples are made of them, so that one such
  /// picture costs about half of the whole.
  private static let previewShare = 4
  /// Bytes of a tile that is not worth one.
  private static let leastBytes = 16 << 10

  /// Sleeps until all parts of some tiles are there.
  func wait(for tiles: Range<Int>) throws(CoderError) {
    for index in tiles {
      while !codestream.hasAllParts(ofTile: index) { try codestream.advance() }
    }
    let end = tiles.reduce(0) { max($0, codestream.tiles[$1]?.parts.last?.data.upperBound ?? 0) }
    try show(end)
    for index in tiles { partsShown[index] = codestream.tiles[index]?.parts.count }
  }

  /// Shows what there is, as soon as it reaches to a place.
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
      throw .malformed("a part of tile \(index) behind those of other tiles, and no number of its parts")
    }
    guard Int(offer.scaleCode) <= codestream.maxReduction else {
      throw .malformed("a tile has fewer resolutions than the main header says")
    }
  }

  /// Sends a coarse picture of a picture of one tile, when a part of its bytes is there.
  func sendPreview(into sink: RowSink) throws(CoderError) {
    while !codestream.isOver, codestream.tiles[0]?.parts.isEmpty ?? true { try codestream.advance() }
    guard let first = codestream.tiles[0]?.parts.first?.data else { return }
    // By position, the first share of the bytes holds a part of the picture and nothing of the rest.
    guard codestream.common(of: 0)?.progression != .pcrl else { return }
    // Where the tile ends; without a word on that, a share of it is unknown.
    let end = codestream.tiles[0]?.announced == 1 ? first.upperBound : codestream.announcedEnd
    let length = end - first.lowerBound
    guard end < .max, length >= Self.leastBytes else { return }
    let wanted = first.lowerBound + length / Self.previewShare
    while !codestream.isOver, (codestream.tiles[0]?.parts.last?.data.upperBound ?? 0) < wanted {
      try codestream.advance()
    }
    try show(wanted)
    // What is about to be replaced is not worth its time.
    guard source.size == .max, contents.count - first.lowerBound < length / 2 else { return }
    guard let tile = codestream.tiles[0], !tile.hasPackedHeaders(contents), let scratch else { return }
    let components = plan.wanted(in: 0, of: codestream, map: assembler.map)
    try plan.check(tile: 0, of: codestream, wanted: components, at: first.lowerBound)
    let decoded = try decode(
      tile: tile.cut(at: contents.count), index: 0, wanted: components, messages: LibraryMessages(host))
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
  /// Whether packet headers are elsewhere than packets. Then they are there when packets are not, which libraries have
  /// not been made for.
  fileprivate func hasPackedHeaders(_ contents: UnsafeRawBufferPointer) -> Bool {
    parts.contains { part in
      if part.packedHeaders != nil { return true }
      var place = part.header.lowerBound
      while place + 4 <= min(part.header.upperBound, contents.count) {
        if contents.uint16(at: place) == Marker.packedHeadersTile { return true }
        place += 2 + contents.uint16(at: place + 2)
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
