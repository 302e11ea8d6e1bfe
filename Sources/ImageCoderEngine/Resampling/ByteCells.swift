// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// Averages samples of 8 bits, down in integers first and then across.
///
/// Most rows of pictures with alpha are opaque. Those are summed as they are; only a row that has a pixel which is not
/// opaque pays for multiplication by alpha.
final class ByteCells: CellReducer {
  let cells: CellRow
  private let reader: LaneRow
  private let pixels: Int
  private let factor: Int
  /// One 16-bit sum for each sample: room for 257 rows of 255.
  private let sums: PixelMemory
  /// For each cell the sums of samples × alpha, of rows that are not opaque; nil where there is no alpha to multiply.
  private let weighed: CellRow?
  private var plainRows = 0
  private var weighedRows = 0

  var rows: Int { plainRows + weighedRows }

  /// - Parameters:
  ///   - reader: Of a format with 8 bits.
  ///   - pixels: Source pixels of a row that are needed.
  ///   - factor: Source pixels of a cell, across and down: at most 256.
  init(_ reader: LaneRow, pixels: Int, factor: Int, padding: Int) throws(CoderError) {
    self.reader = reader
    self.pixels = pixels
    self.factor = factor
    self.cells = try CellRow(pixels: pixels, factor: factor, lanes: reader.lanes, padding: padding)
    // Three channels are read as four, so the last pixel needs one sum more.
    let count = pixels * reader.format.channelCount + 1
    self.sums = try PixelMemory(bytes: count * 2, pool: nil)
    sums.base.initializeMemory(as: UInt16.self, repeating: 0, count: count)
    guard reader.premultiplies else {
      self.weighed = nil
      return
    }
    self.weighed = try CellRow(pixels: pixels, factor: factor, lanes: reader.lanes, padding: 0)
  }

  func add(_ row: UnsafeRawPointer) {
    if let weighed, !isOpaque(row) {
      if reader.lanes == 4 {
        Self.weighFour(row, weighed.base, pixels, factor)
      } else {
        Self.weighTwo(row, weighed.base, pixels, factor)
      }
      weighedRows += 1
      return
    }
    Self.add(row, to: sums.base.assumingMemoryBound(to: UInt16.self), count: pixels * reader.format.channelCount)
    plainRows += 1
  }

  func finishRow() {
    let sums = sums.base.assumingMemoryBound(to: UInt16.self)
    switch reader.format.channelCount {
    case 1: Self.sumOne(sums, cells.base, pixels, factor)
    case 2: Self.sumTwo(sums, cells.base, pixels, factor)
    case 3: Self.sumFour(sums, cells.base, pixels, factor, step: 3)
    default: Self.sumFour(sums, cells.base, pixels, factor, step: 4)
    }
    var parts = Float(rows)
    if let weighed, weighedRows > 0 {
      for i in 0..<(cells.count * reader.lanes) { cells.base[i] = cells.base[i] * 255 + weighed.base[i] }
      parts *= 255
      weighed.clear()
    }
    cells.average(pixels: pixels, factor: factor, rows: parts)
    if plainRows > 0 { sums.update(repeating: 0, count: pixels * reader.format.channelCount) }
    plainRows = 0
    weighedRows = 0
  }

  // MARK: - Down

  private static func add(_ row: UnsafeRawPointer, to sums: UnsafeMutablePointer<UInt16>, count: Int) {
    let row = row.assumingMemoryBound(to: UInt8.self)
    for i in 0..<count { sums[i] &+= UInt16(row[i]) }
  }

  private func isOpaque(_ row: UnsafeRawPointer) -> Bool {
    if reader.lanes == 4 {
      var all = UInt32.max
      for i in 0..<pixels { all &= row.loadUnaligned(fromByteOffset: 4 &* i, as: UInt32.self) }
      return all >= 0xFF00_0000
    }
    var all = UInt16.max
    for i in 0..<pixels { all &= row.loadUnaligned(fromByteOffset: 2 &* i, as: UInt16.self) }
    return all >= 0xFF00
  }

