// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// Averages samples of 8 bits, down in integers first and then across.
///
/// Most pixels of pictures with alpha are opaque, or clear. Runs of opaque ones are summed as they are, and clear ones
/// add nothing; only a run with other pixels pays for multiplication by alpha.
final class ByteCells: CellReducer {
  let cells: CellRow
  private let reader: LaneRow
  private let pixels: Int
  private let factor: Int
  /// One 16-bit sum for each sample: room for 257 rows of 255.
  private let sums: PixelMemory
  /// For each cell the sums of samples × alpha, of runs that are not opaque; nil where there is no alpha to multiply.
  private let weighed: CellRow?
  /// Pixels of a run: of whole cells.
  private let run: Int
  private(set) var rows = 0
  /// Whether a row since the last `finishRow` has pixels that are not opaque.
  private var isWeighed = false

  /// - Parameters:
  ///   - reader: Of a format with 8 bits.
  ///   - pixels: Source pixels of a row that are needed.
  ///   - factor: Source pixels of a cell, across and down: at most 256.
  init(_ reader: LaneRow, pixels: Int, factor: Int, padding: Int) throws(CoderError) {
    self.reader = reader
    self.pixels = pixels
    self.factor = factor
    self.run = max(1, 48 / factor) * factor
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

  func add(_ rows: UnsafeRawPointer, stride: Int, count: Int) {
    let sums = sums.base.assumingMemoryBound(to: UInt16.self)
    let isFirst = self.rows == 0
    self.rows += count
    guard weighed != nil else {
      return Self.add(
        rows, stride: stride, rows: count, to: sums, count: pixels * reader.format.channelCount, isFirst: isFirst)
    }
    var x = 0
    while x < pixels {
      let length = min(run, pixels &- x)
      let start = rows + x &* reader.lanes
      let into = sums + x &* reader.lanes
      if Self.isOpaque(start, stride: stride, rows: count, length, lanes: reader.lanes) {
        Self.add(start, stride: stride, rows: count, to: into, count: length &* reader.lanes, isFirst: isFirst)
      } else {
        if isFirst { into.update(repeating: 0, count: length &* reader.lanes) }
        for row in 0..<count { weigh(start + row &* stride, at: x, count: length, into: into) }
      }
      x &+= length
    }
  }

  /// Adds a run of one row by its alpha.
  private func weigh(_ start: UnsafeRawPointer, at x: Int, count length: Int, into sums: UnsafeMutablePointer<UInt16>) {
    guard let weighed else { return }
    let (least, most) = Self.alpha(start, length, lanes: reader.lanes)
    guard least < 255 else {
      return Self.add(start, stride: 0, rows: 1, to: sums, count: length &* reader.lanes, isFirst: false)
    }
    isWeighed = true
    // Clear pixels add nothing.
    guard most > 0 else { return }
    let into = weighed.base + x / factor &* reader.lanes
    if reader.lanes == 4 {
      Self.weighFour(start, into, pixels: length, factor: factor)
    } else {
      Self.weighTwo(start, into, pixels: length, factor: factor)
    }
  }

  func finishRow() {
    let sums = sums.base.assumingMemoryBound(to: UInt16.self)
    switch reader.format.channelCount {
    case 1: Self.sumOne(sums, cells.base, pixels: pixels, factor: factor)
    case 2: Self.sumTwo(sums, cells.base, pixels: pixels, factor: factor)
    case 3: Self.sumFour(sums, cells.base, pixels: pixels, factor: factor, step: 3)
    default: Self.sumFour(sums, cells.base, pixels: pixels, factor: factor, step: 4)
    }
    var parts = Float(rows)
    if let weighed, isWeighed {
      for i in 0..<(cells.count * reader.lanes) { cells.base[i] = cells.base[i] * 255 + weighed.base[i] }
      parts *= 255
      weighed.clear()
    }
    cells.average(pixels: pixels, factor: factor, rows: parts)
    rows = 0
    isWeighed = false
  }

  // MARK: - Down

  /// Adds rows to sums, or makes sums of them. As many as four at a time are added before memory is written.
  @inline(__always)
  private static func add(
    _ first: UnsafeRawPointer, stride: Int, rows: Int, to sums: UnsafeMutablePointer<UInt16>, count: Int, isFirst: Bool
  ) {
    var (row, left, isNew) = (first.assumingMemoryBound(to: UInt8.self), rows, isFirst)
    while left > 0 {
      let taken = min(left, 4)
      let (second, third, fourth) = (row + stride, row + 2 &* stride, row + 3 &* stride)
      switch (taken, isNew) {
      case (1, false): for i in 0..<count { sums[i] &+= UInt16(row[i]) }
      case (2, false): for i in 0..<count { sums[i] &+= UInt16(row[i]) &+ UInt16(second[i]) }
      case (3, false): for i in 0..<count { sums[i] &+= UInt16(row[i]) &+ UInt16(second[i]) &+ UInt16(third[i]) }
      case (_, false):
        for i in 0..<count {
          sums[i] &+= UInt16(row[i]) &+ UInt16(second[i]) &+ UInt16(third[i]) &+ UInt16(fourth[i])
        }
      case (1, _): for i in 0..<count { sums[i] = UInt16(row[i]) }
      case (2, _): for i in 0..<count { sums[i] = UInt16(row[i]) &+ UInt16(second[i]) }
      case (3, _): for i in 0..<count { sums[i] = UInt16(row[i]) &+ UInt16(second[i]) &+ UInt16(third[i]) }
      default:
        for i in 0..<count {
          sums[i] = UInt16(row[i]) &+ UInt16(second[i]) &+ UInt16(third[i]) &+ UInt16(fourth[i])
        }
      }
      isNew = false
      row += taken &* stride
      left &-= taken
    }
  }

  @inline(__always)
  private static func isOpaque(
    _ first: UnsafeRawPointer, stride: Int, rows: Int, _ count: Int, lanes: Int
  ) -> Bool {
    for row in 0..<rows {
      guard alpha(first + row &* stride, count, lanes: lanes).least == 255 else { return false }
    }
    return true
  }

  /// Bits that all alpha values of a run have, and bits that one has: 255 first when all are opaque, 0 last when all
  /// are clear.
  @inline(__always)
  private static func alpha(_ row: UnsafeRawPointer, _ count: Int, lanes: Int) -> (least: UInt32, most: UInt32) {
    if lanes == 4 {
      var all = UInt32.max
      var any: UInt32 = 0
      for i in 0..<count {
        let pixel = row.loadUnaligned(fromByteOffset: 4 &* i, as: UInt32.self)
        all &= pixel
        any |= pixel
      }
      return (all.littleEndian >> 24, any.littleEndian >> 24)
    }
    var all = UInt16.max
    var any: UInt16 = 0
    for i in 0..<count {
      let pixel = row.loadUnaligned(fromByteOffset: 2 &* i, as: UInt16.self)
      all &= pixel
      any |= pixel
    }
    return (UInt32(all.littleEndian >> 8), UInt32(any.littleEndian >> 8))
  }

  private static func weighFour(
    _ row: UnsafeRawPointer, _ sums: UnsafeMutablePointer<Float>, pixels: Int, factor: Int
  ) {
    let sums = UnsafeMutableRawPointer(sums).assumingMemoryBound(to: SIMD4<Float>.self)
    var x = 0
    var cell = 0
    while x < pixels {
      let end = min(x &+ factor, pixels)
      var sum = SIMD4<Int32>.zero
      while x < end {
        // A product of two bytes has room in 16 bits, and the sum of 256 of them in 24.
        let bytes = row.loadUnaligned(fromByteOffset: 4 &* x, as: SIMD4<UInt8>.self)
        let samples = SIMD4<UInt16>(truncatingIfNeeded: bytes)
        var weight = SIMD4<UInt16>(repeating: samples.w)
        weight.w = 255
        sum &+= SIMD4<Int32>(truncatingIfNeeded: samples &* weight)
        x &+= 1
      }
      sums[cell] += SIMD4<Float>(sum)
      cell &+= 1
    }
  }

  private static func weighTwo(
    _ row: UnsafeRawPointer, _ sums: UnsafeMutablePointer<Float>, pixels: Int, factor: Int
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
    _ sums: UnsafePointer<UInt16>, _ cells: UnsafeMutablePointer<Float>, pixels: Int, factor: Int
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
    _ sums: UnsafePointer<UInt16>, _ cells: UnsafeMutablePointer<Float>, pixels: Int, factor: Int
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
    _ sums: UnsafePointer<UInt16>, _ cells: UnsafeMutablePointer<Float>, pixels: Int, factor: Int, step: Int
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
