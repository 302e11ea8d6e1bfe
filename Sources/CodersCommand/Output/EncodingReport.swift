// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// The result of writing a file.
struct EncodingReport: Sendable {
  let file: String
  let format: ImageFormat
  let made: EncodedFile
  /// The file size that `--max-bytes` allows, or nil.
  let allowed: Int?

  init(file: String, format: ImageFormat, made: EncodedFile, allowed: Int?) {
    (self.file, self.format, self.made, self.allowed) = (file, format, made, allowed)
  }

  /// Prints what `--max-bytes` and `--look` led to on standard error, and with `json` a report on standard output.
  func print(_ console: Console, json: Bool, isQuiet: Bool) {
    printSize(console, isQuiet: isQuiet)
    if json { console.print(self.json.printed) }
  }

  /// The report as a document of its own.
  var json: JSONValue { .object(members.merging(["schema": .integer(1)]) { $1 }) }

  /// Prints what `--max-bytes` and `--look` led to on standard error.
  func printSize(_ console: Console, isQuiet: Bool) {
    guard allowed != nil || made.look != nil, !isQuiet else { return }
    let quality = made.quality.map { ", quality \($0.short)" } ?? ""
    let bytes = allowed.map { "\(made.byteCount) of \($0) bytes" } ?? "\(made.byteCount) bytes"
    let look = made.look.map { look in
      let parts = look.partTries > 0 ? " and \(look.partTries) of parts" : ""
      return ", score \(look.score.short) after \(look.tries) tries\(parts)"
    }
    console.printError("coders: \(file.printable): \(bytes)\(quality)\(look ?? "")")
  }

  /// The keys of the report; `docs/cli.md` documents them.
  var members: [String: JSONValue] { made.report(named: file) }
}
