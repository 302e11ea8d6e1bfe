// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import ImageCoders

/// The output of `coders operations`: the operations of all coders, or those for files of one format.
struct OperationListing {
  private let operations: [(coder: String, operation: OperationDescription)]
  private let isOne: Bool

  /// - Parameter format: The format of sources, or nil for all.
  init(_ registry: CoderRegistry, format: ImageFormat?) {
    operations = registry.operations(for: format)
    isOne = format != nil
  }

  var isEmpty: Bool { operations.isEmpty }

  /// Each name once, in the order of the coders.
  var names: [String] {
    var seen: Set<String> = []
    return operations.map(\.operation.name).filter { seen.insert($0).inserted }
  }

  /// The tables.
  func lines(_ style: Style) -> [String] {
    guard isOne else { return overview.lines(style) }
    return operations.enumerated().flatMap { index, listed in
      (index == 0 ? [] : [""]) + Self.lines(listed.operation, of: listed.coder, style: style)
    }
  }

  private var overview: Table {
    var table = Table(["OPERATION", "CODER", "FORMATS", "VALUES", "BLOCKS"])
    for (coder, operation) in operations {
      table.add([
        operation.name, coder, Self.words(operation.formats), operation.options.map(\.name).joined(separator: " "),
        operation.blocks.joined(separator: " "),
      ])
    }
    return table
  }

  private static func lines(_ operation: OperationDescription, of coder: String, style: Style) -> [String] {
    var lines = [style.title(operation.name.printable), "  \(operation.text.printable)"]
    var fields = [("coder", coder), ("formats", words(operation.formats))]
    if !operation.blocks.isEmpty { fields.append(("blocks", operation.blocks.joined(separator: " "))) }
    if operation.takesOut { fields.append(("writes", "a part of the file")) }
    for (name, value) in fields {
      lines.append("  \(name)\(String(repeating: " ", count: 10 - name.count))\(value.printable)")
    }
    guard !operation.options.isEmpty else { return lines }
    var values = Table(["--value", "TYPE", "VALUES", "DEFAULT", "MEANING"])
    for option in operation.options {
      let kind = option.kindInWords
      values.add([option.name, kind.type, kind.values, kind.usual, option.text])
    }
    return lines + values.lines(style).map { "  \($0)" }
  }

  /// `public.jpeg`, or `public.jpeg to public.jpeg-xl`.
  private static func words(_ formats: [OperationDescription.Formats]) -> String {
    formats.map { $0.from == $0.to ? "\($0.from)" : "\($0.from) to \($0.to)" }.joined(separator: ", ")
  }

  /// The output of `coders operations --json`; `docs/cli.md` documents its keys.
  var json: JSONValue {
    .object([
      "schema": .integer(1),
      "operations": .list(
        operations.map { coder, operation in
          .object([
            "coder": .text(coder), "name": .text(operation.name), "text": .text(operation.text),
            "formats": .list(
              operation.formats.map { .object(["from": .text($0.from.rawValue), "to": .text($0.to.rawValue)]) }),
            "options": .list(operation.options.map { JSONValue($0) }), "blocks": .texts(operation.blocks),
            "takes_out": .boolean(operation.takesOut),
          ])
        }),
    ])
  }
}
