// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport

/// A JSON value with one change in it, to see whether a schema refuses it.
struct ChangedValue {
  enum Change: String, CaseIterable {
    /// An object without one of its keys.
    case missing
    /// An object with a key more.
    case added
    /// An empty object in place of a value.
    case replaced
  }

  /// The changed place, with `[]` for any item of a list: `missing files[].width`.
  let name: String
  let value: JSONValue

  /// Each change of a value, once for all items of a list that have the same keys. Dictionaries of properties are left
  /// as they are: they may have any key.
  static func all(of value: JSONValue) throws -> [ChangedValue] {
    var places: [String: ChangedValue] = [:]
    for change in Change.allCases {
      for (name, text) in texts(value, change, at: "") where places["\(change) \(name)"] == nil {
        places["\(change) \(name)"] = ChangedValue(
          name: "\(change) \(name)", value: try JSONValue(parsing: Array(text.utf8), maxBytes: 1 << 24))
      }
    }
    return places.values.sorted { $0.name < $1.name }
  }

  /// The value with each change, as texts, each with its place.
  private static func texts(_ value: JSONValue, _ change: Change, at path: String) -> [(String, String)] {
    switch value.content {
    case .object(let members):
      let parts = members.map { "\(JSONText.string($0.key)): \(JSONText.text($0.value))" }
      func joined(_ parts: some Sequence<String>) -> String { "{\(parts.joined(separator: ", "))}" }
      func place(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }
      var changed: [(String, String)] = []
      if change == .added { changed.append((place("new"), joined(parts + ["\"new\": 1"]))) }
      for (index, member) in members.enumerated() {
        func with(_ part: String?) -> String {
          joined(parts[..<index] + (part.map { [$0] } ?? []) + parts[(index + 1)...])
        }
        if change == .missing { changed.append((place(member.key), with(nil))) }
        let key = JSONText.string(member.key)
        if change == .replaced { changed.append((place(member.key), with("\(key): {}"))) }
        guard member.key != "properties" else { continue }
        changed += texts(member.value, change, at: place(member.key)).map { ($0, with("\(key): \($1)")) }
      }
      return changed
    case .list(let items):
      let parts = items.map(JSONText.text)
      var seen: Set<String> = []
      return items.enumerated().flatMap { index, item in
        texts(item, change, at: "\(path)[]").filter { seen.insert($0.0).inserted }.map { name, text in
          (name, "[\((parts[..<index] + [text] + parts[(index + 1)...]).joined(separator: ", "))]")
        }
      }
    default: return []
    }
  }
}

/// The text of a JSON value.
enum JSONText {
  static func text(_ value: JSONValue) -> String {
    switch value.content {
    case .null: "null"
    case .boolean(let flag): "\(flag)"
    case .number(_, let written): written
    case .string(let text): string(text)
    case .list(let items): "[\(items.map(text).joined(separator: ", "))]"
    case .object(let members):
      "{\(members.map { "\(string($0.key)): \(text($0.value))" }.joined(separator: ", "))}"
    }
  }

  static func string(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { scalar in
      switch scalar {
      case "\"", "\\": "\\\(scalar)"
      case _ where scalar.value < 0x20: "\\u00" + (scalar.value < 0x10 ? "0" : "") + String(scalar.value, radix: 16)
      default: "\(scalar)"
      }
    }
    return "\"\(scalars.joined())\""
  }
}
