// SPDX-License-Identifier: Apache-2.0

import ContactSheets
import Glibc
import ImageCoders

/// `contact-sheet`: one picture of many files.
@main enum Main {
  private static let usage = """
    usage: contact-sheet [--columns N] [--size N] -o SHEET FILE…

    Puts thumbnails of many files on one picture, each with its name, size and format. Transparency shows as a
    checkerboard, an animation as a strip of film with three of its frames, a file that cannot be read as an empty
    cell. The extension of SHEET says its format. --size is the box of a thumbnail in pixels, 32 to 1024; the default
    is 192.
    """

  static func main() async {
    guard let arguments = Arguments(CommandLine.arguments.dropFirst()) else {
      printError(usage)
      exit(64)
    }
    let items = await SheetItem.items(arguments.files, size: arguments.size)
    var status: Int32 = 0
    for item in items {
      guard let problem = item.problem else { continue }
      printError("contact-sheet: \(item.file): \(problem)")
      status = 1
    }
    do throws(CoderError) {
      let sheet = try ContactSheet(items, columns: arguments.columns, size: arguments.size).drawn()
      let suffix = arguments.output.split(separator: ".").last.map(String.init) ?? ""
      guard let format = CoderRegistry.standard.format(forExtension: suffix) else {
        throw .invalidArgument("no coder has the extension \"\(suffix)\"")
      }
      let encoder = try await CoderRegistry.standard.async.makeEncoder(as: format, to: .file(arguments.output))
      try await encoder.add(sheet)
      _ = try await encoder.finish()
    } catch {
      printError("contact-sheet: \(arguments.output): \(error)")
      status = 1
    }
    exit(status)
  }

  private static func printError(_ text: String) {
    let line = Array("\(text)\n".utf8)
    _ = Glibc.write(STDERR_FILENO, line, line.count)
  }
}

/// What the command line asks for.
private struct Arguments {
  var files: [String] = []
  var output = ""
  var columns: Int?
  var size = 192

  /// Nil for words that are not understood.
  init?(_ words: some Sequence<String>) {
    var words = words.makeIterator()
    while let word = words.next() {
      switch word {
      case "-o":
        guard let path = words.next() else { return nil }
        output = path
      case "--columns":
        guard let number = words.next().flatMap({ Int($0) }), number > 0 else { return nil }
        columns = number
      case "--size":
        guard let number = words.next().flatMap({ Int($0) }), (32...1024).contains(number) else { return nil }
        size = number
      default:
        guard !word.hasPrefix("-") else { return nil }
        files.append(word)
      }
    }
    guard !files.isEmpty, !output.isEmpty else { return nil }
  }
}
