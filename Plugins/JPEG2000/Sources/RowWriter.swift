// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Takes decoded rows to the host: as they are, or as the pixels between the samples of a lower resolution.
final class RowWriter {
  /// Memory for some rows, as of a ``RowSink``.
  struct Rows {
    let base: UnsafeMutableRawPointer
    let stride: Int
    let count: Int
  }

  private let sink: RowSink
  private let size: Size
  private let format: PixelFormat
  private let lattice: SampleLattice?
  private let host: CoderHost
  /// Rows of samples that were not filtered yet.
  private var samples: UnsafeMutableRawPointer?
  /// One row of samples as numbers, with those at its ends repeated beyond them, and then the rows that were filtered across.
  private var numbers: UnsafeMutableRawPointer?
  private var received = 0
  private var written = 0

  private static let rowsAtOnce = 16
  private static let taps = SampleLattice.taps

  /// - Parameter lattice: Of a lower resolution; nil for rows that go through as they are.
  /// - Throws: ``CoderError/Code/outOfMemory``.
  init(
    _ sink: RowSink, size: Size, format: PixelFormat, lattice: SampleLattice?, host: CoderHost
  ) throws(CoderError) {
    (self.sink, self.size, self.format, self.lattice, self.host) = (sink, size, format, lattice, host)
    guard lattice != nil else { return }
    samples = try host.allocate(bytes: Self.rowsAtOnce * rowBytes, alignment: 64, for: "rows of samples")
    numbers = try host.allocate(bytes: Self.numbers(size, format) * 4, alignment: 64, for: "filtered rows")
  }

  deinit {
    host.free(samples)
    host.free(numbers)
  }

  /// Bytes that it takes to filter.
  static func memory(_ size: Size, _ format: PixelFormat) -> Int {
    rowsAtOnce * size.width * format.bytesPerPixel + numbers(size, format) * 4
  }

  private static func numbers(_ size: Size, _ format: PixelFormat) -> Int {
    (size.width + 2 * taps + taps * size.width) * format.channelCount
  }

  private var rowBytes: Int { size.width * format.bytesPerPixel }
  private var rowNumbers: Int { size.width * format.channelCount }

  /// Memory for the next rows, or fewer.
  func rows(at y: Int, count: Int) throws(CoderError) -> Rows {
    if let samples { return Rows(base: samples, stride: rowBytes, count: min(count, Self.rowsAtOnce)) }
    let rows = try sink.rows(at: y, count: count)
    return Rows(base: rows.base, stride: rows.stride, count: rows.count)
  }

  /// Takes rows that are complete.
  func done(at y: Int, count: Int, pass: Int = 0) throws(CoderError) {
    guard let lattice, let samples, let numbers else { return try sink.done(at: y, count: count, pass: pass) }
    for row in 0..<count {
      let slot = numbers.assumingMemoryBound(to: Float.self) + padded + received % Self.taps * rowNumbers
      filterAcross(samples + row * rowBytes, lattice.across, into: slot)
      received += 1
      while written < size.height, min(lattice.down.starts[written] + Self.taps, size.height) <= received {
        try write(lattice.down)
      }
    }
  }

  /// Writes what waits for rows that do not come: as many as have come.
  func finish() throws(CoderError) {
    guard let lattice else { return }
    while written < received { try write(lattice.down) }
  }

  private var padded: Int { (size.width + 2 * Self.taps) * format.channelCount }

  private func filterAcross(
    _ row: UnsafeRawPointer, _ axis: SampleLattice.Axis, into result: UnsafeMutablePointer<Float>
  ) {
    guard let numbers else { return }
    let channels = format.channelCount
    let line = numbers.assumingMemoryBound(to: Float.self)
    let first = line + Self.taps * channels
    if format.bytesPerChannel == 1 {
      let row = row.assumingMemoryBound(to: UInt8.self)
      for index in 0..<rowNumbers { first[index] = Float(row[index]) }
    } else {
      let row = row.assumingMemoryBound(to: UInt16.self)
      for index in 0..<rowNumbers { first[index] = Float(row[index]) }
    }
    for index in 0..<(Self.taps * channels) {
      line[index] = first[index % channels]
      first[rowNumbers + index] = first[rowNumbers - channels + index % channels]
    }
    axis.weights.withUnsafeBufferPointer { weights in
      for x in 0..<size.width {
        let start = first + axis.starts[x] * channels
        for channel in 0..<channels {
          var sum: Float = 0
          for tap in 0..<Self.taps { sum += weights[x * Self.taps + tap] * start[tap * channels + channel] }
          result[x * channels + channel] = sum
        }
      }
    }
  }

  /// Writes the next row from those that were received; one above or below those counts as the nearest.
  private func write(_ axis: SampleLattice.Axis) throws(CoderError) {
    guard let numbers else { return }
    let granted = try sink.rows(at: written, count: 1)
    guard granted.stride >= rowBytes else {
      throw .libraryFailure("the host grants a stride of \(granted.stride) bytes for rows of \(rowBytes)")
    }
    let ring = numbers.assumingMemoryBound(to: Float.self) + padded
    let start = axis.starts[written]
    withUnsafeTemporaryAllocation(of: UnsafePointer<Float>.self, capacity: Self.taps) { lines in
      for tap in 0..<Self.taps {
        let row = min(max(start + tap, 0), received - 1)
        lines[tap] = UnsafePointer(ring + row % Self.taps * rowNumbers)
      }
      axis.weights.withUnsafeBufferPointer { weights in
        let weights = UnsafeBufferPointer(rebasing: weights[(written * Self.taps)..<((written + 1) * Self.taps)])
        if format.bytesPerChannel == 1 {
          mix(lines, weights, into: granted.base.assumingMemoryBound(to: UInt8.self))
        } else {
          mix(lines, weights, into: granted.base.assumingMemoryBound(to: UInt16.self))
        }
      }
    }
    try sink.done(at: written, count: 1)
    written += 1
  }

  @inline(__always)
  private func mix<Sample: FixedWidthInteger & UnsignedInteger>(
    _ lines: UnsafeMutableBufferPointer<UnsafePointer<Float>>, _ weights: UnsafeBufferPointer<Float>,
    into row: UnsafeMutablePointer<Sample>
  ) {
    let most = Float(Sample.max)
    for index in 0..<rowNumbers {
      var sum: Float = 0.5
      for tap in 0..<Self.taps { sum += weights[tap] * lines[tap][index] }
      row[index] = Sample(min(max(sum, 0), most))
    }
  }
}
