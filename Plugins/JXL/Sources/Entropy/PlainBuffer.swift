// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderPlugin

/// Memory for plain numbers, zeroed at first and freed with the object.
///
/// Threads that the host lends may allocate it; the host's own memory is for the session's thread.
final class PlainBuffer<Element: BitwiseCopyable>: @unchecked Sendable {
  let base: UnsafeMutablePointer<Element>
  let count: Int

  /// - Throws: ``CoderError/Code/outOfMemory``.
  init(count: Int, for purpose: String) throws(CoderError) {
    let (bytes, overflow) = max(count, 1).multipliedReportingOverflow(by: MemoryLayout<Element>.stride)
    guard !overflow, count >= 0, let memory = calloc(1, bytes) else { throw .outOfMemory(bytes: bytes, for: purpose) }
    base = memory.assumingMemoryBound(to: Element.self)
    self.count = count
  }

  deinit { free(base) }
}
