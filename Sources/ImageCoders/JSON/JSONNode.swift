// SPDX-License-Identifier: Apache-2.0

/// A value of a JSON text by its path, for readers that say which key is wrong.
package struct JSONNode: Sendable {
  package let value: JSONValue
  private let way: Way

  /// How a value is come to: made a text when a problem asks for it.
  fileprivate indirect enum Way: Sendable {
    /// The whole text, with what messages call it.
    case root(String)
    case key(String, of: Way)
    case item(Int, of: Way)

    var path: String {
      switch self {
      case .root(let name): name
      case .key(let key, of: .root): key.short
      case .key(let key, of: let object): "\(object.path).\(key.short)"
      case .item(let index, of: let list): "\(list.path)[\(index)]"
      }
    }
  }

  /// The keys and indexes that lead here, `formats[0].match[1]`; for the whole text, what messages call it.
  package var path: String { way.path }

  /// The whole text.
  ///
  /// - Parameter name: What messages call it.
  package init(_ value: JSONValue, name: String) {
    self.init(value, .root(name))
  }

  fileprivate init(_ value: JSONValue, _ way: Way) {
    self.value = value
    self.way = way
  }

  /// The path of a key in this object.
  fileprivate func path(of key: String) -> String { Way.key(key, of: way).path }

  fileprivate func node(of member: JSONValue.Member) -> JSONNode { JSONNode(member.value, .key(member.key, of: way)) }

  /// What is wrong here: `formats[0].write is "no"; true or false is allowed`.
  package func problem(allowed: String) -> TextProblem { problem("is \(shown); \(allowed)") }

  package func problem(_ message: String) -> TextProblem { TextProblem("\(path) \(message)", at: value.place) }

  /// The value for a message.
  private var shown: String {
    switch value.content {
    case .null: "null"
    case .boolean(let flag): "\(flag)"
    case .number(_, let written): written
    case .string(let text): text.quoted
    case .list(let items): items.isEmpty ? "an empty list" : "a list"
    case .object: "an object"
    }
  }

  package func boolean() throws(TextProblem) -> Bool {
    guard case .boolean(let flag) = value.content else { throw problem(allowed: "true or false is allowed") }
    return flag
  }

  package func number() throws(TextProblem) -> Double {
    guard case .number(let number, _) = value.content else { throw problem(allowed: "a number is allowed") }
    return number
  }

  package func whole(_ range: ClosedRange<Int>) throws(TextProblem) -> Int {
    guard case .number(let number, _) = value.content, let whole = Int(exactly: number), range.contains(whole) else {
      throw problem(allowed: "a whole number from \(range.lowerBound) to \(range.upperBound) is allowed")
    }
    return whole
  }

  package func string() throws(TextProblem) -> String {
    guard case .string(let text) = value.content else { throw problem(allowed: "a string is allowed") }
    return text
  }

  /// A string of at least one character.
  package func word() throws(TextProblem) -> String {
    guard case .string(let text) = value.content, !text.isEmpty else {
      throw problem(allowed: "a string that is not empty is allowed")
    }
    return text
  }

  package func list() throws(TextProblem) -> [JSONNode] {
    guard case .list(let items) = value.content else { throw problem(allowed: "a list is allowed") }
    return items.enumerated().map { JSONNode($1, .item($0, of: way)) }
  }

  /// The items of a list, each read by `read`.
  package func list<Item>(_ read: (JSONNode) throws(TextProblem) -> Item) throws(TextProblem) -> [Item] {
    var items: [Item] = []
    for node in try list() { items.append(try read(node)) }
    return items
  }

  package func object() throws(TextProblem) -> JSONObject {
    guard case .object(let members) = value.content else { throw problem(allowed: "an object is allowed") }
    return JSONObject(node: self, members: members)
  }
}

/// The members of an object of a JSON text.
package struct JSONObject: Sendable {
  package let node: JSONNode
  package let members: [JSONValue.Member]

  /// The value of a key, or nil if the object does not have it.
  package subscript(key: String) -> JSONNode? {
    for member in members where member.key == key { return node.node(of: member) }
    return nil
  }

  /// - Throws: ``TextProblem`` at the object's beginning if it does not have the key.
  package func required(_ key: String) throws(TextProblem) -> JSONNode {
    guard let node = self[key] else { throw TextProblem("\(node.path(of: key)) is missing", at: node.value.place) }
    return node
  }

  /// All values, by their keys, in the order of the text.
  package var nodes: [(key: String, node: JSONNode)] { members.map { ($0.key, node.node(of: $0)) } }

  /// A problem for each key that is not in a list. `$schema`, which editors look for, is allowed everywhere.
  package func unknownKeys(_ known: [String]) -> [TextProblem] {
    var problems: [TextProblem] = []
    for member in members where !known.contains(member.key) && member.key != "$schema" {
      problems.append(
        TextProblem("\(node.path(of: member.key)) is not a known key and is ignored", at: member.place))
    }
    return problems
  }
}
