// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

extension XMPPacket {
  /// The packet in UTF-8, as a file has it, without padding.
  ///
  /// Characters that XML 1.0 has no way to say, such as most control characters, are written as spaces.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a name or prefix that XML does not take, a node without a namespace, a
  ///   prefix that stands for two namespaces, and nodes inside of each other so deep that no reader takes them.
  public func bytes() throws(CoderError) -> [UInt8] {
    var writing = XMPWriting()
    for node in properties { try writing.add(node) }
    let declared = writing.namespaces.sorted { $0.key < $1.key }
      .map { " xmlns:\($0.key)=\"\($0.value.inXMLAttribute)\"" }.joined()
    let text = """
      <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="\(XMPNamespaces.rdf)">\
      <rdf:Description rdf:about="\(about.inXMLAttribute)"\(declared)>\(writing.text)</rdf:Description></rdf:RDF></x:xmpmeta>
      <?xpacket end="w"?>
      """
    return Array(text.utf8)
  }
}

/// Nodes as elements of RDF: ISO 16684-1:2019 §7.
struct XMPWriting {
  private(set) var text = ""
  /// Namespaces that the elements need, by prefix, without those of RDF and XML.
  private(set) var namespaces: [String: String] = [:]
  /// Elements inside of others, at most: as ``XMLReader`` reads them, less those around them.
  private static let maxDepth = 120

  /// Adds the element of a node.
  mutating func add(_ node: XMPNode) throws(CoderError) { try add(node, depth: 0) }

  private mutating func add(_ node: XMPNode, as other: String? = nil, depth: Int) throws(CoderError) {
    guard depth < Self.maxDepth else {
      throw .invalidArgument("nodes of XMP are inside of more than \(Self.maxDepth) elements")
    }
    let name: String
    if let other { name = other } else { name = try self.name(node) }
    text += "<\(name)"
    if let language = node.language { text += " xml:lang=\"\(language.inXMLAttribute)\"" }
    let qualifiers = node.qualifiers.filter { !($0.namespace == XMLReader.xml && $0.name == "lang") }
    guard qualifiers.isEmpty else {
      text += "><rdf:Description>"
      var plain = node
      plain.qualifiers = []
      try add(plain, as: "rdf:value", depth: depth + 2)
      for qualifier in qualifiers { try add(qualifier, depth: depth + 2) }
      text += "</rdf:Description></\(name)>"
      return
    }
    switch node.value {
    case .text(let value): text += ">\(value.inXML)</\(name)>"
    case .link(let link): text += " rdf:resource=\"\(link.inXMLAttribute)\"/>"
    case .structure(let fields):
      text += " rdf:parseType=\"Resource\">"
      for field in fields { try add(field, depth: depth + 1) }
      text += "</\(name)>"
    case .list(let kind, let items):
      let list =
        switch kind {
        case .unordered: "rdf:Bag"
        case .ordered: "rdf:Seq"
        case .alternative, .languages: "rdf:Alt"
        }
      text += "><\(list)>"
      for item in items { try add(item, as: "rdf:li", depth: depth + 2) }
      text += "</\(list)></\(name)>"
    }
  }

  private mutating func name(_ node: XMPNode) throws(CoderError) -> String {
    let name = "\(node.prefix):\(node.name)"
    guard node.prefix.isXMLName, node.name.isXMLName, !node.namespace.isEmpty else {
      throw .invalidArgument("\(name) is no name of XMP, or has no namespace")
    }
    let known = node.prefix == "rdf" ? XMPNamespaces.rdf : namespaces[node.prefix] ?? node.namespace
    guard known == node.namespace, node.prefix != "xml" else {
      throw .invalidArgument("the prefix \(node.prefix) stands for \(known) and for \(node.namespace)")
    }
    if node.prefix != "rdf" { namespaces[node.prefix] = node.namespace }
    return name
  }
}

extension String {
  /// The text as XML says it between elements.
  var inXML: String { escaped(isAttribute: false) }

  /// The text as XML says it in an attribute, where lines that are not escaped would become spaces (XML 1.0 §3.3.3).
  var inXMLAttribute: String { escaped(isAttribute: true) }

  private func escaped(isAttribute: Bool) -> String {
    var result = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      // A reader makes a line feed of it (§2.11).
      case "\r": result += "&#13;"
      case "\t" where isAttribute, "\n" where isAttribute: result += "&#\(scalar.value);"
      // §2.2: others are no characters. Adobe's toolkit writes spaces, too.
      case "\u{0}"..<"\t", "\u{B}"..<"\r", "\u{E}"..<" ", "\u{FFFE}"..."\u{FFFF}": result += " "
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Whether XML takes it as a name without a prefix (XML 1.0 §2.3, Namespaces in XML 1.0 §3).
  package var isXMLName: Bool {
    guard let first = unicodeScalars.first, Self.beginsName(first) else { return false }
    return unicodeScalars.allSatisfy { scalar in
      switch scalar {
      case "-", ".", "0"..."9", "\u{B7}", "\u{300}"..."\u{36F}", "\u{203F}", "\u{2040}": true
      default: Self.beginsName(scalar)
      }
    }
  }

  private static func beginsName(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "A"..."Z", "a"..."z", "_", "\u{C0}"..."\u{D6}", "\u{D8}"..."\u{F6}", "\u{F8}"..."\u{2FF}",
      "\u{370}"..."\u{37D}", "\u{37F}"..."\u{1FFF}", "\u{200C}", "\u{200D}", "\u{2070}"..."\u{218F}",
      "\u{2C00}"..."\u{2FEF}", "\u{3001}"..."\u{D7FF}", "\u{F900}"..."\u{FDCF}", "\u{FDF0}"..."\u{FFFD}",
      "\u{10000}"..."\u{EFFFF}":
      true
    default: false
    }
  }
}
