// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The bytes of a file that are there, as one buffer, and a way to wait for more.
///
/// Of a whole file all bytes are there from the beginning. While bytes arrive, the buffer's address may change with
/// each wait and with each call of the host: whoever keeps the buffer takes it anew behind these.
final class GIFBytes {
  private(set) var arrived: UnsafeRawBufferPointer
  /// Whether no byte follows those that are there.
  private(set) var isComplete: Bool

  private let source: SourceView

  init(_ source: SourceView, isArriving: Bool) throws(CoderError) {
    self.source = source
    arrived = isArriving ? UnsafeRawBufferPointer(start: nil, count: 0) : try source.contents()
    isComplete = !isArriving
  }

  /// Waits until there are `count` bytes, or all.
  func wait(for count: Int) throws(CoderError) -> UnsafeRawBufferPointer {
    if !isComplete, arrived.count < count { try look(least: count) }
    return arrived
  }

  /// Sees what has arrived since the last look, without waiting.
  func refresh() throws(CoderError) {
    if !isComplete { try look(least: arrived.count) }
  }

  private func look(least: Int) throws(CoderError) {
    arrived = try source.view(at: 0, least: least, most: .max)
    isComplete = source.size < .max
  }
}
