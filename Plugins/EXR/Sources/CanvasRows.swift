// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The rows of the canvas, which reach the host from the top.
final class CanvasRows {
  private let sink: RowSink
  private let size: Size
  /// Where the data begin.
  private let x: Int
  /// The columns of the data that are on the canvas.
  private let columns: Range<Int>
  private let pixels: PixelRows
  /// The next row.
  private var y = 0
  /// Rows before it that are empty, and are written if others follow.
  private var owed = 0
  private var target: UnsafeMutableRawPointer?

  init(_ sink: RowSink, size: Size, x: Int, columns: Range<Int>, pixels: PixelRows) {
    self.sink = sink
    self.size = size
    self.x = x
    self.columns = columns
    self.pixels = pixels
  }

  /// Rows without data.
  func skip(_ count: Int) {
    owed = min(owed + max(0, count), size.height - y)
  }

  /// Begins the next row.
  ///
  /// - Parameter isWhole: Whether all columns of the data are going to be put there.
  func begin(isWhole: Bool) throws(CoderError) {
    try pay()
    guard y < size.height else { throw .libraryFailure("a row after the last one of \(size.height)") }
    let row = try sink.rows(at: y).base
    if !isWhole || columns.count < size.width { pixels.clear(row, count: size.width) }
    target = row
  }

  /// Writes pixels of the row.
  ///
  /// - Parameters:
  ///   - part: Columns of the data. What is not on the canvas is left out.
  ///   - planes: The samples of those columns, from the first one that is on the canvas.
  func put(_ part: Range<Int>, planes: PixelRows.Planes) {
    let part = part.clamped(to: columns)
    guard let target, !part.isEmpty else { return }
    pixels.write(planes, count: part.count, to: target + (part.lowerBound + x) * pixels.format.bytesPerPixel)
  }

  func end() throws(CoderError) {
    target = nil
    try sink.done(at: y)
    y += 1
  }

  /// Writes the empty rows that come before one that is not.
  private func pay() throws(CoderError) {
    while owed > 0 {
      pixels.clear(try sink.rows(at: y).base, count: size.width)
      try sink.done(at: y)
      y += 1
      owed -= 1
    }
  }

  /// - Parameter isWhole: Whether the rows that are left are empty, and not missing.
  func finish(isWhole: Bool) throws(CoderError) {
    guard isWhole else { return }
    owed = size.height - y
    try pay()
  }
}
