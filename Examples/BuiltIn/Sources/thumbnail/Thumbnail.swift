// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCodersBuiltIn
import ImageCodersWorker

/// `thumbnail SIDE INPUT OUTPUT`: makes one thumbnail; the output's extension is its format. Without arguments, lists the
/// coders.
@main struct Thumbnail {
  static let registry = CoderRegistry(builtIn: .all)

  static func main() {
    // With CODERS_ISOLATION=required, the program starts itself once more to decode.
    CoderWorker.runIfAsked(.all)
    let words = Array(CommandLine.arguments.dropFirst())
    if words.isEmpty {
      for id in registry.coderIDs { print(id) }
      return
    }
    guard words.count == 3, let side = Int(words[0]), side > 0 else {
      fail("usage: thumbnail SIDE INPUT OUTPUT", status: 64)
    }
    do {
      try make(side, from: words[1], to: words[2])
    } catch {
      fail("thumbnail: \(error)", status: 1)
    }
  }

  static func make(_ side: Int, from input: String, to output: String) throws(CoderError) {
    var preset = ThumbnailPreset.web.sized(width: side, height: side)
    preset.format = registry.format(forExtension: String(output.split(separator: ".").last ?? ""))
    var missing: CoderError?
    // The file appears when it is whole.
    _ = try registry.makeThumbnail(of: .file(input), preset, at: .file(output)) { missing = $0 }
    if let missing { fail("thumbnail: a part of \(input): \(missing)", status: 1) }
  }

  static func fail(_ message: String, status: Int32) -> Never {
    let line = Array("\(message)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    exit(status)
  }
}
