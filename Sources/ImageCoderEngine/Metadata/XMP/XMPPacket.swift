// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

/// An XMP packet as a tree of properties, which can be read, changed and written.
///
/// What the tree does not have is lost between reading and writing: comments, padding, and the form in which RDF says the
/// same. ``MetadataEdit`` changes single properties of a file and leaves the other bytes of its packet alone.
///
/// ```swift
/// var packet = if let bytes = try decoder.metadata(.xmp) { try XMPPacket(bytes) } else { XMPPacket() }
/// try packet.set("dc:title[de]", to: .text("Hafen"))
/// let title = packet["dc:title"]?.text
/// ```
///
/// - Format: ISO 16684-1:2019 §6 and §7.
public struct XMPPacket: Sendable, Hashable {
  /// What the properties are about, `rdf:about`; almost always empty, for the file itself.
  public var about = ""
  /// The properties in the order of the packet. One that is stated twice is there once, as it was stated last.
  public var properties: [XMPNode]
  /// Namespaces by their prefixes, beside those that everyone knows: what the packet declares, and what paths may name.
  public var namespaces: [String: String]

  /// Makes a packet of properties, or an empty one.
  public init(_ properties: [XMPNode] = [], namespaces: [String: String] = [:]) {
    (self.properties, self.namespaces) = (properties, namespaces)
  }

  /// Reads a packet in UTF-8 or UTF-16.
  ///
  /// Prefixes are the usual ones of the namespaces, whatever the packet calls them.
  ///
  /// - Throws: ``CoderError/Code/malformed`` for bytes that break the rules of XML before their end, or have no `rdf:RDF`;
  ///   ``CoderError/Code/unsupported`` for a packet of more than 100,000 nodes.
  public init(_ bytes: [UInt8]) throws(CoderError) {
    let found = Self.read(bytes)
    guard found.hasRDF else { throw .malformed("\(bytes.count) bytes without an rdf:RDF are no XMP packet") }
    guard found.isWhole else { throw .malformed("the XMP packet breaks the rules of XML before its end") }
    guard !found.isTooLong else {
      throw .unsupported("an XMP packet of more than \(Self.maxNodes) nodes")
    }
    self = found.packet
  }

  /// Nodes of a packet that are read, at most.
  static let maxNodes = 100_000

  /// The node at a path, or nil: `packet["dc:subject[0]"]`. Nil too for a text that is no path.
  public subscript(path: String) -> XMPNode? {
    guard let path = try? XMPPath(path) else { return nil }
    return root[path]
  }

  /// Sets the value at a path, and makes what is missing on the way; nil takes out what is there. Qualifiers of a node that is
  /// there stay.
  ///
  /// A text becomes a list where XMP defines the property as one: `dc:title` gets an item for `x-default`.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a text that is no path, a path through a value of another kind, beyond
  ///   the end of a list, or through a prefix that stands for nothing.
  public mutating func set(_ path: String, to value: XMPNode.Value?) throws(CoderError) {
    let path = try XMPPath(path)
    guard let value else { return try put(nil, at: path) }
    var node = root[path] ?? XMPNode.item(.text(""))
    node.value = value
    switch path.steps.last {
    case .name(let prefix, let name)?, .qualifier(let prefix, let name)?:
      guard let space = namespace(of: prefix) else {
        throw .invalidArgument("the prefix \(prefix) stands for no namespace")
      }
      (node.prefix, node.name, node.namespace) = (prefix, name, space)
      node.value = value.asList(Self.listKind(of: "\(prefix):\(name)"))
    default: break
    }
    try put(node, at: path)
  }

  private mutating func put(_ node: XMPNode?, at path: XMPPath) throws(CoderError) {
    var root = root
    let packet = self
    try root.set(node, at: path) { packet.namespace(of: $0) }
    properties = root.value.fields ?? []
  }

  private var root: XMPNode { XMPNode(prefix: "", name: "", namespace: "", value: .structure(properties)) }

  /// The namespace that a prefix stands for in this packet, or nil.
  public func namespace(of prefix: String) -> String? {
    namespaces[prefix] ?? Self.usualNamespace(of: prefix) ?? properties.first { $0.prefix == prefix }?.namespace
  }

  /// The namespace that everyone means by a prefix, `http://purl.org/dc/elements/1.1/` for `dc`; nil for one that is not known.
  public static func usualNamespace(of prefix: String) -> String? { XMPNamespaces.all[prefix] }

  /// The prefix by which everyone calls a namespace, or nil for one that is not known.
  public static func usualPrefix(of namespace: String) -> String? { XMPNamespaces.prefix(of: namespace) }

  /// Whether XMP defines a property as a list, and of which kind: ``XMPNode/ListKind/languages`` for `dc:title`.
  public static func listKind(of name: String) -> XMPNode.ListKind? { XMPNamespaces.listKind(of: name) }
}
