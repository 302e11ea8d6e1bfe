// SPDX-License-Identifier: Apache-2.0

/// A property of XMP, an item of a list, a field of a structure or a qualifier: a name, a value and what qualifies it.
///
/// - Format: ISO 16684-1:2019 §6.
public struct XMPNode: Sendable, Hashable {
  /// How the items of a list are meant (§6.3.4).
  public enum ListKind: Sendable, Hashable, CaseIterable {
    /// In no order: `rdf:Bag`.
    case unordered
    /// In their order: `rdf:Seq`.
    case ordered
    /// One of them is to be taken, the first if nothing else counts: `rdf:Alt`.
    case alternative
    /// One text for each language: `rdf:Alt` whose items have `xml:lang`.
    case languages
  }

  /// What a node holds.
  public indirect enum Value: Sendable, Hashable {
    /// Text, which numbers and dates are too.
    case text(String)
    /// A URI that is written as one, `rdf:resource`.
    case link(String)
    /// Fields with names.
    case structure([XMPNode])
    /// Items, whose names do not count: see ``XMPNode/item(_:language:)``.
    case list(ListKind, [XMPNode])
  }

  /// `http://purl.org/dc/elements/1.1/`.
  public var namespace: String
  /// What stands for the namespace: `dc`.
  public var prefix: String
  /// The name without its prefix: `title`.
  public var name: String
  /// What it holds.
  public var value: Value
  /// Qualifiers, such as `xml:lang`.
  public var qualifiers: [XMPNode]

  /// Makes a node of any namespace. Names that XML does not take are refused when a packet is written.
  public init(
    prefix: String, name: String, namespace: String, value: Value, qualifiers: [XMPNode] = []
  ) {
    (self.prefix, self.name, self.namespace) = (prefix, name, namespace)
    (self.value, self.qualifiers) = (value, qualifiers)
  }

  /// An item of a list.
  ///
  /// - Parameter language: What `xml:lang` says: `de`, `x-default` for the text that counts for all; nil for none.
  public static func item(_ value: Value, language: String? = nil) -> XMPNode {
    let languages = language.map {
      XMPNode(prefix: "xml", name: "lang", namespace: XMLReader.xml, value: .text($0))
    }
    return XMPNode(
      prefix: "rdf", name: "li", namespace: XMPNamespaces.rdf, value: value, qualifiers: languages.map { [$0] } ?? [])
  }

  /// What the qualifier `xml:lang` says, or nil.
  public var language: String? {
    qualifiers.first { $0.namespace == XMLReader.xml && $0.name == "lang" }?.text
  }

  /// The value as one text: of a list its first item, of texts in languages the one for all. Nil for a structure and for an
  /// empty list.
  public var text: String? {
    switch value {
    case .text(let text), .link(let text): text
    case .list(_, let items): (items.first { $0.language == "x-default" } ?? items.first)?.text
    case .structure: nil
    }
  }

  /// All texts of a list, or the one; of texts in languages the one for all.
  public var texts: [String] {
    if case .list(let kind, let items) = value, kind != .languages { return items.compactMap(\.text) }
    return text.map { [$0] } ?? []
  }
}

extension XMPNode.Value {
  /// The fields of a structure, or nil.
  var fields: [XMPNode]? { if case .structure(let fields) = self { fields } else { nil } }
  /// The items of a list, or nil.
  var items: [XMPNode]? { if case .list(_, let items) = self { items } else { nil } }

  /// The value as a property that XMP defines as a list holds it: one text becomes its only item.
  public func asList(_ kind: XMPNode.ListKind?) -> XMPNode.Value {
    guard let kind, case .text = self else { return self }
    return .list(kind, [.item(self, language: kind == .languages ? "x-default" : nil)])
  }
}
