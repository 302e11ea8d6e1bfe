// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCodersBuiltIn
import ImageCodersWorker

/// `batch FORMAT FOLDER FILE…`: converts files, animations included, and goes on after errors.
///
/// As many run at a time as there are processors: the library's queue sees to that.
@main struct Batch {
  static let registry = CoderRegistry(builtIn: .all)

  static func main() async {
    // With CODERS_ISOLATION=required, the program starts itself once more to decode.
    CoderWorker.runIfAsked(.all)
    let words = Array(CommandLine.arguments.dropFirst())
    guard words.count > 2, let format = registry.format(forExtension: words[0]),
      let suffix = registry.fileExtension(of: format)
    else {
      let formats = registry.writableFormats.compactMap(registry.fileExtension).joined(separator: ", ")
      say("usage: batch FORMAT FOLDER FILE...\nformats: \(formats)")
      exit(64)
    }
    mkdir(words[1], 0o777)
    let files = words.dropFirst(2)
    let names = outputs(files, in: words[1], suffix)
    let failed = await withTaskGroup(of: Bool.self) { group in
      for (input, output) in zip(files, names) {
        group.addTask { await convert(input, to: format, at: output) }
      }
      var (done, failed) = (0, 0)
      for await isWritten in group {
        done += 1
        failed += isWritten ? 0 : 1
        if isatty(STDERR_FILENO) == 1 { say("\(done) of \(files.count)", end: "\r") }
      }
      return failed
    }
    say("\(files.count - failed) written, \(failed) failed")
    exit(failed == 0 ? 0 : 1)
  }

  static func convert(_ input: String, to format: ImageFormat, at output: String) async -> Bool {
    do {
      // Without a listener for problems, a part of a picture is an error.
      try await registry.async.convert(.file(input), to: format, at: .file(output))
      return true
    } catch {
      say("\(error)")
      return false
    }
  }

  /// A name for each file; of two that are called the same, the later one gets a number.
  static func outputs(_ files: some Sequence<String>, in folder: String, _ suffix: String) -> [String] {
    var taken: Set<String> = []
    return files.map { file in
      let name = file.split(separator: "/").last ?? ""
      let stem = name.split(separator: ".").dropLast().joined(separator: ".")
      var (output, number) = ("\(folder)/\(stem.isEmpty ? String(name) : stem)", 1)
      while !taken.insert(output).inserted {
        number += 1
        output = "\(folder)/\(stem)-\(number)"
      }
      return "\(output).\(suffix)"
    }
  }

  static func say(_ text: String, end: String = "\n") {
    let bytes = Array((text + end).utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
  }
}
