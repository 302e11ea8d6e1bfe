// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A codestream with one tile, put together from pieces of another one.
///
/// Each tile is decoded by itself: memory is that of one tile, tiles can be decoded at the same time, and a tile that
/// is broken costs no other one. The decoder sees none of the file's own numbers of tiles and tile-parts.
///
/// - Lifetime: Not longer than the source's contents.
/// - Threads: One at a time.
final class TileStream {
  private var pieces: [UnsafeRawBufferPointer] = []
  /// Segments that are made here.
  private let made: UnsafeMutableRawBufferPointer
  private var madeCount = 0
  private var piece = 0
  private var place = 0
  private(set) var byteCount = 0
  private let host: CoderHost

  /// Reads nothing further when the work should stop.
  var isCancelled: Bool { host.isCancelled }

  /// - Parameters:
  ///   - contents: Of the whole source.
  ///   - grid: Of the file.
  /// - Throws: ``CoderError/Code/unsupported`` for a tile that cannot be said in a codestream of its own.
  init(
    _ tile: Codestream.Tile, area: ReferenceGrid.Area, of codestream: Codestream, in contents: UnsafeRawBufferPointer,
    host: CoderHost
  ) throws(CoderError) {
    self.host = host
    var head: [UInt8] = []
    head.append(uint16: Marker.startOfCodestream)
    head.append(uint16: Marker.imageAndTileSize)
    head += codestream.grid.segment(ofTileAlone: area)
    var starts: [[UInt8]] = []
    var packed: [[UInt8]] = []
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
      var start: [UInt8] = []
      start.append(uint16: Marker.startOfTilePart)
      start.append(uint16: 10)
      start.append(uint16: 0)
      start.append(uint32: length)
      start.append(UInt8(truncatingIfNeeded: index))
      start.append(UInt8(truncatingIfNeeded: tile.parts.count))
      starts.append(start)
      packed.append(headers)
    }
    made = .allocate(
      byteCount: head.count + zip(starts, packed).reduce(2) { $0 + $1.0.count + $1.1.count }, alignment: 8)
    var total = 0
    func show(_ range: Range<Int>) {
      guard !range.isEmpty, range.upperBound <= contents.count else { return }
      pieces.append(UnsafeRawBufferPointer(rebasing: contents[range]))
      total += range.count
    }
    func make(_ bytes: [UInt8]) {
      guard !bytes.isEmpty else { return }
      let room = UnsafeMutableRawBufferPointer(rebasing: made[madeCount..<madeCount + bytes.count])
      room.copyBytes(from: bytes)
      pieces.append(UnsafeRawBufferPointer(room))
      madeCount += bytes.count
      total += bytes.count
    }
    make(head)
    codestream.shared.forEach(show)
    for (index, part) in tile.parts.enumerated() {
      make(starts[index])
      show(part.header)
      make(packed[index])
      show(part.data)
    }
    make([0xFF, 0xD9])
    byteCount = total
  }

  deinit { made.deallocate() }

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
