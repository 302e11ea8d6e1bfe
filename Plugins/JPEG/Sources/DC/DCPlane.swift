// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The DC coefficients of one channel in rows, in memory of the host's: eight times the means of blocks, divided by the
/// quantizer's step.
final class DCPlane {
  /// Blocks; whole MCUs.
  let columns: Int
  let rows: Int
  let coefficients: UnsafeMutablePointer<Int16>
  private let host: CoderHost

  /// - Throws: ``CoderError/Code/outOfMemory``; ``CoderError/Code/limitExceeded``.
  init(columns: Int, rows: Int, host: CoderHost) throws(CoderError) {
    self.columns = columns
    self.rows = rows
    self.host = host
    let count = columns * rows
    coefficients = try host.allocate(bytes: count * 2, for: "the DC coefficients of a channel")
      .bindMemory(to: Int16.self, capacity: count)
    coefficients.initialize(repeating: 0, count: count)
  }

  deinit { host.free(UnsafeMutableRawPointer(coefficients)) }

  /// - Parameter y: A row of blocks.
  func row(_ y: Int) -> UnsafePointer<Int16> { UnsafePointer(coefficients + y * columns) }
}
