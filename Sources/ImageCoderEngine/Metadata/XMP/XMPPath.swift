// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

/// The way to a node: `dc:subject[0]`, `dc:title[x-default]`, `Iptc4xmpCore:CreatorContactInfo.Iptc4xmpCore:CiAdrCity`,
/// `xmp:Label?xml:lang`.
public struct XMPPath: Sendable, Hashable {
  /// One step on the way.
  public enum Step: Sendable, Hashable {
    /// A property or a field: `dc:title`.
    case name(prefix: String, name: String)
    /// An item of a list, counted from 0: `[0]`.
    case index(Int)
    /// The text in a language: `[x-default]`.
    case language(String)
    /// A qualifier: `?xml:lang`.
    case qualifier(prefix: String, name: String)
  }

  /// From the outermost on.
  public var steps: [Step]

  /// Makes a path of steps.
  public init(_ steps: [Step]) { self.steps = steps }

  /// Steps of a path, at most: deeper than any metadata are.
  private static let maxSteps = 64

  /// Reads a path. Steps are joined by dots, which brackets and qualifiers do without.
  ///
  /// - Parameter prefix: The prefix of names that have none and are the first; later ones take that of the name before.
  /// - Throws: ``CoderError/Code/invalidArgument`` for a path without steps or with more than 64, a name without a prefix or
  ///   with signs that XML does not take, a bracket that is not closed, and a negative index.
  public init(_ text: String, prefix: String? = nil) throws(CoderError) {
    guard let steps = Self.steps(text, prefix: prefix) else {
      throw .invalidArgument("\(text) is not a path of XMP, such as dc:title[x-default]")
    }
    self.steps = steps
  }

  private static func steps(_ text: String, prefix: String?) -> [Step]? {
    var steps: [Step] = []
    var prefix = prefix
    var rest = text[...]
    if rest.first == "." { rest = rest.dropFirst() }
    while let first = rest.first, steps.count < maxSteps {
      if first == "[" {
        guard let end = rest.firstIndex(of: "]") else { return nil }
        let inside = String(rest[rest.index(after: rest.startIndex)..<end])
        guard !inside.isEmpty else { return nil }
        if let index = Int(inside) {
          guard index >= 0 else { return nil }
          steps.append(.index(index))
        } else {
          steps.append(.language(inside))
        }
        rest = rest[rest.index(after: end)...]
      } else {
        let isQualifier = first == "?"
        if isQualifier { rest = rest.dropFirst() }
        let end = rest.firstIndex { ".[?".contains($0) } ?? rest.endIndex
        var parts = rest[..<end].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        if parts.count == 1, let prefix { parts.insert(prefix, at: 0) }
        guard parts.count == 2, parts[0].isXMLName, parts[1].isXMLName else { return nil }
        steps.append(
          isQualifier ? .qualifier(prefix: parts[0], name: parts[1]) : .name(prefix: parts[0], name: parts[1]))
        prefix = parts[0]
        rest = rest[end...]
      }
      if rest.first == "." { rest = rest.dropFirst() }
    }
    return steps.isEmpty || !rest.isEmpty ? nil : steps
  }
}

extension XMPNode {
  /// The node at the end of a path that begins inside of this one; this one for a path without steps. Nil for none.
  public subscript(path: XMPPath) -> XMPNode? { node(at: path.steps[...]) }

  private func node(at steps: ArraySlice<XMPPath.Step>) -> XMPNode? {
    guard let step = steps.first else { return self }
    guard let (list, index) = place(of: step), let index else { return nil }
    return list[index].node(at: steps.dropFirst())
  }

  /// The nodes among which a step leads to one, and which it is, if it is there. Nil where the value has no such nodes.
  private func place(of step: XMPPath.Step) -> (nodes: [XMPNode], index: Int?)? {
    switch step {
    case .name(let prefix, let name):
      value.fields.map { fields in (fields, fields.firstIndex { $0.prefix == prefix && $0.name == name }) }
    case .qualifier(let prefix, let name):
      (qualifiers, qualifiers.firstIndex { $0.prefix == prefix && $0.name == name })
    case .index(let index): value.items.map { ($0, index < $0.count ? index : nil) }
    case .language(let language): value.items.map { items in (items, items.firstIndex { $0.language == language }) }
    }
  }

  /// Puts a node at the end of a path, and makes what is missing on the way; nil takes out what is there.
  ///
  /// - Parameters:
  ///   - path: With one step at least.
  ///   - namespace: What a prefix stands for, or nil.
  /// - Throws: ``CoderError/Code/invalidArgument`` for a path that leads through a value of another kind, beyond the end of a
  ///   list, or through a prefix that stands for nothing.
  public mutating func set(
    _ node: XMPNode?, at path: XMPPath, namespace: (String) -> String?
  ) throws(CoderError) {
    guard node != nil || self[path] != nil else { return }
    guard !path.steps.isEmpty, set(node, at: path.steps[...], namespace) else {
      throw .invalidArgument("a path of XMP leads through another value, or its prefix stands for nothing")
    }
  }

  private mutating func set(
    _ node: XMPNode?, at steps: ArraySlice<XMPPath.Step>, _ namespace: (String) -> String?
  ) -> Bool {
    guard let step = steps.first, let (found, index) = place(of: step) else { return false }
    var nodes = found
    var next = node
    if steps.count > 1 {
      next = index.map { nodes[$0] } ?? Self.made(for: step, before: steps.dropFirst().first, namespace)
      guard next?.set(node, at: steps.dropFirst(), namespace) == true else { return false }
    }
    // In a list, an item is what its language says.
    if case .language(let language) = step, let item = next, item.language != language {
      next = .item(item.value, language: language)
      next?.qualifiers += item.qualifiers.filter { $0.namespace != XMLReader.xml }
    }
    switch (next, index) {
    case (let next?, let index?): nodes[index] = next
    case (let next?, nil):
      if case .index(let number) = step, number > nodes.count { return false }
      nodes.append(next)
    case (nil, let index?): nodes.remove(at: index)
    case (nil, nil): return false
    }
    switch (step, value) {
    case (.qualifier, _): qualifiers = nodes
    case (.name, _): value = .structure(nodes)
    case (.language, .list(.alternative, _)): value = .list(.languages, nodes)
    case (_, .list(let kind, _)): value = .list(kind, nodes)
    default: return false
    }
    return true
  }

  /// A node without content for a step, of the kind that the step after it needs.
  private static func made(
    for step: XMPPath.Step, before next: XMPPath.Step?, _ namespace: (String) -> String?
  ) -> XMPNode? {
    var node = XMPNode.item(.text(""))
    if case .name(let prefix, let name) = step {
      guard let space = namespace(prefix) else { return nil }
      (node.prefix, node.name, node.namespace) = (prefix, name, space)
    } else if case .qualifier = step {
      return nil
    }
    switch next {
    case .name: node.value = .structure([])
    case .index: node.value = .list(XMPNamespaces.listKind(of: "\(node.prefix):\(node.name)") ?? .ordered, [])
    case .language: node.value = .list(.languages, [])
    case .qualifier, nil: break
    }
    return node
  }
}
