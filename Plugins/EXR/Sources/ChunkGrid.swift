// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The size of tiles and which smaller pictures there are.
///
/// - Format: OpenEXR File Layout, "tiledesc".
struct TileDescription: Hashable {
  enum Levels: Int {
    case one = 0
    /// Each half as large in both directions.
    case mipMap = 1
    /// All combinations of halves in either direction.
    case ripMap = 2
  }

  let size: Size
  let levels: Levels
  let roundsUp: Bool

  init(parsing reader: inout ByteReader) throws(CoderError) {
    let place = reader.offset
    size = Size(width: Int(try reader.uint32("a tile's width")), height: Int(try reader.uint32("a tile's height")))
    let mode = Int(try reader.uint8("the mode of levels"))
    guard (1...Int(Int32.max)).contains(size.width), (1...Int(Int32.max)).contains(size.height) else {
      throw .malformed("tiles of \(size), at least 1×1 is needed", at: place)
    }
    guard let levels = Levels(rawValue: mode & 15), mode >> 4 <= 1 else {
      throw .malformed("a mode of levels of \(mode), which is not known", at: place + 8)
    }
    self.levels = levels
    roundsUp = mode >> 4 == 1
  }

  /// Halvings until a side is 1.
  func halvings(of side: Int) -> Int {
    guard side > 1 else { return 0 }
    let down = Int.bitWidth - 1 - side.leadingZeroBitCount
    return roundsUp && side & (side - 1) != 0 ? down + 1 : down
  }

  /// A side after halvings.
  func side(_ side: Int, halvings: Int) -> Int {
    max(1, (roundsUp ? side + (1 << halvings) - 1 : side) >> halvings)
  }
}

/// A picture of a part: the whole one, or a smaller one of a file with several.
struct Level: Hashable {
  /// Halvings in each direction.
  var x = 0
  var y = 0
}

/// Where chunks lie in a picture, and in which order a table has them.
struct ChunkGrid {
  let window: Window
  let tiles: TileDescription?
  /// Rows of a chunk of scan lines.
  let rows: Int

  func size(of level: Level) -> Size {
    guard let tiles else { return window.size }
    return Size(
      width: tiles.side(window.size.width, halvings: level.x),
      height: tiles.side(window.size.height, halvings: level.y))
  }

  /// The size of a chunk that lies at no edge.
  func chunkSize(_ level: Level) -> Size {
    let size = size(of: level)
    return tiles.map { Size(width: min($0.size.width, size.width), height: min($0.size.height, size.height)) }
      ?? Size(width: size.width, height: min(rows, size.height))
  }

  /// Columns and rows of chunks.
  func counts(_ level: Level) -> Size {
    let (size, chunk) = (size(of: level), tiles?.size ?? Size(width: window.size.width, height: rows))
    return Size(
      width: (size.width + chunk.width - 1) / chunk.width, height: (size.height + chunk.height - 1) / chunk.height)
  }

  /// All levels in the order of the table.
  var levels: [Level] {
    guard let tiles else { return [Level()] }
    let (width, height) = (window.size.width, window.size.height)
    switch tiles.levels {
    case .one: return [Level()]
    case .mipMap: return (0...tiles.halvings(of: max(width, height))).map { Level(x: $0, y: $0) }
    case .ripMap:
      return (0...tiles.halvings(of: height)).flatMap { y in
        (0...tiles.halvings(of: width)).map { Level(x: $0, y: y) }
      }
    }
  }

  /// Chunks of all levels, or nil if a table cannot have so many.
  var count: Int? {
    var sum = 0
    for level in levels {
      let count = counts(level).pixelCount
      guard count <= Int(Int32.max) - sum else { return nil }
      sum += count
    }
    return sum
  }

  /// Where a level's chunks begin in the table.
  func first(of wanted: Level) -> Int {
    var sum = 0
    for level in levels {
      if level == wanted { break }
      sum += counts(level).pixelCount
    }
    return sum
  }
}
