// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders

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
    if arguments.forks > 0 { exit(fork(digest.registry, arguments)) }
    var number = 0
    var listed = arguments.paths.makeIterator()
    while let path = arguments.paths.isEmpty ? readLine() : listed.next() {
      print(digest.line(for: path, number: number))
      // At once: whoever reads knows from the lines in which file a crash was.
      fflush(nil)
      number += 1
    }
  }

  private static func fork(_ registry: CoderRegistry, _ arguments: Arguments) -> Int32 {
    do throws(CoderError) {
      let forks = try Forks(registry, paths: arguments.paths)
      let problems = forks.run(arguments.forks)
      for problem in problems { complain("FAILED \(problem)\n") }
      print("\(2 * arguments.forks - problems.count) passed, \(problems.count) failed")
      return problems.isEmpty ? 0 : 1
    } catch {
      complain("\(error)\n")
      return 1
    }
  }

  private static func complain(_ text: String) {
    _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
  }
}
