// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// What a run that encodes made.
struct EncodingReport {
  let file: String
  let format: ImageFormat
  let made: EncodedFile
  /// Bytes that were allowed, or nil.
  let allowed: Int?

  /// Says on standard error what a limit of bytes led to, and prints JSON when it is wanted.
  func print(_ console: Console, json: Bool, isQuiet: Bool) {
    if let allowed, !isQuiet {
      let quality = made.quality.map { ", quality \($0.short)" } ?? ""
      console.printError("coders: \(file.printable): \(made.byteCount) of \(allowed) bytes\(quality)")
    }
    if json { console.print(self.json.printed) }
  }

  private var json: JSON {
    // A file that was carried over was not looked into.
    let isCarriedOver = made.frameCount == 0
    return .object([
      "schema": .integer(1), "file": .text(file), "format": .text(format.rawValue), "bytes": .integer(made.byteCount),
      "frames": isCarriedOver ? .null : .integer(made.frameCount), "carried_over": .boolean(isCarriedOver),
      "quality": made.quality.map { .number($0) } ?? .null,
    ])
  }
}
