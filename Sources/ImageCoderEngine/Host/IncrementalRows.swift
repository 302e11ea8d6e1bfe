// SPDX-License-Identifier: Apache-2.0

/// Counts the rows of a frame that is being decoded.
protocol IncrementalRows: AnyObject {
  /// Rows that were done without a gap, from the top.
  var rowsFromTheTop: Int { get }
  /// The share of rows that were done at least once, 0 to 1.
  var shareOfRows: Double { get }
  var pass: Int { get }
  /// How far the pass has come, 0 to 1.
  var shareOfPass: Double { get }
  /// Rows that were never reported done, as ranges from the top.
  var missingRows: [Range<Int>] { get }
}
