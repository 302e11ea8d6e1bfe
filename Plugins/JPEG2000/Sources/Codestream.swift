// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What the markers of a codestream say, without any packet (ISO/IEC 15444-1 annex A).
///
/// Of an incomplete codestream, tile-parts are read as they are asked for.
struct Codestream {
  let grid: ReferenceGrid
  /// From the main header.
  private(set) var style = CodingStyle()
  private(set) var tiles: [Int: Tile] = [:]
  /// Segments of the main header that a tile by itself needs as well, with their markers.
  private(set) var shared: [Range<Int>] = []
  /// The first comment in Latin characters, A.9.2.
  private(set) var comment: Range<Int>?
  /// Whether something that is announced is not there.
  private(set) var isTruncated = false
  /// Whether a marker segment after the main header breaks the rules.
  private(set) var isDamaged = false
  /// Whether all tile-parts have been read.
  private(set) var isOver = false

  private let source: SourceView
  /// It may end after the source does.
  private let range: Range<Int>
  /// Where the next tile-part is.
  private var next: Int
  /// The tile that the last part is of.
  private var latest: Int?
  private var packed = PackedHeaders()

  /// A tile's parts in the order of the codestream.
  struct Tile {
    var parts: [TilePart] = []
    /// What its own headers say.
    var style = CodingStyle()
    /// How many parts it has, as soon as one of them says so.
    var announced: Int?
    /// Whether all of it is there.
    var isWhole: Bool { parts.last?.isWhole == true && (announced.map { parts.count >= $0 } ?? true) }
    var byteCount: Int { parts.reduce(0) { $0 + $1.data.count } }
  }

  /// A tile-part: its header's segments, and what follows from the marker SOD on.
  struct TilePart {
    let header: Range<Int>
    var data: Range<Int>
    /// Whether the codestream holds all that it announces.
    let isWhole: Bool
    /// Packet headers that the main header keeps for it.
    var packedHeaders: [UInt8]?
  }

  /// A part's number has 8 bits, and 255 stands for none (A.4.2).
  static let maxTileParts = 255

  /// Walks the markers.
  ///
  /// - Parameters:
  ///   - range: Of the codestream; it may end after the source does.
  ///   - isIncremental: Whether tile-parts are left to ``advance()``.
  /// - Complexity: O(marker segments); packets are not looked at.
  init(
    parsing source: SourceView, in range: Range<Int>, limits: Limits, isIncremental: Bool
  ) throws(CoderError) {
    // While the file is incomplete, the source's end becomes known at some point.
    var end: Int { min(range.upperBound, source.size) }
    let start = range.lowerBound
    guard let first = try MarkerSegment(parsing: source, at: start, before: end) else {
      throw .truncated("the codestream needs a marker at its start", at: end)
    }
    guard first.code == Marker.startOfCodestream else { throw .malformed("a codestream without SOC", at: start) }
    guard let size = try MarkerSegment(parsing: source, at: start + 2, before: end) else {
      throw .truncated("the SIZ segment is cut", at: end)
    }
    guard size.code == Marker.imageAndTileSize else { throw .malformed("no SIZ segment after SOC", at: start + 2) }
    var reader = try source.reader(in: size.payload, of: "the SIZ segment")
    grid = try ReferenceGrid(parsing: &reader)
    let picture = grid.picture(reduction: 0)
    guard !picture.isEmpty else {
      throw .malformed("an image of \(grid.image.size) steps without a sample", at: size.payload.lowerBound)
    }
    try limits.check(canvas: picture.size)
    self.source = source
    self.range = range
    next = size.payload.upperBound
    try readMainHeader()
    if !isIncremental { try advanceToTheEnd() }
  }

  /// Where the codestream should end, or the largest integer when nothing says it.
  var announcedEnd: Int { range.upperBound }

  /// Where the codestream ends, or its source, as far as is known.
  private var end: Int { min(range.upperBound, source.size) }

  /// Reads the segments after SIZ, up to the first tile-part.
  private mutating func readMainHeader() throws(CoderError) {
    var offset = next
    while let segment = try MarkerSegment(parsing: source, at: offset, before: end) {
      switch segment.code {
      case Marker.startOfTilePart, Marker.endOfCodestream:
        guard style.common != nil else { throw .malformed("a main header without COD", at: offset) }
        next = offset
        return
      case Marker.codingStyle, Marker.codingStyleComponent:
        try style.add(segment, in: source, components: grid.components.count)
        shared.append(offset..<segment.payload.upperBound)
      case Marker.packedHeadersMain: try packed.add(segment, in: source)
      case Marker.comment:
        if comment == nil, segment.payload.count > 2,
          try source.reader(in: segment.payload, of: "the comment").uint16(at: 0) == 1
        {
          comment = segment.payload.lowerBound + 2..<segment.payload.upperBound
        }
      case Marker.imageAndTileSize: throw .malformed("a second SIZ segment", at: offset)
      case let code where Marker.concernsTiles.contains(code): shared.append(offset..<segment.payload.upperBound)
      // A.1.3: what is not known is passed over.
      default: break
      }
      offset = segment.payload.upperBound
    }
    throw .truncated("the main header is cut", at: end)
  }

  /// Reads the headers of all tile-parts (A.4.2), as far as they go.
  mutating func advanceToTheEnd() throws(CoderError) {
    while !isOver { try advance() }
  }

  /// Reads the header of the next tile-part, or finds that there is none.
  mutating func advance() throws(CoderError) {
    guard !isOver else { return }
    var hasEnd = false
    do throws(CoderError) {
      if try readTilePart(hasEnd: &hasEnd) { return }
    } catch {
      guard error.code == .malformed else { throw error }
      isDamaged = true
    }
    isOver = true
    let isShort = end < range.upperBound && range.upperBound != .max
    if !hasEnd, !isDamaged { isTruncated = !hasAllTiles || isShort }
    if hasEnd, !hasAllTiles { isDamaged = true }
  }

