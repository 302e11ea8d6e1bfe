// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

extension XMPPacket {
  /// What a packet says up to the place where it breaks the rules of XML.
  static func read(_ bytes: [UInt8]) -> (packet: XMPPacket, hasRDF: Bool, isWhole: Bool, isTooLong: Bool) {
    var reading = Reading(xml: XMLReader(bytes))
    reading.document()
    return (
      reading.packet, reading.hasRDF, !reading.xml.isBroken && reading.xml.isClosed, reading.nodesLeft == 0
    )
  }

  private struct Reading {
    var xml: XMLReader
    var packet = XMPPacket()
    var hasRDF = false
    var nodesLeft = XMPPacket.maxNodes
    private var prefixes: [String: String] = [:]
    /// The last number that a prefix got, so that no number is tried twice.
    private var numbers: [String: Int] = [:]

    init(xml: XMLReader) { self.xml = xml }

    private static func isRDF(_ name: XMLReader.Name, _ local: String...) -> Bool {
      name.namespace == XMPNamespaces.rdf && local.contains(name.local)
    }

    mutating func document() {
      var all: [XMPNode] = []
      while let event = xml.next() {
        guard case .start(let element) = event else { continue }
        if Self.isRDF(element.name, "RDF") { hasRDF = true }
        guard hasRDF, Self.isRDF(element.name, "Description") else { continue }
        if packet.about.isEmpty {
          packet.about = element.attribute(XMLReader.Name(namespace: XMPNamespaces.rdf, local: "about")) ?? ""
        }
        all += fields(of: element)
      }
      packet.properties = Self.once(all)
      for (space, prefix) in xml.declared where XMPNamespaces.prefix(of: space) == nil {
        packet.namespaces[prefixes[space] ?? prefix] = space
      }
    }

    /// Nodes without those whose name comes again later: the last one takes the place of the first.
    private static func once(_ nodes: [XMPNode]) -> [XMPNode] {
      var places: [XMLReader.Name: Int] = [:]
      var kept: [XMPNode] = []
      for node in nodes {
        let name = XMLReader.Name(namespace: node.namespace, local: node.name)
        if let place = places[name] {
          kept[place] = node
        } else {
          places[name] = kept.count
          kept.append(node)
        }
      }
      return kept
    }

    /// A node without content; nil for a name that says nothing, and where there are too many.
    private mutating func node(_ name: XMLReader.Name) -> XMPNode? {
      guard nodesLeft > 0, !name.namespace.isEmpty, name.namespace != XMLReader.xml, name.local.isXMLName else {
        return nil
      }
      nodesLeft -= 1
      return XMPNode(
        prefix: prefix(of: name.namespace), name: name.local, namespace: name.namespace, value: .text(""))
    }

    /// The usual prefix, or that of the packet; another one where that is taken.
    private mutating func prefix(of space: String) -> String {
      if let prefix = XMPNamespaces.prefix(of: space) ?? prefixes[space] { return prefix }
      let wanted = xml.declared[space].flatMap { $0.isXMLName ? $0 : nil } ?? "ns"
      var prefix = wanted
      while XMPNamespaces.all[prefix] != nil || packet.namespaces[prefix] != nil {
        numbers[wanted, default: 1] += 1
        prefix = "\(wanted)\(numbers[wanted, default: 1])"
      }
      prefixes[space] = prefix
      packet.namespaces[prefix] = space
      return prefix
    }

    /// What an element's attributes and the elements in it say, up to its end.
    private mutating func fields(of element: XMLReader.Element) -> [XMPNode] {
      var nodes = named(element.attributes)
      while let event = xml.next() {
        switch event {
        case .end: return Self.once(nodes)
        case .text: break
        case .start(let inner): if let node = node(of: inner) { nodes.append(node) }
        }
      }
      return Self.once(nodes)
    }

    /// Attributes that are properties: of RDF's own, the value and the type.
    private mutating func named(_ attributes: [(name: XMLReader.Name, value: String)]) -> [XMPNode] {
      var nodes: [XMPNode] = []
      for (name, value) in attributes where name.namespace != XMLReader.xml {
        guard name.namespace != XMPNamespaces.rdf || Self.isRDF(name, "value", "type") else { continue }
        guard var node = node(name) else { continue }
        node.value = .text(value)
        nodes.append(node)
      }
      return nodes
    }

    /// The node of an element, up to its end.
    private mutating func node(of element: XMLReader.Element) -> XMPNode? {
      guard var node = node(element.name) else {
        xml.skipElement()
        return nil
      }
      if let language = element.attribute(XMLReader.Name(namespace: XMLReader.xml, local: "lang")) {
        node.qualifiers = XMPNode.item(.text(""), language: language).qualifiers
      }
      if element.attribute(XMLReader.Name(namespace: XMPNamespaces.rdf, local: "parseType")) == "Resource" {
        node.hold(fields(of: element))
        return node
      }
      let attributes = named(element.attributes)
      var (text, isFound) = ("", false)
      reading: while let event = xml.next() {
        switch event {
        case .end: break reading
        case .text(let more): if !isFound { text += more }
        case .start(let inner):
          if Self.isRDF(inner.name, "Bag", "Seq", "Alt") {
            node.value = list(inner.name.local)
            isFound = true
          } else if Self.isRDF(inner.name, "Description") {
            node.hold(fields(of: inner))
            isFound = true
          } else {
            xml.skipElement()
          }
        }
      }
      if isFound { return node }
      if !attributes.isEmpty {
        node.hold(attributes)
      } else if let link = element.attribute(XMLReader.Name(namespace: XMPNamespaces.rdf, local: "resource")) {
        node.value = .link(link)
      } else {
        node.value = .text(text)
      }
      return node
    }

    private mutating func list(_ name: String) -> XMPNode.Value {
      var items: [XMPNode] = []
      reading: while let event = xml.next() {
        switch event {
        case .end: break reading
        case .text: break
        case .start(let inner): if let item = node(of: inner) { items.append(item) }
        }
      }
      switch name {
      case "Bag": return .list(.unordered, items)
      case "Seq": return .list(.ordered, items)
      default: return .list(items.contains { $0.language != nil } ? .languages : .alternative, items)
      }
    }
  }
}

extension XMPNode {
  /// Holds fields as a structure; with an `rdf:value` among them, that value, which the others qualify (§7.8).
  fileprivate mutating func hold(_ fields: [XMPNode]) {
    guard let held = fields.first(where: { $0.namespace == XMPNamespaces.rdf && $0.name == "value" }) else {
      value = .structure(fields)
      return
    }
    value = held.value
    qualifiers += held.qualifiers.filter { held in !qualifiers.contains { $0.name == held.name } }
    qualifiers += fields.filter { $0.namespace != XMPNamespaces.rdf || $0.name != "value" }
  }
}
