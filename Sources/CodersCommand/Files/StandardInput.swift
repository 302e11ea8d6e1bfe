// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoders

/// The bytes of standard input. Unlike the library's reading of pipes, this stops when the user interrupts it.
enum StandardInput {
  /// Reads to the end; of what `mayBeImage` knows to be none, the beginning.
  ///
  /// - Parameter most: The largest number of bytes that is accepted.
  static func read(
    most: Int, _ cancellation: Cancellation, mayBeImage: PipeInput.Recognition = { _ in true }
  ) throws(CoderError) -> [UInt8] {
    try PipeInput.readAll(STDIN_FILENO, limit: most, mayBeImage: mayBeImage) { cancellation.isCancelled }
  }

  /// Waits for bytes, and gives those that are there.
  ///
  /// - Returns: At most `most` bytes; none at the end.
  static func next(_ most: Int, _ cancellation: Cancellation) throws(CoderError) -> [UInt8] {
    while true {
      if cancellation.isCancelled { throw .cancelled }
      if let chunk = try PipeInput.next(STDIN_FILENO, most: most) { return chunk }
    }
  }
}
