// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageCoders
import SampleImages

/// `make-samples DIRECTORY`: draws sample pictures and writes them in every format that an installed plugin writes.
@main enum Main {
  static func main() {
    guard CommandLine.arguments.count == 2 else {
      say("usage: make-samples DIRECTORY")
      exit(64)
    }
    let directory = CommandLine.arguments[1]
    var isComplete = true
    for sample in Sample.all {
      do throws(CoderError) {
        let pages = try sample.pages()
        for file in sample.files { isComplete = write(pages, file, to: directory) && isComplete }
      } catch {
        say("make-samples: \(error)")
        isComplete = false
      }
    }
    exit(isComplete ? 0 : 5)
  }

  private static func write(_ pages: [Image], _ file: Sample.File, to directory: String) -> Bool {
    let path = "\(directory)/\(file.name)"
    do {
      let bytes = try Sample.encode(pages, as: file, with: .standard)
      try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
      return true
    } catch let error as CoderError where error.code == .noCoder {
      // The build leaves out a plugin whose library is missing, and says so.
      say("\(path) is not written: \(error)")
      return true
    } catch {
      say("make-samples: \(path): \(error)")
      return false
    }
  }

  private static func say(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
  }
}
