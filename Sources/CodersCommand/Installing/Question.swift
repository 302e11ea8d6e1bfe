// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders

/// A question on the terminal.
enum Question {
  /// Whether somebody can see a question and answer it.
  static func canBeAsked(_ console: Console) -> Bool { isatty(STDIN_FILENO) == 1 && console.isErrorTerminal }

  /// Asks, and waits for a line.
  ///
  /// - Returns: Whether the line begins with `y`.
  static func ask(_ text: String, _ console: Console) throws(CoderError) -> Bool {
    console.printError("\(text) [y/N]")
    var answer: [UInt8] = []
    var byte: UInt8 = 0
    while answer.count < 100 {
      let count = read(STDIN_FILENO, &byte, 1)
      guard !console.cancellation.isCancelled else { throw CoderError(code: .cancelled, message: "interrupted") }
      if count < 0, errno == EINTR { continue }
      guard count > 0, byte != UInt8(ascii: "\n") else { break }
      answer.append(byte)
    }
    return answer.first.map { $0 | 0x20 } == UInt8(ascii: "y")
  }
}
