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

  /// What became of facts: those that are in another place were kept.
  private func changes(_ isListed: (FactChange) -> Bool) -> JSONValue {
    .list(
      made.changes.filter(isListed).map { change in
        .object([
          "fact": .text(change.fact.rawValue), "outcome": .text(change.outcome.rawValue),
          "reason": .text(change.reason),
        ])
      })
  }

  /// The keys of the report; `docs/cli.md` documents them.
  var members: [String: JSONValue] {
    // The frames of a file that was copied or carried over are not counted.
    let isCarriedOver = made.frameCount == 0
    let look = made.look.map { look in
      JSONValue.object([
        "score": .number(look.score), "tries": .integer(look.tries), "part_tries": .integer(look.partTries),
      ])
    }
    return [
      "file": .text(file), "format": .text(format.rawValue), "bytes": .integer(made.byteCount),
      "frames": isCarriedOver ? .null : .integer(made.frameCount), "carried_over": .boolean(isCarriedOver),
      "quality": made.quality.map { .number($0) } ?? .null, "look": look ?? .null,
      "changes": changes { $0.outcome != .moved }, "kept": changes { $0.outcome == .moved },
    ]
  }
}
