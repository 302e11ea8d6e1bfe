// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  public import CoreGraphics
  public import Foundation
  import FoundationXML

  /// XMP as RDF in XML: ISO 16684-1 §7.
  enum XMPPacket {
    /// What a packet says; nil for data that is no XMP.
    static func read(_ data: Data) -> (nodes: [MetadataNode], spaces: [String: String])? {
      let reading = Reading()
      let parser = XMLParser(data: data)
      parser.shouldProcessNamespaces = false
      parser.shouldResolveExternalEntities = false
      parser.delegate = reading
      guard parser.parse(), let root = reading.root else { return nil }
      var spaces: [String: String] = [:]
      for (prefix, space) in reading.seen where Namespaces.known[prefix] == nil { spaces[prefix] = space }
      guard let rdf = root.first(where: { $0.isRDF("RDF") }) else { return nil }
      var nodes: [MetadataNode] = []
      var names: Set<[String]> = []
      for description in rdf.children where description.isRDF("Description") {
        for node in description.fields() where names.insert([node.prefix, node.name]).inserted { nodes.append(node) }
      }
      return (nodes, spaces)
    }

    // MARK: Reading

    private struct Name: Hashable {
      var prefix: String
      var local: String
      var space: String
    }

    private final class Element {
      let name: Name
      let attributes: [(name: Name, value: String)]
      var children: [Element] = []
      var text = ""

      init(_ name: Name, _ attributes: [(Name, String)]) { (self.name, self.attributes) = (name, attributes) }

      func isRDF(_ locals: String...) -> Bool { name.space == Namespaces.rdf && locals.contains(name.local) }

      func attribute(_ space: String, _ local: String) -> String? {
        attributes.first { $0.name.space == space && $0.name.local == local }?.value
      }

      func first(where isWanted: (Element) -> Bool) -> Element? {
        if isWanted(self) { return self }
        for child in children { if let found = child.first(where: isWanted) { return found } }
        return nil
      }

      /// Attributes and elements that are properties.
      func fields() -> [MetadataNode] {
        let short = attributes.filter { ![Namespaces.rdf, Namespaces.xml, ""].contains($0.name.space) }
          .map { MetadataNode($0.name.prefix, $0.name.local, in: $0.name.space, as: .string, holds: .text($0.value)) }
        return short + children.map { $0.node() }
      }

      func node() -> MetadataNode {
        var node = MetadataNode(name.prefix, name.local, in: name.space, as: .string, holds: .text(text))
        if let language = attribute(Namespaces.xml, "lang") {
          node.qualifiers = [MetadataNode("xml", "lang", in: Namespaces.xml, as: .string, holds: .text(language))]
        }
        if attribute(Namespaces.rdf, "parseType") == "Resource" {
          (node.type, node.content) = (.structure, .fields(children.map { $0.node() }))
        } else if let list = children.first(where: { $0.isRDF("Bag", "Seq", "Alt") }) {
          let items = list.children.filter { $0.isRDF("li") }.map { $0.node() }
          node.content = .items(items)
          node.type =
            switch list.name.local {
            case "Bag": .arrayUnordered
            case "Seq": .arrayOrdered
            default: items.contains { $0.language != nil } ? .alternateText : .alternateArray
            }
        } else if let inner = children.first(where: { $0.isRDF("Description") }) {
          let fields = inner.fields()
          if let value = inner.children.first(where: { $0.isRDF("value") }) {
            // §7.8: the other properties qualify the value.
            node.content = value.node().content
            node.qualifiers += fields.filter { $0.namespace != Namespaces.rdf }
          } else {
            (node.type, node.content) = (.structure, .fields(fields))
          }
        } else if let link = attribute(Namespaces.rdf, "resource") {
          node.content = .text(link)
        } else if children.isEmpty,
          attributes.contains(where: { ![Namespaces.rdf, Namespaces.xml, ""].contains($0.name.space) })
        {
          (node.type, node.content) = (.structure, .fields(fields()))
        }
        return node
      }
    }

    private final class Reading: NSObject, XMLParserDelegate {
      var root: Element?
      var seen: [String: String] = [:]
      private var open: [Element] = []
      private var scopes: [[String: String]] = [["xml": Namespaces.xml]]

      private func name(_ text: String, isAttribute: Bool) -> Name {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        let prefix = parts.count == 2 ? parts[0] : ""
        let space = isAttribute && prefix.isEmpty ? "" : scopes.last?[prefix] ?? ""
        // The usual prefix, whatever the file calls the namespace.
        return Name(prefix: Namespaces.prefix(of: space) ?? prefix, local: parts.last ?? text, space: space)
      }

      func parser(
        _ parser: XMLParser, didStartElement text: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
      ) {
        // More elements inside of each other than any packet has.
        guard open.count < 64 else { return parser.abortParsing() }
        var scope = scopes.last ?? [:]
        for (key, value) in attributes where key == "xmlns" || key.hasPrefix("xmlns:") {
          let prefix = key == "xmlns" ? "" : String(key.dropFirst(6))
          scope[prefix] = value
          if !prefix.isEmpty { seen[Namespaces.prefix(of: value) ?? prefix] = value }
        }
        scopes.append(scope)
        let others = attributes.filter { !$0.key.hasPrefix("xmlns") }.sorted { $0.key < $1.key }
        let element = Element(
          name(text, isAttribute: false), others.map { (name($0.key, isAttribute: true), $0.value) })
        open.last?.children.append(element)
        if root == nil { root = element }
        open.append(element)
      }

      func parser(_ parser: XMLParser, foundCharacters text: String) { open.last?.text += text }

      func parser(_ parser: XMLParser, foundCDATA data: Data) {
        open.last?.text += String(decoding: data, as: UTF8.self)
      }

      func parser(_ parser: XMLParser, didEndElement text: String, namespaceURI: String?, qualifiedName: String?) {
        // A parser that was told to stop may still say that an element ends.
        guard open.popLast() != nil else { return }
        scopes.removeLast()
      }
    }

    // MARK: Writing

    /// A packet of all tags, as a file has it.
    static func write(_ nodes: [MetadataNode]) -> Data {
      var spaces: [String: String] = [:]
      for node in nodes { collect(node, &spaces) }
      let declared = spaces.sorted { $0.key < $1.key }.map { " xmlns:\($0.key)=\"\(escaped($0.value))\"" }.joined()
      let text = """
        <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="\(Namespaces.rdf)">\
        <rdf:Description rdf:about=""\(declared)>\(nodes.map(element).joined())</rdf:Description></rdf:RDF></x:xmpmeta>
        <?xpacket end="w"?>
        """
      return Data(text.utf8)
    }

    private static func collect(_ node: MetadataNode, _ spaces: inout [String: String]) {
      if node.prefix != "rdf", node.prefix != "xml" { spaces[node.prefix] = node.namespace }
      for qualifier in node.qualifiers { collect(qualifier, &spaces) }
      switch node.content {
      case .text: break
      case .items(let inner), .fields(let inner): for node in inner { collect(node, &spaces) }
      }
    }

    private static func escaped(_ text: String) -> String {
      var result = ""
      for scalar in text.unicodeScalars {
        switch scalar {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        case "\"": result += "&quot;"
        case "\r": result += "&#13;"
        // XML 1.0 §2.2: it has no way to say these.
        case "\u{0}"..<"\t", "\u{B}"..<"\r", "\u{E}"..<" ", "\u{FFFE}"..."\u{FFFF}": break
        default: result.unicodeScalars.append(scalar)
        }
      }
      return result
    }

    private static func element(_ node: MetadataNode) -> String {
      let name = "\(node.prefix):\(node.name)"
      let language = node.language.map { " xml:lang=\"\(escaped($0))\"" } ?? ""
      let qualifiers = node.qualifiers.filter { !($0.prefix == "xml" && $0.name == "lang") }
      if !qualifiers.isEmpty {
        // §7.8.
        var value = node
        (value.prefix, value.name, value.qualifiers) = ("rdf", "value", [])
        let inner = element(value) + qualifiers.map(element).joined()
        return "<\(name)\(language)><rdf:Description>\(inner)</rdf:Description></\(name)>"
      }
      switch node.content {
      case .text(let text): return "<\(name)\(language)>\(escaped(text))</\(name)>"
      case .fields(let fields):
        return "<\(name)\(language) rdf:parseType=\"Resource\">\(fields.map(element).joined())</\(name)>"
      case .items(let items):
        let list =
          switch node.type {
          case .arrayUnordered: "rdf:Bag"
          case .alternateArray, .alternateText: "rdf:Alt"
          default: "rdf:Seq"
          }
        let inner = items.map { item in
          var item = item
          (item.prefix, item.name) = ("rdf", "li")
          return element(item)
        }
        return "<\(name)\(language)><\(list)>\(inner.joined())</\(list)></\(name)>"
      }
    }
  }

  /// The packet of XMP that says what metadata say. Nil for metadata without tags. Options are not looked at.
  public func CGImageMetadataCreateXMPData(_ metadata: CGImageMetadata, _ options: CFDictionary?) -> CFData? {
    metadata.nodes.isEmpty ? nil : NSData(data: XMPPacket.write(metadata.nodes))
  }

  /// What a packet of XMP says; nil for data that is none.
  public func CGImageMetadataCreateFromXMPData(_ data: CFData) -> CGImageMetadata? {
    XMPPacket.read(data as Data).map { nodes, spaces in
      let metadata = CGImageMetadata(nodes)
      metadata.spaces = spaces
      return metadata
    }
  }
#endif
