// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A program that a test runs.
package struct Command {
  /// What a program printed, and its exit code.
  package struct Result {
    package let status: Int32
    package let output: String
  }

  /// Runs a line in the shell. Standard error comes with the output.
  package static func run(_ line: String) -> Result {
    guard let stream = popen("{ \(line)\n} 2>&1", "r") else { return Result(status: -1, output: "popen failed") }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = fread(&buffer, 1, buffer.count, stream)
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    let status = pclose(stream)
    return Result(
      status: status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F,
      output: String(decoding: bytes, as: UTF8.self))
  }
}
