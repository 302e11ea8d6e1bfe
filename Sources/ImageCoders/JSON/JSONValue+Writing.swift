// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
public import ImageCoderModel

/// Values that are written.
extension JSONValue {
  package static var null: JSONValue { JSONValue(writing: .null) }

  package static func boolean(_ value: Bool) -> JSONValue { JSONValue(writing: .boolean(value)) }

  package static func integer(_ value: some BinaryInteger) -> JSONValue {
    JSONValue(writing: .number(Double(value), written: "\(value)"))
  }

  /// JSON has no infinity and no NaN (RFC 8259 §6): they become null.
  package static func number(_ value: Double) -> JSONValue {
    value.isFinite ? JSONValue(writing: .number(value, written: "\(value)")) : .null
  }

  package static func text(_ value: String) -> JSONValue { JSONValue(writing: .string(value)) }

  package static func list(_ items: [JSONValue]) -> JSONValue { JSONValue(writing: .list(items)) }

  /// Keys are written in the order of their bytes, so that equal values give equal text.
  package static func object(_ members: [String: JSONValue]) -> JSONValue {
    let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    return JSONValue(writing: .object(sorted.map { Member(writing: $0.key, $0.value) }))
  }

  /// The text, or null for nil.
  package static func optional(_ text: String?) -> JSONValue { text.map { .text($0) } ?? .null }

  /// A list of strings.
  package static func texts(_ list: some Sequence<String>) -> JSONValue { .list(list.map { .text($0) }) }

  /// The value as text, indented by two spaces.
  package var printed: String {
    var text = ""
    append(to: &text, indentation: 0)
    return text
  }

  private func append(to text: inout String, indentation: Int) {
    switch content {
    case .null: text += "null"
    case .boolean(let value): text += value ? "true" : "false"
    case .number(_, let written): text += written
    case .string(let value): text += value.inJSON
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
      Self.append(members, open: "{", close: "}", to: &text, indentation: indentation) { member, text in
        text += member.key.inJSON + ": "
        member.value.append(to: &text, indentation: indentation + 2)
      }
    }
  }

  private var isNumber: Bool {
    if case .number = content { true } else { false }
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

extension JSONValue {
  /// A property dictionary.
  package init(_ properties: Properties) {
    self = .object(Dictionary(properties.sorted.map { ($0.name, JSONValue($0.value)) }) { _, last in last })
  }

  private init(_ value: PropertyValue) {
    switch value {
    case .integer(let value): self = .integer(value)
    case .number(let value): self = .number(value)
    case .text(let value): self = .text(value)
    case .boolean(let flag): self = .boolean(flag)
    case .data(let bytes): self = .text(String(decoding: Base64.text(bytes), as: UTF8.self))
    case .dictionary(let inner): self = JSONValue(inner)
    case .list(let items): self = .list(items.map { JSONValue($0) })
    }
  }
}

extension Properties {
  /// As `coders probe --json` prints them: the text of a JSON object. Numbers that JSON does not have are null, and bytes are in
  /// Base64.
  public var json: String { JSONValue(self).printed }
}
