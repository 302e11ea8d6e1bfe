// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The program: one line of JSON for each file.
@main
enum CoderDigest {
  static func main() {
    guard let arguments = Arguments(Array(CommandLine.arguments.dropFirst())) else {
      complain(Arguments.usage)
      exit(2)
    }
    let digest = FileDigest(arguments)
    guard digest.complaints.isEmpty else {
      complain(digest.complaints.joined(separator: "\n") + "\n")
      exit(1)
    }
    var number = 0
    var listed = arguments.paths.makeIterator()
    while let path = arguments.paths.isEmpty ? readLine() : listed.next() {
      print(digest.line(for: path, number: number))
      // At once: whoever reads knows from the lines in which file a crash was.
      fflush(nil)
      number += 1
    }
  }

  private static func complain(_ text: String) {
    _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
  }
}
