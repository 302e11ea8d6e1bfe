// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The samples of one channel, in memory of the host's.
final class SamplePlane {
  let size: Size
  private let samples: UnsafeMutablePointer<UInt16>
  private let host: CoderHost

  /// - Throws: ``CoderError/Code/outOfMemory``; ``CoderError/Code/limitExceeded``.
  init(_ size: Size, host: CoderHost) throws(CoderError) {
    self.size = size
    self.host = host
    let memory = try host.allocate(bytes: max(2, size.pixelCount * 2), for: "a channel's samples")
    samples = memory.bindMemory(to: UInt16.self, capacity: max(1, size.pixelCount))
    samples.initialize(repeating: 0, count: max(1, size.pixelCount))
  }

  deinit { host.free(UnsafeMutableRawPointer(samples)) }

  /// - Parameter y: A row of the plane.
  func row(_ y: Int) -> UnsafeMutablePointer<UInt16> { samples + y * size.width }
}

/// The coefficients of one channel, blocks of 64 in the order of their rows, in memory of the host's.
final class CoefficientPlane {
  /// Blocks; whole MCUs.
  let columns: Int
  let rows: Int
  private let coefficients: UnsafeMutablePointer<Int16>
  private let host: CoderHost

  init(columns: Int, rows: Int, host: CoderHost) throws(CoderError) {
    self.columns = columns
    self.rows = rows
    self.host = host
    let count = columns * rows * 64
    coefficients = try host.allocate(bytes: count * 2, for: "a channel's coefficients")
      .bindMemory(to: Int16.self, capacity: count)
    coefficients.initialize(repeating: 0, count: count)
  }

  deinit { host.free(UnsafeMutableRawPointer(coefficients)) }

  /// 64 coefficients in the order of rows, of a block of the plane.
  func block(_ column: Int, _ row: Int) -> UnsafeMutablePointer<Int16> {
    coefficients + (row * columns + column) * 64
  }
}
