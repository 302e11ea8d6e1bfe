// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders

/// The bytes of standard input.
enum StandardInput {
  /// Reads to the end. Unlike the library's reading of pipes, this stops when the user interrupts it.
  ///
  /// - Parameter most: The largest number of bytes that is accepted.
  static func read(most: Int, _ cancellation: Cancellation) throws(CoderError) -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let chunk = try next(64 << 10, cancellation)
      guard !chunk.isEmpty else { return bytes }
      guard bytes.count + chunk.count <= most else {
        throw .limitExceeded(
          .maxMemory, found: bytes.count + chunk.count, allowed: most, what: "input from a pipe with bytes of")
      }
      bytes.append(contentsOf: chunk)
    }
  }

  /// Waits for bytes, and gives those that are there.
  ///
  /// - Returns: At most `most` bytes; none at the end.
  static func next(_ most: Int, _ cancellation: Cancellation) throws(CoderError) -> [UInt8] {
    while true {
      if cancellation.isCancelled { throw .cancelled }
      var got = 0
      let chunk = [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
        got = Glibc.read(STDIN_FILENO, buffer.baseAddress, most)
        count = max(0, got)
      }
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw .io(String(cString: strerror(errno)).lowercased()) }
      return chunk
    }
  }
}
