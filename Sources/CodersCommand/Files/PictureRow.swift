// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// Pictures side by side on one transparent picture.
enum PictureRow {
  /// Pixels between two pictures.
  private static let gap = 8

  /// Draws pictures from left to right, aligned at their top edges.
  ///
  /// - Returns: One picture, `rgba8` with straight alpha.
  static func drawn(_ pictures: [PixelBuffer]) throws(CoderError) -> PixelBuffer {
    let width = pictures.reduce(gap * (pictures.count - 1)) { $0 + $1.size.width }
    let height = pictures.map(\.size.height).max() ?? 0
    let row = try PixelBuffer(size: Size(width: width, height: height), format: .rgba8, alpha: .straight)
    row.clear(rows: 0..<height)
    var x = 0
    for picture in pictures {
      let source = try picture.converted(to: row.layout)
      for y in 0..<source.size.height {
        (row.row(y) + 4 * x).copyMemory(from: source.row(y), byteCount: source.rowBytes)
      }
      x += source.size.width + gap
    }
    return row
  }
}
