// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// Equal tiles in rows and columns (ISO/IEC 23008-12 §6.6.2.3).
public struct GridItem {
  public let rows: Int
  public let columns: Int
  public let canvas: Size

  public init(rows: Int, columns: Int, canvas: Size) {
    (self.rows, self.columns, self.canvas) = (rows, columns, canvas)
  }

  /// - Parameter tiles: The sizes at which the tiles are shown.
  /// - Throws: ``CoderError/Code/malformed`` when they are not as many as the grid has, are not all equal, or do not
  ///   cover the canvas with no row and no column to spare.
  public func check(tiles: [Size]) throws(CoderError) {
    guard tiles.count == rows * columns, let tile = tiles.first else { throw miscounted(tiles.count) }
    guard tiles.allSatisfy({ $0 == tile }) else { throw .malformed("a grid with tiles of different sizes") }
    guard tile.width * columns >= canvas.width, tile.height * rows >= canvas.height,
      tile.width * (columns - 1) < canvas.width, tile.height * (rows - 1) < canvas.height
    else {
      throw .malformed("a grid of \(columns)×\(rows) tiles of \(tile) on a canvas of \(canvas)")
    }
  }

  func miscounted(_ tiles: Int) -> CoderError {
    .malformed("a grid of \(columns)×\(rows) tiles with \(tiles) pictures")
  }

  /// Where the left upper corner of a tile lies.
  public func place(of index: Int, tile: Size) -> (x: Int, y: Int) {
    (index % columns * tile.width, index / columns * tile.height)
  }
}

/// Pictures on a canvas, the last one on top (ISO/IEC 23008-12 §6.6.2.2).
public struct OverlayItem {
  /// Red, green, blue and alpha.
  public let background: [UInt16]
  public let canvas: Size
  /// The places of the layers' left upper corners; they may lie outside the canvas.
  public let places: [(x: Int, y: Int)]
}

extension ItemBytes {
  /// Reads what a grid's item holds.
  public func grid() throws(CoderError) -> GridItem {
    try read { reader throws(CoderError) in
      guard try reader.uint8("a grid's version") == 0 else { throw .unsupported("a grid of a version that is not 0") }
      let bytes = try reader.uint8("a grid's flags") & 1 == 1 ? 4 : 2
      let rows = Int(try reader.uint8("the rows of a grid")) + 1
      let columns = Int(try reader.uint8("the columns of a grid")) + 1
      let width = Int(try reader.unsigned(bytes: bytes, "a grid's width"))
      let height = Int(try reader.unsigned(bytes: bytes, "a grid's height"))
      return GridItem(rows: rows, columns: columns, canvas: Size(width: width, height: height))
    }
  }

  /// Reads what an overlay's item holds.
  ///
  /// - Parameter count: Layers, which the item's references tell.
  public func overlay(layers count: Int) throws(CoderError) -> OverlayItem {
    try read { reader throws(CoderError) in
      guard try reader.uint8("an overlay's version") == 0 else {
        throw .unsupported("an overlay of a version that is not 0")
      }
      let width = try reader.uint8("an overlay's flags") & 1 == 1 ? 4 : 2
      var background: [UInt16] = []
      for _ in 0..<4 { background.append(try reader.uint16("an overlay's background")) }
      let columns = Int(try reader.unsigned(bytes: width, "an overlay's width"))
      let size = Size(width: columns, height: Int(try reader.unsigned(bytes: width, "an overlay's height")))
      var places: [(x: Int, y: Int)] = []
      func signed(_ value: UInt64) -> Int {
        width == 4 ? Int(Int32(truncatingIfNeeded: value)) : Int(Int16(truncatingIfNeeded: value))
      }
      for _ in 0..<count {
        let x = signed(try reader.unsigned(bytes: width, "a layer's place"))
        places.append((x, signed(try reader.unsigned(bytes: width, "a layer's place"))))
      }
      return OverlayItem(background: background, canvas: size, places: places)
    }
  }
}
