// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// A JSON value. Keys are printed in the order of their bytes, so that equal values give equal text.
enum JSON {
  case null
  case boolean(Bool)
  case integer(Int64)
  case number(Double)
  case text(String)
  case list([JSON])
  case object([String: JSON])

  static func integer(_ value: Int) -> JSON { .integer(Int64(value)) }

  /// The text, or null for nil.
  static func optional(_ text: String?) -> JSON { text.map { .text($0) } ?? .null }

  /// A list of strings.
  static func texts(_ list: some Sequence<String>) -> JSON { .list(list.map { .text($0) }) }

  /// The value as text, indented by two spaces.
  var printed: String {
    var text = ""
    append(to: &text, indentation: 0)
    return text
  }

  private func append(to text: inout String, indentation: Int) {
    switch self {
    case .null: text += "null"
    case .boolean(let value): text += value ? "true" : "false"
    case .integer(let value): text += "\(value)"
    // JSON has no infinity and no NaN (RFC 8259 §6).
    case .number(let value): text += value.isFinite ? "\(value)" : "null"
    case .text(let value): text += value.inJSON
    case .list(let items) where items.isEmpty: text += "[]"
    case .list(let items) where items.allSatisfy(\.isNumber):
      text += "["
      for (index, item) in items.enumerated() {
        if index > 0 { text += ", " }
        item.append(to: &text, indentation: 0)
      }
      text += "]"
    case .list(let items):
      Self.append(items, open: "[", close: "]", to: &text, indentation: indentation) { item, text in
        item.append(to: &text, indentation: indentation + 2)
      }
    case .object(let members) where members.isEmpty: text += "{}"
    case .object(let members):
      let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      Self.append(sorted, open: "{", close: "}", to: &text, indentation: indentation) { member, text in
        text += member.key.inJSON + ": "
        member.value.append(to: &text, indentation: indentation + 2)
      }
    }
  }

  private var isNumber: Bool {
    switch self {
    case .integer, .number: true
    default: false
    }
  }

  private static func append<Item>(
    _ items: [Item], open: String, close: String, to text: inout String, indentation: Int,
    _ item: (Item, inout String) -> Void
  ) {
    text += open
    for (index, next) in items.enumerated() {
      text += (index == 0 ? "\n" : ",\n") + String(repeating: " ", count: indentation + 2)
      item(next, &text)
    }
    text += "\n" + String(repeating: " ", count: indentation) + close
  }
}

extension JSON {
  /// A property dictionary.
  init(_ properties: Properties) {
    self = .object(Dictionary(properties.sorted.map { ($0.name, JSON($0.value)) }) { _, last in last })
  }

  private init(_ value: PropertyValue) {
    switch value {
    case .integer(let value): self = .integer(value)
    case .number(let value): self = .number(value)
    case .text(let value): self = .text(value)
    case .dictionary(let inner): self = JSON(inner)
    case .list(let items): self = .list(items.map { JSON($0) })
    }
  }
}
