// SPDX-License-Identifier: Apache-2.0

package import ImageCoderEngine
package import ImageCoderModel

// Reports in JSON: `docs/cli.md` documents their keys, and Registry/schema has them.

extension EncodedFile {
  /// What is said of a file that was written: the members of the report of `coders convert --json`.
  ///
  /// - Parameter name: What it is called.
  package func report(named name: String) -> [String: JSONValue] {
    // The frames of a file that was copied or carried over are not counted.
    let isCarriedOver = frameCount == 0
    let look = look.map { look in
      JSONValue.object([
        "score": .number(look.score), "tries": .integer(look.tries), "part_tries": .integer(look.partTries),
      ])
    }
    return [
      "file": .text(name), "format": .text(format.rawValue), "bytes": .integer(byteCount),
      "frames": isCarriedOver ? .null : .integer(frameCount), "carried_over": .boolean(isCarriedOver),
      "quality": quality.map { .number($0) } ?? .null, "look": look ?? .null,
      "changes": facts { $0.outcome != .moved }, "kept": facts { $0.outcome == .moved },
    ]
  }

  /// What became of facts: those that are in another place were kept.
  private func facts(_ isListed: (FactChange) -> Bool) -> JSONValue {
    .list(
      changes.filter(isListed).map { change in
        .object([
          "fact": .text(change.fact.rawValue), "outcome": .text(change.outcome.rawValue),
          "reason": .text(change.reason),
        ])
      })
  }
}

/// What there is to say of an operation on a whole file: the report of `coders apply --json`.
package struct OperationReport {
  package var operation: String
  package var input: String
  package var coder: String?
  package var facts = Properties()
  /// What the new file is called, and its size in bytes; nil if there is none.
  package var file: String?
  package var byteCount: Int?
  /// What went wrong, or null.
  package var error = JSONValue.null

  package init(of operation: String, input: String, file: String?) {
    (self.operation, self.input, self.file) = (operation, input, file)
  }

  package var json: JSONValue {
    .object([
      "schema": .integer(1), "operation": .text(operation), "input": .text(input), "coder": .optional(coder),
      "file": .optional(file), "bytes": byteCount.map { .integer($0) } ?? .null, "facts": JSONValue(facts),
      "error": error,
    ])
  }
}

extension FilePart {
  /// The report of `coders parts --json`.
  ///
  /// - Parameters:
  ///   - file: What the file is called.
  ///   - written: The files that were written, by the place of their part in the list.
  package static func report(
    of parts: [FilePart], file: String, format: ImageFormat, written: [Int: String] = [:]
  ) -> JSONValue {
    let list = parts.enumerated().map { index, part in
      var (bytes, size): (Int?, Size?) = (nil, nil)
      switch part.content {
      case .bytes(let content): bytes = content.count
      case .page(_, let stored): size = stored
      case .words: break
      }
      return JSONValue.object([
        "part": .integer(index + 1), "kind": .text(part.kind.rawValue), "note": .text(part.note),
        "bytes": bytes.map { .integer($0) } ?? .null, "width": size.map { .integer($0.width) } ?? .null,
        "height": size.map { .integer($0.height) } ?? .null, "written": .optional(written[index]),
      ])
    }
    return .object([
      "schema": .integer(1), "file": .text(file), "format": .text(format.rawValue), "parts": .list(list),
    ])
  }
}
