// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders
import SampleImages

/// `coder-samples DIRECTORY`: draws sample pictures and writes them in every format that is installed.
@main enum Main {
  static func main() {
    guard CommandLine.arguments.count == 2 else {
      say("usage: coder-samples DIRECTORY")
      exit(64)
    }
    let directory = CommandLine.arguments[1]
    var isComplete = true
    for sample in Sample.all {
      do throws(CoderError) {
        let pages = try sample.pages()
        for file in sample.files { isComplete = write(pages, file, to: directory) && isComplete }
      } catch {
        say("coder-samples: \(error)")
        isComplete = false
      }
    }
    exit(isComplete ? 0 : 5)
  }

  private static func write(_ pages: [Image], _ file: Sample.File, to directory: String) -> Bool {
    let path = "\(directory)/\(file.name)"
    do throws(CoderError) {
      let bytes = try Sample.encode(pages, as: file, with: .standard)
      let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
      guard descriptor >= 0 else { throw .io(String(cString: strerror(errno)).lowercased()) }
      defer { close(descriptor) }
      guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
        throw .io("could not write \(bytes.count) bytes")
      }
      return true
    } catch  where error.code == .noCoder {
      // The plugin was left out when the others were built, which said why.
      say("\(path) is left out: \(error)")
      return true
    } catch {
      say("coder-samples: \(path): \(error)")
      return false
    }
  }

  private static func say(_ text: String) {
    let line = Array("\(text)\n".utf8)
    _ = Glibc.write(STDERR_FILENO, line, line.count)
  }
}
