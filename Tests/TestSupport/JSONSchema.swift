// SPDX-License-Identifier: Apache-2.0

package import ImageCoders

/// A JSON Schema, draft 2020-12, with the keywords that the schemas of `Registry/schema` use. A reference leads to a
/// definition of the same schema.
package struct JSONSchema {
  /// The whole schema.
  package let root: JSONValue

  /// Keywords that a value has to follow.
  private static let assertions: Set<String> = [
    "$ref", "additionalProperties", "anyOf", "const", "enum", "items", "maxItems", "maximum", "minItems", "minLength",
    "minimum", "oneOf", "pattern", "properties", "required", "type",
  ]
  /// Keywords that say something to people, or hold other schemas.
  private static let annotations: Set<String> = ["$defs", "$id", "$schema", "default", "description", "title"]

  /// Reads a schema.
  ///
  /// - Throws: ``TextProblem`` for a text that is no JSON, and for a keyword that is not known here: it would be passed
  ///   over.
  package init(parsing bytes: [UInt8]) throws {
    root = try JSONValue(parsing: bytes)
    try Self.check(root)
  }

  /// A schema of `Registry/schema`.
  ///
  /// - Parameter name: Without `.schema.json`.
  package init(named name: String) throws {
    let source = try OpenSource(.file("\(StagedTree.root)/Registry/schema/\(name).schema.json"), limits: .standard)
    try self.init(parsing: try source.contents())
  }

  /// What is wrong with a value: a path and a sentence each. None if the value follows the schema.
  package func problems(in value: JSONValue) -> [String] { problems(value, root, at: "$") }

  private static func check(_ schema: JSONValue) throws {
    guard case .object(let members) = schema.content else { return }
    for member in members {
      guard assertions.contains(member.key) || annotations.contains(member.key) else {
        throw TextProblem("the keyword \(member.key) is not known", at: member.place)
      }
      switch member.key {
      case "properties", "$defs": for inner in member.value.members { try check(inner.value) }
      case "items", "additionalProperties": try check(member.value)
      case "oneOf", "anyOf": for inner in member.value.items { try check(inner) }
      default: break
      }
    }
  }

  private func problems(_ value: JSONValue, _ schema: JSONValue, at path: String) -> [String] {
    if case .boolean(let isAllowed) = schema.content { return isAllowed ? [] : ["\(path): nothing is allowed here"] }
    return schema.members.flatMap { problems(value, $0.key, $0.value, of: schema, at: path) }
  }

  private func problems(
    _ value: JSONValue, _ keyword: String, _ rule: JSONValue, of schema: JSONValue, at path: String
  ) -> [String] {
    switch keyword {
    case "$ref":
      guard let target = definition(rule.string ?? "") else { return ["\(path): \(rule.shown) is not defined"] }
      return problems(value, target, at: path)
    case "type":
      let types = rule.string.map { [$0] } ?? rule.items.compactMap(\.string)
      let named = types.joined(separator: " or ")
      return types.contains(where: value.isOf) ? [] : ["\(path): \(value.shown) is not \(named)"]
    case "enum": return rule.items.contains(where: value.equals) ? [] : ["\(path): \(value.shown) is not in the list"]
    case "const": return value.equals(rule) ? [] : ["\(path): \(value.shown) is not \(rule.shown)"]
    case "oneOf", "anyOf":
      let tried = rule.items.map { problems(value, $0, at: path) }
      let count = tried.count(where: \.isEmpty)
      if keyword == "oneOf", count > 1 { return ["\(path): follows \(count) of the choices"] }
      // The choice with the fewest problems is most likely the one that was meant.
      let nearest = tried.min { $0.count < $1.count } ?? []
      return count > 0 ? [] : ["\(path): follows none of the choices"] + nearest
    case "properties", "required", "additionalProperties":
      return membersProblems(value, keyword, rule, of: schema, path)
    case "items", "minItems", "maxItems": return itemsProblems(value, keyword, rule, path)
    case "minimum", "maximum":
      guard let number = value.number, let bound = rule.number else { return [] }
      let isAllowed = keyword == "minimum" ? number >= bound : number <= bound
      return isAllowed ? [] : ["\(path): \(value.shown) is beyond the \(keyword) \(rule.shown)"]
    case "minLength":
      guard let text = value.string, let bound = rule.number else { return [] }
      return Double(text.unicodeScalars.count) >= bound ? [] : ["\(path): \(value.shown) is too short"]
    case "pattern":
      guard let text = value.string, let pattern = rule.string else { return [] }
      guard let regex = try? Regex(pattern) else { return ["\(path): \(pattern) is no pattern"] }
      return text.contains(regex) ? [] : ["\(path): \(value.shown) does not match \(pattern)"]
    default: return []
    }
  }

  private func membersProblems(
    _ value: JSONValue, _ keyword: String, _ rule: JSONValue, of schema: JSONValue, _ path: String
  ) -> [String] {
    guard case .object(let members) = value.content else { return [] }
    switch keyword {
    case "required":
      return rule.items.compactMap(\.string).filter { value[$0] == nil }.map { "\(path): \($0) is missing" }
    case "properties":
      return members.flatMap { member in
        rule[member.key].map { problems(member.value, $0, at: "\(path).\(member.key)") } ?? []
      }
    default:
      let others = members.filter { schema["properties"]?[$0.key] == nil }
      if case .boolean(false) = rule.content { return others.map { "\(path): \($0.key) is not allowed" } }
      return others.flatMap { problems($0.value, rule, at: "\(path).\($0.key)") }
    }
  }

  private func itemsProblems(_ value: JSONValue, _ keyword: String, _ rule: JSONValue, _ path: String) -> [String] {
    guard case .list(let items) = value.content else { return [] }
    if keyword == "items" {
      return items.enumerated().flatMap { problems($1, rule, at: "\(path)[\($0)]") }
    }
    guard let bound = rule.number else { return [] }
    let count = Double(items.count)
    let isAllowed = keyword == "minItems" ? count >= bound : count <= bound
    return isAllowed ? [] : ["\(path): \(items.count) items are beyond \(keyword) \(rule.shown)"]
  }

  private func definition(_ reference: String) -> JSONValue? {
    let prefix = "#/$defs/"
    return reference.hasPrefix(prefix) ? root["$defs"]?[String(reference.dropFirst(prefix.count))] : nil
  }
}

