// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// From source rows over cells and filtered rows to rows of the result.
///
/// Every row of cells is filtered across once, and waits in a ring until no row of the result needs it.
final class RowPipeline {
  private(set) var rowsWritten = 0

  private let lanes: LaneRow
  private let columns: FilterTable
  private let rows: FilterTable
  private let destination: PixelBuffer
  /// The source rows that are needed, and bytes before the first column that is.
  private let sourceRows: Range<Int>
  private let sourceSkip: Int

  private let reducer: any CellReducer
  private let ring: PixelMemory
  /// Numbers of one row in the ring: a multiple of 16.
  private let pitch: Int
  private let slots: Int
  /// Rows of cells that have been filtered.
  private var cellRows = 0
  private let pointers: UnsafeMutablePointer<UnsafePointer<Float>>
  private let line: PixelMemory

  init(
    _ lanes: LaneRow, source: Size, columns: FilterTable, rows: FilterTable, destination: PixelBuffer
  ) throws(CoderError) {
    self.lanes = lanes
    self.columns = columns
    self.rows = rows
    self.destination = destination
    self.sourceRows = rows.sourceRange(length: source.height)
    let sourceColumns = columns.sourceRange(length: source.width)
    self.sourceSkip = sourceColumns.lowerBound * lanes.format.bytesPerPixel
    self.slots = rows.maximumCount
    self.pitch = (destination.size.width * lanes.lanes + 15) & ~15
    self.reducer = try Self.reducer(lanes, pixels: sourceColumns.count, columns: columns, rows: rows)
    self.ring = try PixelMemory(bytes: slots * pitch * 4, pool: nil)
    self.line = try PixelMemory(bytes: pitch * 4, pool: nil)
    ring.base.initializeMemory(as: Float.self, repeating: 0, count: slots * pitch)
    self.pointers = .allocate(capacity: slots)
  }

  deinit { pointers.deallocate() }

  private static func reducer(
    _ lanes: LaneRow, pixels: Int, columns: FilterTable, rows: FilterTable
  ) throws(CoderError) -> any CellReducer {
    let padding = columns.padding
    if columns.factor == 1, rows.factor == 1 { return try PixelCells(lanes, pixels: pixels, padding: padding) }
    if lanes.format.bytesPerChannel == 1 {
      return try ByteCells(lanes, pixels: pixels, factor: columns.factor, padding: padding)
    }
    return try FloatCells(lanes, pixels: pixels, factor: columns.factor, padding: padding)
  }

  /// Takes the source rows of a range; rows come in order.
  ///
  /// - Parameter stride: Bytes from one to the next.
  func push(_ first: UnsafeRawPointer, stride: Int, _ range: Range<Int>) {
    let needed = range.clamped(to: sourceRows)
    var y = needed.lowerBound
    while y < needed.upperBound {
      let count = min(needed.upperBound - y, rows.factor - reducer.rows)
      reducer.add(first + (y - range.lowerBound) * stride + sourceSkip, stride: stride, count: count)
      y += count
      guard reducer.rows == rows.factor || y == sourceRows.upperBound else { return }
      finishCellRow()
      while rowsWritten < rows.starts.count, rows.starts[rowsWritten] + rows.counts[rowsWritten] <= cellRows {
        emit(rowsWritten)
        rowsWritten += 1
      }
    }
  }

  /// Writes the rows that have some input, and returns the first one that has none.
  func finish() -> Int {
    if reducer.rows > 0 { finishCellRow() }
    var next = rowsWritten
    while next < rows.starts.count, rows.starts[next] < cellRows {
      emit(next)
      next += 1
    }
    return next
  }

  private func finishCellRow() {
    reducer.finishRow()
    let slot = ring.base.assumingMemoryBound(to: Float.self) + (cellRows % slots) * pitch
    LaneFilter.acrossRow(reducer.cells.base, columns, into: slot, lanes: lanes.lanes)
    cellRows += 1
  }

  private func emit(_ index: Int) {
    let start = rows.starts[index]
    let count = rows.counts[index]
    let ring = UnsafePointer(ring.base.assumingMemoryBound(to: Float.self))
    for k in 0..<count { pointers[k] = ring + (min(start + k, cellRows - 1) % slots) * pitch }
    let line = line.base.assumingMemoryBound(to: Float.self)
    rows.weights.withUnsafeBufferPointer { weights in
      guard let weights = weights.baseAddress else { return }
      LaneFilter.acrossRows(pointers, weights + index * rows.stride, count: count, into: line, vectors: pitch / 16)
    }
    lanes.write(line, into: destination.row(index), count: destination.size.width)
  }
}
