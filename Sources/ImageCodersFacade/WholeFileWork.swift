// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageCoders

/// What is to be done to a whole file, in the words of `coders metadata` and `coders apply`.
enum WholeFileWork {
  case edit(MetadataEdit)
  case apply(FileOperation, as: ImageFormat?)

  private static let kinds: [String: PageKind] = ["depth": .depth, "disparity": .disparity, "matte": .matte]
  /// Videos and pictures are texts of Base64.
  private static let maxBytes = 256 << 20

  /// Reads the text of a JSON object.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` with the place in the text; see ``MetadataEdit/set(_:to:)``.
  init(_ text: String, _ registry: CoderRegistry) throws(CoderError) {
    do throws(TextProblem) {
      let object = try JSONNode(
        JSONValue(parsing: Array(text.utf8), maxBytes: Self.maxBytes), name: "the operation"
      ).object()
      self = try object["operation"] == nil ? .edit(Self.edit(object)) : Self.operation(object, registry)
    } catch {
      throw .invalidArgument("\(error)")
    }
  }

  private static func edit(_ object: JSONObject) throws(TextProblem) -> MetadataEdit {
    try refuseOthers(["strip", "set", "video", "auxiliary"], in: object)
    var edit = MetadataEdit()
    for part in try object["strip"]?.list() ?? [] {
      let word = try part.string()
      if word == "all" {
        edit.removed.formUnion(MetadataEdit.publishing)
      } else if let known = MetadataEdit.Part(rawValue: word) {
        edit.removed.insert(known)
      } else {
        let words = MetadataEdit.Part.allCases.map(\.rawValue) + ["all"]
        throw part.problem(allowed: "parts are \(words.joined(separator: ", "))")
      }
    }
    for (name, node) in try object["set"]?.object().nodes ?? [] {
      for text in try texts(node) {
        do throws(CoderError) { try edit.set(name, to: text) } catch {
          throw node.problem("cannot be set: \(error.message)")
        }
      }
    }
    edit.video = try object["video"].map(bytes)
    for (name, node) in try object["auxiliary"]?.object().nodes ?? [] {
      guard let kind = kinds[name] else { throw node.problem("is none of depth, disparity and matte") }
      edit.pictures[kind] = try bytes(node)
    }
    return edit
  }

  private static func operation(_ object: JSONObject, _ registry: CoderRegistry) throws(TextProblem) -> WholeFileWork {
    try refuseOthers(["operation", "values", "blocks", "to"], in: object)
    var operation = FileOperation(try object.required("operation").word())
    for (name, node) in try object["values"]?.object().nodes ?? [] {
      let texts = try texts(node)
      guard texts.count == 1 else { throw node.problem(allowed: "one value is allowed") }
      operation.values[name] = .word(texts[0])
    }
    for (name, node) in try object["blocks"]?.object().nodes ?? [] { operation.blocks[name] = try bytes(node) }
    guard let node = object["to"] else { return .apply(operation, as: nil) }
    let name = try node.word()
    do throws(CoderError) { return .apply(operation, as: try registry.formatOfOperations(named: name)) } catch {
      throw node.problem("is \(name.quoted): \(error.message)")
    }
  }

  private static func refuseOthers(_ known: [String], in object: JSONObject) throws(TextProblem) {
    if let other = object.nodes.first(where: { !known.contains($0.key) }) {
      throw other.node.problem("is not a known key; \(known.joined(separator: ", ")) are")
    }
  }

  /// A value, or those of a list, as people write them.
  private static func texts(_ node: JSONNode) throws(TextProblem) -> [String] {
    switch node.value.content {
    case .string(let text): [text]
    case .number(_, let written): [written]
    case .boolean(let flag): ["\(flag)"]
    case .list: try node.list(texts).flatMap(\.self)
    case .null, .object: throw node.problem(allowed: "texts, numbers, true, false and lists of them are allowed")
    }
  }

  private static func bytes(_ node: JSONNode) throws(TextProblem) -> [UInt8] {
    guard let bytes = Base64.bytes(try node.string().utf8) else { throw node.problem("is no Base64") }
    return bytes
  }
}