extension JSONValue {
  package var members: [Member] {
    guard case .object(let members) = content else { return [] }
    return members
  }

  package var items: [JSONValue] {
    guard case .list(let items) = content else { return [] }
    return items
  }

  package var string: String? {
    guard case .string(let text) = content else { return nil }
    return text
  }

  package subscript(key: String) -> JSONValue? { members.first { $0.key == key }?.value }

  fileprivate var number: Double? {
    guard case .number(let number, _) = content else { return nil }
    return number
  }

  /// Whether the value is of a type of JSON Schema. A number without a fraction is an integer, however it is written.
  fileprivate func isOf(_ type: String) -> Bool {
    switch content {
    case .null: type == "null"
    case .boolean: type == "boolean"
    case .number(let number, _): type == "number" || type == "integer" && number.rounded() == number
    case .string: type == "string"
    case .list: type == "array"
    case .object: type == "object"
    }
  }

  /// Equality of JSON Schema: of numbers by value, of objects in any order.
  fileprivate func equals(_ other: JSONValue) -> Bool {
    switch (content, other.content) {
    case (.null, .null): true
    case (.boolean(let left), .boolean(let right)): left == right
    case (.number(let left, _), .number(let right, _)): left == right
    case (.string(let left), .string(let right)): left == right
    case (.list(let left), .list(let right)):
      left.count == right.count && zip(left, right).allSatisfy { $0.equals($1) }
    case (.object(let left), .object(let right)):
      left.count == right.count && left.allSatisfy { member in other[member.key]?.equals(member.value) == true }
    default: false
    }
  }

  /// The value for a message.
  fileprivate var shown: String {
    switch content {
    case .null: "null"
    case .boolean(let flag): "\(flag)"
    case .number(_, let written): written
    case .string(let text): "\"\(text)\""
    case .list: "a list"
    case .object: "an object"
    }
  }
}
