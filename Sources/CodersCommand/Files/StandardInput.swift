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
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      if cancellation.isCancelled { throw .cancelled }
      let got = Glibc.read(STDIN_FILENO, &chunk, chunk.count)
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw .io(String(cString: strerror(errno)).lowercased()) }
      guard got > 0 else { return bytes }
      guard bytes.count + got <= most else {
        throw .limitExceeded(
          .maxMemory, found: bytes.count + got, allowed: most, what: "input from a pipe with bytes of")
      }
      bytes.append(contentsOf: chunk[..<got])
    }
  }
}
