// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A codestream with one tile, put together from pieces of another one.
///
/// Each tile is decoded by itself: memory is that of one tile, tiles can be decoded at the same time, and a tile that
/// is broken costs no other one. The decoder sees none of the file's own numbers of tiles and tile-parts.
///
/// - Lifetime: Not longer than the contents that it is made with.
/// - Threads: One at a time.
final class TileStream {
  private var pieces: [UnsafeRawBufferPointer] = []
  /// Segments that are made here.
  private let made: UnsafeMutableRawPointer
  private var piece = 0
  private var place = 0
  private(set) var byteCount = 0
  private let host: CoderHost

  /// Reads nothing further when the work should stop.
  var isCancelled: Bool { host.isCancelled }

  /// - Parameters:
  ///   - contents: Of the whole source, or nil to read those of the tile alone, which the stream keeps.
  ///   - grid: Of the file.
  /// - Throws: ``CoderError/Code/unsupported`` for a tile that cannot be written as a codestream of its own.
  init(
    _ tile: Codestream.Tile, area: ReferenceGrid.Area, of codestream: Codestream, in contents: UnsafeRawBufferPointer?,
    from source: SourceView, host: CoderHost
  ) throws(CoderError) {
    self.host = host
    var segments = ByteWriter()
    // Pieces in order: places in what is made here, or in the contents.
    var places: [(isMade: Bool, range: Range<Int>)] = []
    func show(_ range: Range<Int>) throws(CoderError) {
      guard !range.isEmpty, range.upperBound <= contents?.count ?? source.size else { return }
      guard contents == nil else { return places.append((false, range)) }
      places.append((true, segments.count..<segments.count + range.count))
      segments.put(try source.bytes(at: range.lowerBound, count: range.count, of: "a tile"))
    }
    segments.put(UInt16(Marker.startOfCodestream))
    segments.put(UInt16(Marker.imageAndTileSize))
    codestream.grid.write(tileAlone: area, to: &segments)
    places.append((true, 0..<segments.count))
    for range in codestream.shared { try show(range) }
    var number = 0
    for (index, part) in tile.parts.enumerated() {
      var headers: [UInt8] = []
      if let bytes = part.packedHeaders {
        guard let segments = PackedHeaders.segments(bytes, from: &number) else {
          throw .unsupported("packed packet headers of a tile in more than 256 segments")
        }
        headers = segments
      }
      let length = 12 + part.header.count + headers.count + part.data.count
      guard length <= Int(UInt32.max) else { throw .unsupported("a tile-part of \(length) bytes without its length") }
      let start = segments.count
      segments.put(UInt16(Marker.startOfTilePart))
      segments.put(UInt16(10))
      segments.put(UInt16(0))
      segments.put(UInt32(length))
      segments.put(UInt8(truncatingIfNeeded: index))
      segments.put(UInt8(truncatingIfNeeded: tile.parts.count))
      places.append((true, start..<segments.count))
      try show(part.header)
      if !headers.isEmpty {
        places.append((true, segments.count..<segments.count + headers.count))
        segments.put(headers)
      }
      try show(part.data)
    }
    places.append((true, segments.count..<segments.count + 2))
    segments.put(UInt16(Marker.endOfCodestream))
    made = try host.allocate(bytes: segments.count, for: "the segments of a tile")
    made.copyMemory(from: segments.bytes, byteCount: segments.count)
    let own = UnsafeRawBufferPointer(start: made, count: segments.count)
    pieces = places.map { UnsafeRawBufferPointer(rebasing: ($0.isMade ? own : contents ?? own)[$0.range]) }
    byteCount = pieces.reduce(0) { $0 + $1.count }
  }

  deinit { host.free(made) }

  /// Copies bytes and moves on.
  ///
  /// - Returns: How many; 0 at the end.
  func read(into buffer: UnsafeMutableRawPointer, count: Int) -> Int {
    var copied = 0
    while copied < count, piece < pieces.count {
      let rest = pieces[piece].count - place
      let step = min(rest, count - copied)
      if step > 0, let base = pieces[piece].baseAddress {
        (buffer + copied).copyMemory(from: base + place, byteCount: step)
      }
      copied += step
      place += step
      if place == pieces[piece].count {
        piece += 1
        place = 0
      }
    }
    return copied
  }

  /// Moves to a place from the start.
  func seek(to offset: Int) -> Bool {
    guard offset >= 0, offset <= byteCount else { return false }
    piece = 0
    place = offset
    while piece < pieces.count, place >= pieces[piece].count {
      place -= pieces[piece].count
      piece += 1
    }
    return true
  }

  /// Bytes before the next one that is read.
  var position: Int { pieces[..<piece].reduce(place) { $0 + $1.count } }
}
