// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// Averages source pixels into cells, so that the kernel has few weights when the reduction is large.
///
/// `finishRow` gives the means of the rows that were added since the last one.
protocol CellReducer: AnyObject {
  /// The means: one pixel of lanes for each cell.
  var cells: CellRow { get }
  /// Rows added since the last `finishRow`.
  var rows: Int { get }
  /// Adds rows, starting at the first source pixel that is needed.
  ///
  /// - Parameter stride: Bytes from one to the next.
  func add(_ rows: UnsafeRawPointer, stride: Int, count: Int)
  /// Writes the means of the rows added, and starts over.
  func finishRow()
}

/// Memory for one row of cells.
///
/// Weights of 0 meet what lies after the last cell, which must not be NaN then; so there are zeros.
struct CellRow {
  /// Cells, without the zeros after them.
  let count: Int
  let lanes: Int
  let base: UnsafeMutablePointer<Float>
  private let memory: PixelMemory

  /// - Parameters:
  ///   - pixels: Source pixels of a row that are needed.
  ///   - padding: Cells of zeros after the last.
  init(pixels: Int, factor: Int, lanes: Int, padding: Int) throws(CoderError) {
    self.count = (pixels + factor - 1) / factor
    self.lanes = lanes
    self.memory = try PixelMemory(bytes: (count + padding) * lanes * 4, pool: nil)
    self.base = memory.base.initializeMemory(as: Float.self, repeating: 0, count: (count + padding) * lanes)
  }

  func clear() { base.update(repeating: 0, count: count * lanes) }

  /// Divides sums by the pixels of their cells; the last cell may have fewer than the others.
  func average(pixels: Int, factor: Int, rows: Float) {
    let whole = pixels / factor * lanes
    let share = 1 / (Float(factor) * rows)
    for i in 0..<whole { base[i] *= share }
    let rest = pixels % factor
    guard rest != 0 else { return }
    for i in whole..<(whole + lanes) { base[i] /= Float(rest) * rows }
  }
}

/// One cell for each pixel: rows are read as they are.
final class PixelCells: CellReducer {
  let cells: CellRow
  private let reader: LaneRow
  private(set) var rows = 0

  init(_ reader: LaneRow, pixels: Int, padding: Int) throws(CoderError) {
    self.reader = reader
    self.cells = try CellRow(pixels: pixels, factor: 1, lanes: reader.lanes, padding: padding)
  }

  func add(_ rows: UnsafeRawPointer, stride: Int, count: Int) {
    // A cell is one row high.
    reader.read(rows, into: cells.base, count: cells.count)
    self.rows = 1
  }

  func finishRow() { rows = 0 }
}
