// SPDX-License-Identifier: Apache-2.0

import CAVIF
import ImageCoderPlugin

/// The tiles of a grid that a part of its picture touches.
struct GridPart: Equatable {
  let columns: Range<Int>
  let lines: Range<Int>

  init(columns: Range<Int>, lines: Range<Int>) {
    (self.columns, self.lines) = (columns, lines)
  }

  /// - Parameters:
  ///   - part: Inside the picture.
  ///   - margin: Pixels around it that are needed as well.
  ///   - tile: The size of all tiles.
  init(touching part: Rect, margin: Int, tile: Size, in all: GridPart) {
    func tiles(from first: Int, count: Int, of side: Int, in all: Range<Int>) -> Range<Int> {
      (max(0, first - margin) / side..<(first + count + margin - 1) / side + 1).clamped(to: all)
    }
    columns = tiles(from: part.x, count: part.width, of: tile.width, in: all.columns)
    lines = tiles(from: part.y, count: part.height, of: tile.height, in: all.lines)
  }

  /// What the tiles cover of the canvas.
  func rect(tile: Size, canvas: Size) -> Rect {
    let (x, y) = (columns.lowerBound * tile.width, lines.lowerBound * tile.height)
    return Rect(
      x: x, y: y, width: min(columns.upperBound * tile.width, canvas.width) - x,
      height: min(lines.upperBound * tile.height, canvas.height) - y)
  }
}

/// The planes of a picture, or of the part of it that was decoded.
struct DecodedPlanes {
  var image: avifImage
  /// Rows of it that are there.
  let rows: Int
  /// Where it lies in the whole picture.
  let origin: (x: Int, y: Int)

  /// A rectangle of the whole picture in these planes.
  ///
  /// - Throws: ``CoderError/Code/malformed`` if they are smaller than the container says.
  func place(of rect: Rect) throws(CoderError) -> Rect {
    let place = Rect(x: rect.x - origin.x, y: rect.y - origin.y, width: rect.width, height: rect.height)
    guard Int(image.width) >= place.x + place.width, Int(image.height) >= place.y + place.height else {
      throw .malformed("a decoded picture of \(image.width)×\(image.height), the container has \(rect.size)")
    }
    return place
  }
}
