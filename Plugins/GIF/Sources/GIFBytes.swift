// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The bytes of a file that are there, as one buffer, and a way to wait for more.
///
/// Of a whole file all bytes are there from the beginning. Of an incremental one, the buffer's address may change with
/// each wait and with each call of the host: whoever keeps the buffer takes it again after these.
final class GIFBytes {
  private(set) var available: UnsafeRawBufferPointer
  /// Whether no byte follows those that are there.
  private(set) var isComplete: Bool

  private let source: SourceView

  init(_ source: SourceView, isIncremental: Bool) throws(CoderError) {
    self.source = source
    available = isIncremental ? UnsafeRawBufferPointer(start: nil, count: 0) : try source.contents()
    isComplete = !isIncremental
  }

  /// Waits until there are `count` bytes, or all.
  func wait(for count: Int) throws(CoderError) -> UnsafeRawBufferPointer {
    if !isComplete, available.count < count { try update(least: count) }
    return available
  }

  /// Sees the bytes that have come since the last call, without waiting.
  func refresh() throws(CoderError) {
    if !isComplete { try update(least: available.count) }
  }

  private func update(least: Int) throws(CoderError) {
    available = try source.view(at: 0, least: least, most: .max)
    isComplete = source.size < .max
  }
}
