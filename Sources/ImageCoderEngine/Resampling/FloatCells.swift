// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// Averages samples of any type as floating-point numbers.
///
/// A run of pixels in a row is summed in single precision, rows in double precision: a cell can have thousands of
/// pixels, and small numbers would be lost in their sum.
final class FloatCells: CellReducer {
  let cells: CellRow
  private let reader: LaneRow
  private let pixels: Int
  private let factor: Int
  private let line: PixelMemory
  private let sums: PixelMemory
  private(set) var rows = 0

  /// - Parameters:
  ///   - pixels: Source pixels of a row that are needed.
  ///   - factor: Source pixels of a cell, across.
  init(_ reader: LaneRow, pixels: Int, factor: Int, padding: Int) throws(CoderError) {
    self.reader = reader
    self.pixels = pixels
    self.factor = factor
    self.cells = try CellRow(pixels: pixels, factor: factor, lanes: reader.lanes, padding: padding)
    self.line = try PixelMemory(bytes: pixels * reader.lanes * 4, pool: nil)
    self.sums = try PixelMemory(bytes: cells.count * reader.lanes * 8, pool: nil)
    sums.base.initializeMemory(as: Double.self, repeating: 0, count: cells.count * reader.lanes)
  }

  func add(_ rows: UnsafeRawPointer, stride: Int, count: Int) {
    for index in 0..<count { add(rows + index * stride) }
  }

  private func add(_ row: UnsafeRawPointer) {
    let line = line.base.assumingMemoryBound(to: Float.self)
    let sums = sums.base.assumingMemoryBound(to: Double.self)
    reader.read(row, into: line, count: pixels)
    switch reader.lanes {
    case 1: Self.add(Float.self, line, cells.base, pixels: pixels, factor: factor)
    case 2: Self.add(SIMD2<Float>.self, line, cells.base, pixels: pixels, factor: factor)
    default: Self.add(SIMD4<Float>.self, line, cells.base, pixels: pixels, factor: factor)
    }
    for i in 0..<(cells.count * reader.lanes) { sums[i] += Double(cells.base[i]) }
    rows += 1
  }

  func finishRow() {
    let sums = sums.base.assumingMemoryBound(to: Double.self)
    let count = cells.count * reader.lanes
    for i in 0..<count { cells.base[i] = Float(sums[i]) }
    cells.average(pixels: pixels, factor: factor, rows: Float(rows))
    sums.update(repeating: 0, count: count)
    rows = 0
  }

  @inline(__always)
  private static func add<Pixel: LaneVector>(
    _: Pixel.Type, _ line: UnsafePointer<Float>, _ sums: UnsafeMutablePointer<Float>, pixels: Int, factor: Int
  ) {
    let line = UnsafeRawPointer(line).assumingMemoryBound(to: Pixel.self)
    let sums = UnsafeMutableRawPointer(sums).assumingMemoryBound(to: Pixel.self)
    var x = 0
    var cell = 0
    while x < pixels {
      let end = min(x &+ factor, pixels)
      var sum = line[x]
      x &+= 1
      while x < end {
        sum += line[x]
        x &+= 1
      }
      sums[cell] = sum
      cell &+= 1
    }
  }
}

/// One pixel of lanes.
private protocol LaneVector {
  static func += (left: inout Self, right: Self)
}

extension Float: LaneVector {}
extension SIMD2<Float>: LaneVector {}
extension SIMD4<Float>: LaneVector {}
