// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

/// The keys of a policy file, as `Registry/schema/policy-1.schema.json` describes them.
package enum PolicyKeys {
  package static let all = [
    "base", "formats", "coders", "limits", "isolation", "isolationOfPureSwift", "freshWorkers", "metadata",
    "readOptions", "siblings", "advisories", "byFormat",
  ]
  package static let ofFormat = ["limits", "isolation"]
  package static let ofSetting = ["value", "reason"]
}

extension SecurityPolicy {
  /// Bytes that a policy file may have at most.
  package static let maxFileBytes = 1 << 20

  /// Reads the text of a policy file.
  ///
  /// Unlike settings, nothing that is not understood is left out: a rule with a typing error would be no rule.
  ///
  /// - Parameter path: What refusals call the file.
  /// - Throws: ``TextProblem`` with the place of what is wrong.
  package init(parsing bytes: [UInt8], path: String) throws(TextProblem) {
    let text = try JSONValue(parsing: bytes, maxBytes: Self.maxFileBytes)
    let file = try JSONNode(text, name: "the policy").object()
    try file.requireKnown(PolicyKeys.all)
    let reader = PolicyReader(path: path)
    if let base = file["base"] {
      let name = try base.word()
      guard let preset = SecurityPolicy(preset: name) else {
        let known = Self.presets.map(\.name).joined(separator: ", ")
        throw base.problem(allowed: "\(known) are allowed")
      }
      self = preset
    } else {
      self.init(name: path)
    }
    name = path
    if let node = file["formats"] {
      formats = try reader.setting(node) { (node) throws(TextProblem) in
        Set(try node.list { (item) throws(TextProblem) in ImageFormat(rawValue: try item.word()) })
      }
    }
    if let node = file["coders"] {
      coders = try reader.setting(node) { (node) throws(TextProblem) in
        Set(try node.list { (item) throws(TextProblem) in try item.word() })
      }
    }
    if let node = file["limits"] { limits.merge(try reader.limits(node)) { $1 } }
    if let node = file["isolation"] { isolation = try reader.setting(node, PolicyReader.mode) }
    if let node = file["isolationOfPureSwift"] { isolationOfPureSwift = try reader.setting(node, PolicyReader.mode) }
    if let node = file["freshWorkers"] { usesFreshWorkers = try reader.setting(node, PolicyReader.boolean) }
    if let node = file["metadata"] { readsMetadata = try reader.setting(node, PolicyReader.boolean) }
    if let node = file["readOptions"] { readOptions = try reader.readOptions(node) }
    if let node = file["siblings"] { siblings = try reader.setting(node, PolicyReader.siblings) }
    if let node = file["advisories"] { advisories = try reader.setting(node, PolicyReader.advisories) }
    if let node = file["byFormat"] {
      for (format, node) in try node.object().nodes {
        let rules = try node.object()
        try rules.requireKnown(PolicyKeys.ofFormat)
        var own = formatRules[ImageFormat(rawValue: format)] ?? FormatRules()
        if let node = rules["limits"] { own.limits.merge(try reader.limits(node)) { $1 } }
        if let node = rules["isolation"] { own.isolation = try reader.setting(node, PolicyReader.mode) }
        formatRules[ImageFormat(rawValue: format)] = own
      }
    }
  }
}

/// Reads settings of a policy file: each is a value, or an object of a value and its reason.
private struct PolicyReader {
  let path: String

  func setting<Value>(
    _ node: JSONNode, _ read: (JSONNode) throws(TextProblem) -> Value
  ) throws(TextProblem) -> SecurityPolicy.Rule<Value> {
    let origin = SecurityPolicy.Origin.file(path, line: node.value.place.line)
    guard case .object = node.value.content else { return SecurityPolicy.Rule(try read(node), origin: origin) }
    let object = try node.object()
    try object.requireKnown(PolicyKeys.ofSetting)
    let value = try object.required("value")
    return SecurityPolicy.Rule(
      try read(value), origin: .file(path, line: value.value.place.line), reason: try object["reason"].map(Self.word))
  }

  /// A list of names, `none` for an empty one, or `all`.
  func readOptions(_ node: JSONNode) throws(TextProblem) -> SecurityPolicy.Rule<Set<String>>? {
    let rule = try setting(node) { (node) throws(TextProblem) -> Set<String>? in
      guard case .string = node.value.content else {
        return Set(try node.list { (item) throws(TextProblem) in try item.word() })
      }
      switch try node.word() {
      case "all": return nil
      case "none": return []
      default: throw node.problem(allowed: "all, none or a list of names is allowed")
      }
    }
    return rule.value.map { SecurityPolicy.Rule($0, origin: rule.origin, reason: rule.reason) }
  }

  func limits(_ node: JSONNode) throws(TextProblem) -> [Limits.Name: SecurityPolicy.Rule<Int>] {
    let object = try node.object()
    try object.requireKnown(Limits.table.map(\.name.rawValue))
    var limits: [Limits.Name: SecurityPolicy.Rule<Int>] = [:]
    for name in Limits.table.map(\.name) {
      guard let node = object[name.rawValue] else { continue }
      limits[name] = try setting(node) { (node) throws(TextProblem) in try node.whole(0...(1 << 52)) }
    }
    return limits
  }

  static func word(_ node: JSONNode) throws(TextProblem) -> String { try node.word() }

  static func boolean(_ node: JSONNode) throws(TextProblem) -> Bool { try node.boolean() }

  static func siblings(_ node: JSONNode) throws(TextProblem) -> SiblingAccess {
    guard let access = SiblingAccess(word: try node.word()) else {
      throw node.problem(allowed: "\(SiblingAccess.allCases.map(\.word).joined(separator: ", ")) are allowed")
    }
    return access
  }

  static func advisories(_ node: JSONNode) throws(TextProblem) -> AdvisoryRule {
    guard let rule = AdvisoryRule(rawValue: try node.word()) else {
      throw node.problem(allowed: "\(AdvisoryRule.allCases.map(\.rawValue).joined(separator: ", ")) are allowed")
    }
    return rule
  }

  static func mode(_ node: JSONNode) throws(TextProblem) -> Isolation.Mode {
    guard let mode = Isolation.Mode(word: try node.word()) else {
      throw node.problem(allowed: "\(Isolation.Mode.allCases.map(\.word).joined(separator: ", ")) are allowed")
    }
    return mode
  }
}

extension JSONObject {
  /// - Throws: ``TextProblem`` for the first key that is not in a list, or `$schema`, which editors look for.
  fileprivate func requireKnown(_ known: [String]) throws(TextProblem) {
    for member in members where !known.contains(member.key) && member.key != "$schema" {
      throw TextProblem(
        "\(member.key.quoted) is not a known key; \(known.joined(separator: ", ")) are", at: member.place)
    }
  }
}
