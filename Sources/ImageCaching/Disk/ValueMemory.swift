// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderModel

/// The bytes of a value.
final class ValueMemory: @unchecked Sendable {
  // Unchecked: filled before others see it, and not changed after that.
  let storage: UnsafeMutableRawBufferPointer

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(storage) }

  /// Makes memory that is not cleared.
  ///
  /// - Throws: ``CoderError/Code/outOfMemory``.
  init(count: Int) throws(CoderError) {
    guard let memory = malloc(max(count, 1)) else { throw .outOfMemory(bytes: count, for: "a cached value") }
    storage = UnsafeMutableRawBufferPointer(start: memory, count: count)
  }

  deinit { free(storage.baseAddress) }
}