  /// Reads a tile-part's SOT segment and what follows.
  ///
  /// - Returns: Whether further ones may follow.
  private mutating func readTilePart(hasEnd: inout Bool) throws(CoderError) -> Bool {
    let offset = next
    guard let segment = try MarkerSegment(parsing: source, at: offset, before: end) else { return false }
    guard segment.code == Marker.startOfTilePart else {
      hasEnd = segment.code == Marker.endOfCodestream
      isDamaged = !hasEnd
      return false
    }
    guard segment.payload.count == 8 else {
      throw .malformed("an SOT segment of \(segment.payload.count + 2) bytes, 10 are allowed", at: offset)
    }
    var reader = try source.reader(in: segment.payload, of: "the SOT segment")
    guard reader.count == 8 else { return false }
    let index = Int(try reader.uint16("the tile"))
    // A length of 0 reaches to the end of the codestream.
    let length = Int(try reader.uint32("the length"))
    try reader.skip(1, "the part's number")
    let count = Int(try reader.uint8("the number of parts"))
    guard index < grid.tileCount else {
      throw .malformed("a tile-part of tile \(index), \(grid.tileCount) are there", at: offset)
    }
    guard length == 0 || length >= 14 else {
      throw .malformed("a tile-part of \(length) bytes, 14 are needed", at: offset)
    }
    let following = length == 0 ? try lastPart() : offset + length
    if let announced = tiles[index]?.announced, count != 0, count != announced { isDamaged = true }
    try readTilePart(segment, tile: index, count: count, next: following)
    latest = index
    next = following
    return true
  }

  /// Reads the header of one tile-part.
  private mutating func readTilePart(
    _ segment: MarkerSegment, tile index: Int, count: Int, next: Int
  ) throws(CoderError) {
    let headers = packed.next()
    var offset = segment.payload.upperBound
    var tile = tiles[index] ?? Tile()
    if count > 0 { tile.announced = max(count, tile.announced ?? 0) }
    defer { tiles[index] = tile }
    while let inner = try MarkerSegment(parsing: source, at: offset, before: min(next, end)) {
      switch inner.code {
      case Marker.startOfData:
        guard tile.parts.count < Self.maxTileParts else {
          throw .malformed("more than \(Self.maxTileParts) parts of tile \(index)", at: segment.offset)
        }
        tile.parts.append(
          TilePart(
            header: segment.payload.upperBound..<offset, data: offset..<min(next, end), isWhole: next <= end,
            packedHeaders: headers))
        return
      case Marker.codingStyle, Marker.codingStyleComponent:
        try tile.style.add(inner, in: source, components: grid.components.count)
      case Marker.startOfTilePart, Marker.endOfCodestream:
        throw .malformed("a tile-part without SOD", at: segment.offset)
      default: break
      }
      offset = inner.payload.upperBound
    }
    guard next > end else { throw .malformed("a tile-part without SOD", at: segment.offset) }
    // The source ends inside the header: there is one part more than can be read.
    tile.announced = max(tile.announced ?? 0, tile.parts.count + 1)
  }

  /// Where the data of a last tile-part without a length ends: before EOC, if it is there.
  private func lastPart() throws(CoderError) -> Int {
    // The last byte of an incomplete file has to be waited for.
    if source.size == .max { _ = try source.bytes(at: end - 1, count: 1) }
    let end = end
    let bytes = try source.reader(at: max(0, end - 2), count: 2)
    // Without EOC nobody knows what is missing.
    guard bytes.count == 2, try bytes.uint16(at: 0) == UInt16(Marker.endOfCodestream) else { return end + 1 }
    return end - 2
  }

  /// Whether all parts of a tile have been read: as many as are announced, or those before another tile's.
  func hasAllParts(ofTile index: Int) -> Bool {
    guard let tile = tiles[index], !tile.parts.isEmpty else { return isOver }
    return isOver || tile.announced.map { tile.parts.count >= $0 } ?? (latest != index)
  }

  /// Whether every tile that shows a pixel is there. Beside an image origin that is no multiple of the sampling, tiles may
  /// lie that have no samples (B.3), and some encoders write nothing for them.
  private var hasAllTiles: Bool {
    guard tiles.values.allSatisfy(\.isWhole) else { return false }
    return tiles.count == grid.tileCount
      || (0..<grid.tileCount).allSatisfy { tiles[$0] != nil || grid.pixels(in: grid.tile($0), reduction: 0).isEmpty }
  }

  /// The style of a component in a tile (A.6: a tile's COC, its COD, then those of the main header).
  func style(of component: Int, in tile: Int) -> ComponentStyle? {
    let own = tiles[tile]?.style
    return own?.components[component] ?? own?.common?.style ?? style.components[component] ?? style.common?.style
  }

  /// What COD says of a tile.
  func common(of tile: Int) -> CodingStyle.Common? { tiles[tile]?.style.common ?? style.common }

  /// All styles that occur.
  var styles: [ComponentStyle] {
    ([style] + tiles.values.map(\.style)).flatMap { Array($0.components.values) + ($0.common.map { [$0.style] } ?? []) }
  }
}

extension CodingStyle {
  /// Notes a COD or COC segment.
  fileprivate mutating func add(
    _ segment: MarkerSegment, in source: SourceView, components: Int
  ) throws(CoderError) {
    var reader = try source.reader(in: segment.payload, of: "the coding style")
    if segment.code == Marker.codingStyle {
      common = try Common(parsing: &reader)
    } else {
      try addComponent(parsing: &reader, of: components)
    }
  }
}
