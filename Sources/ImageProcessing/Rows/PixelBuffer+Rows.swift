// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

/// A row of pixels that is worked on: from 0 to 1, multiplied by alpha.
typealias FloatRow = UnsafeMutablePointer<SIMD4<Float>>

extension PixelBuffer {
  /// A picture of the same size, row by row.
  ///
  /// - Parameters:
  ///   - layout: Of the result.
  ///   - body: Changes row `y` in place. Rows are worked on in any order, several at a time.
  func mappingRows(
    to layout: PixelLayout, _ body: @escaping @Sendable (_ row: FloatRow, _ y: Int) -> Void
  ) throws(CoderError) -> PixelBuffer {
    let result = try PixelBuffer(size: size, format: layout.format, alpha: layout.alpha)
    let width = size.width
    let into = PixelLayout(.rgbaFloat32, alpha == .opaque && layout.alpha == .opaque ? .opaque : .premultiplied)
    let reader = RowConverter(from: self.layout, to: working(into))
    let writer = RowConverter(from: into, to: layout)
    Bands.run(rows: size.height) { rows in
      withUnsafeTemporaryAllocation(of: SIMD4<Float>.self, capacity: width) { buffer in
        guard let row = buffer.baseAddress else { return }
        for y in rows {
          reader.convert(self.row(y), into: row, count: width)
          body(row, y)
          writer.convert(row, into: result.row(y), count: width)
        }
      }
    }
    return result
  }

  private func working(_ layout: PixelLayout) -> PixelLayout {
    PixelLayout(.rgbaFloat32, alpha == .opaque ? .opaque : layout.alpha)
  }
}

/// Parts of a loop for all processors.
enum Bands {
  /// Calls `body` for parts of `0 ..< rows`, several at a time.
  static func run(rows: Int, _ body: @escaping @Sendable (Range<Int>) -> Void) {
    // More parts than processors: one that is held up holds up less.
    let count = max(1, min(rows, 4 * ThreadPool.processors))
    ThreadPool.shared.run(count) { index in body((rows * index / count)..<(rows * (index + 1) / count)) }
  }
}