  private static func weighFour(
    _ row: UnsafeRawPointer, _ sums: UnsafeMutablePointer<Float>, _ pixels: Int, _ factor: Int
  ) {
    let sums = UnsafeMutableRawPointer(sums).assumingMemoryBound(to: SIMD4<Float>.self)
    var x = 0
    var cell = 0
    while x < pixels {
      let end = min(x &+ factor, pixels)
      var sum = SIMD4<Float>.zero
      while x < end {
        let bytes = row.loadUnaligned(fromByteOffset: 4 &* x, as: SIMD4<UInt8>.self)
        let samples = SIMD4<Float>(SIMD4<Int32>(truncatingIfNeeded: bytes))
        var weight = SIMD4<Float>(repeating: samples.w)
        weight.w = 255
        sum += samples * weight
        x &+= 1
      }
      sums[cell] += sum
      cell &+= 1
    }
  }

  private static func weighTwo(
    _ row: UnsafeRawPointer, _ sums: UnsafeMutablePointer<Float>, _ pixels: Int, _ factor: Int
  ) {
    var x = 0
    var cell = 0
    while x < pixels {
      let end = min(x &+ factor, pixels)
      var gray: Int32 = 0
      var alpha: Int32 = 0
      while x < end {
        let opacity = Int32(row.load(fromByteOffset: 2 &* x &+ 1, as: UInt8.self))
        gray &+= Int32(row.load(fromByteOffset: 2 &* x, as: UInt8.self)) &* opacity
        alpha &+= opacity &* 255
        x &+= 1
      }
      sums[2 &* cell] += Float(gray)
      sums[2 &* cell &+ 1] += Float(alpha)
      cell &+= 1
    }
  }

  // MARK: - Across

  private static func sumOne(
    _ sums: UnsafePointer<UInt16>, _ cells: UnsafeMutablePointer<Float>, _ pixels: Int, _ factor: Int
  ) {
    var x = 0
    var cell = 0
    while x < pixels {
      let end = min(x &+ factor, pixels)
      var sum: Int32 = 0
      while x < end {
        sum &+= Int32(sums[x])
        x &+= 1
      }
      cells[cell] = Float(sum)
      cell &+= 1
    }
  }

  private static func sumTwo(
    _ sums: UnsafePointer<UInt16>, _ cells: UnsafeMutablePointer<Float>, _ pixels: Int, _ factor: Int
  ) {
    var x = 0
    var cell = 0
    while x < pixels {
      let end = min(x &+ factor, pixels)
      var first: Int32 = 0
      var second: Int32 = 0
      while x < end {
        first &+= Int32(sums[2 &* x])
        second &+= Int32(sums[2 &* x &+ 1])
        x &+= 1
      }
      cells[2 &* cell] = Float(first)
      cells[2 &* cell &+ 1] = Float(second)
      cell &+= 1
    }
  }

  @inline(__always)
  private static func sumFour(
    _ sums: UnsafePointer<UInt16>, _ cells: UnsafeMutablePointer<Float>, _ pixels: Int, _ factor: Int, step: Int
  ) {
    let sums = UnsafeRawPointer(sums)
    let cells = UnsafeMutableRawPointer(cells).assumingMemoryBound(to: SIMD4<Float>.self)
    var x = 0
    var cell = 0
    while x < pixels {
      let end = min(x &+ factor, pixels)
      var sum = SIMD4<Int32>.zero
      while x < end {
        let pixel = sums.loadUnaligned(fromByteOffset: 2 &* step &* x, as: SIMD4<UInt16>.self)
        sum &+= SIMD4<Int32>(truncatingIfNeeded: pixel)
        x &+= 1
      }
      cells[cell] = SIMD4<Float>(sum)
      cell &+= 1
    }
  }
}
