// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// Where equal frames are in a sheet: row by row, one transparent pixel apart.
package struct SheetGrid: Equatable {
  package let cell: Size
  package let count: Int
  package let columns: Int

  /// Pixels between frames: a texture that is drawn smaller or larger shows nothing of the neighbor.
  private static let gap = 1

  /// The grid whose longer side is shortest; of those, the one with the fewest pixels.
  package init(_ cell: Size, count: Int) {
    var best = SheetGrid(cell, count: count, columns: 1)
    for columns in 1...max(count, 1) {
      let grid = SheetGrid(cell, count: count, columns: columns)
      if grid.rank < best.rank { best = grid }
    }
    self = best
  }

  /// - Parameter columns: At least 1.
  package init(_ cell: Size, count: Int, columns: Int) {
    self.cell = cell
    self.count = count
    self.columns = columns
  }

  package var rows: Int { (count + columns - 1) / columns }

  /// The size of the sheet, in pixels. Sides of up to 2³² are exact.
  package var size: Size { Size(width: Self.length(columns, cell.width), height: Self.length(rows, cell.height)) }

  package func rectangle(_ index: Int) -> Rect {
    Rect(
      x: index % columns * (cell.width + Self.gap), y: index / columns * (cell.height + Self.gap), width: cell.width,
      height: cell.height)
  }

  private var rank: (Int, Int) { (max(size.width, size.height), size.pixelCount) }

  private static func length(_ count: Int, _ side: Int) -> Int { count * (side + gap) - gap }
}
