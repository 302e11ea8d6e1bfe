// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// Changes single properties of an XMP packet and leaves every other byte of it as it is.
///
/// - Format: ISO 16684-1:2019 §7.
struct XMPEditing {
  /// UTF-8.
  private(set) var packet: [UInt8]

  private static let rdf = XMPNamespaces.rdf

  /// - Parameter packet: Nil for a new one.
  /// - Throws: ``CoderError/Code/unsupported`` for a packet that cannot be read to its end: after the fault there might be
  ///   what is to be taken out.
  init(_ packet: [UInt8]?) throws(CoderError) {
    guard let packet else {
      self.packet = Self.empty
      return
    }
    var xml = XMLReader(packet)
    self.packet = xml.bytes
    while xml.next() != nil {}
    guard !xml.isBroken else {
      throw .unsupported("the XMP packet breaks the rules of XML, so a part of it cannot be changed; xmp takes out all")
    }
  }

  private static let empty = Array(
    """
    <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
    <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="\(rdf)">\
    </rdf:RDF></x:xmpmeta>
    <?xpacket end="w"?>
    """.utf8)

  /// Where new properties go, and what the descriptions there say that they are about.
  private var place: (end: Int, about: String)? {
    var xml = XMLReader(packet)
    var depth = 0
    var inside: Int?
    var about = ""
    while let event = xml.next() {
      switch event {
      case .start(let element):
        depth += 1
        if inside == nil, element.name == XMLReader.Name(namespace: Self.rdf, local: "RDF") { inside = depth }
        if element.name == XMLReader.Name(namespace: Self.rdf, local: "Description"), inside == depth - 1, about.isEmpty
        {
          about = element.attribute(XMLReader.Name(namespace: Self.rdf, local: "about")) ?? ""
        }
      case .end:
        // An element that ends where it begins has no room.
        if inside == depth { return packet[xml.start...].starts(with: Array("</".utf8)) ? (xml.start, about) : nil }
        depth -= 1
      case .text: break
      }
    }
    return nil
  }

  /// Takes properties out, wherever they are: also inside of structures.
  mutating func remove(where isRemoved: (_ namespace: String, _ local: String) -> Bool) {
    var xml = XMLReader(packet)
    var removed: [Range<Int>] = []
    var isInside = false
    while let event = xml.next() {
      guard case .start(let element) = event else { continue }
      if element.name.namespace == Self.rdf, element.name.local == "RDF" { isInside = true }
      guard isInside else { continue }
      if isRemoved(element.name.namespace, element.name.local) {
        let start = xml.start
        xml.skipElement()
        removed.append(start..<xml.place)
        continue
      }
      for (attribute, place) in zip(element.attributes, element.places)
      where isRemoved(attribute.name.namespace, attribute.name.local) {
        removed.append(place)
      }
    }
    guard !removed.isEmpty else { return }
    var kept: [UInt8] = []
    var start = 0
    for range in removed {
      kept += packet[start..<range.lowerBound]
      start = range.upperBound
    }
    packet = kept + packet[start...]
  }

  /// Sets a property of the file itself; empty text takes it out.
  ///
  /// - Parameter name: With one of the usual prefixes: `dc:title`.
  /// - Throws: ``CoderError/Code/invalidArgument`` for a name without a known prefix, or a value that is not text, a
  ///   number or a list of these.
  mutating func set(_ name: String, to value: PropertyValue) throws(CoderError) {
    let parts = name.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2, let namespace = XMPNamespaces.namespace(of: parts[0]), parts[1].isXMLName else {
      throw .invalidArgument("\(name) is not a property of XMP with a known prefix, such as dc:title")
    }
    remove { $0 == namespace && $1 == parts[1] }
    if value == .text("") { return }
    // A packet without descriptions says nothing that could be lost.
    if place == nil { packet = Self.empty }
    guard let place else { throw .invalidArgument("the XMP packet has no place for \(name)") }
    var writing = XMPWriting()
    try writing.add(
      XMPNode(prefix: parts[0], name: parts[1], namespace: namespace, value: try Self.content(of: value, name)))
    let text = """
      <rdf:Description xmlns:rdf="\(Self.rdf)" rdf:about="\(place.about.inXMLAttribute)" \
      xmlns:\(parts[0])="\(namespace)">\(writing.text)</rdf:Description>
      """
    packet.insert(contentsOf: Array(text.utf8), at: place.end)
  }

  /// Adds a description as it is written: properties that are structures, or belong together.
  ///
  /// - Parameter prefixes: The usual prefixes that are used in it.
  mutating func add(_ attributes: String, _ content: String, prefixes: [String]) throws(CoderError) {
    if place == nil { packet = Self.empty }
    guard let place else { throw .invalidArgument("the XMP packet has no place for more") }
    let namespaces = prefixes.map { "xmlns:\($0)=\"\(XMPNamespaces.namespace(of: $0) ?? "")\"" }.joined(separator: " ")
    let text = """
      <rdf:Description xmlns:rdf="\(Self.rdf)" rdf:about="\(place.about.inXMLAttribute)" \
      \(namespaces) \(attributes)>\(content)</rdf:Description>
      """
    packet.insert(contentsOf: Array(text.utf8), at: place.end)
  }

  /// A value as XMP defines that the property holds it.
  private static func content(of value: PropertyValue, _ name: String) throws(CoderError) -> XMPNode.Value {
    var values = [value]
    if case .list(let several) = value { values = several }
    var texts: [XMPNode.Value] = []
    for value in values {
      switch value {
      case .text(let text): texts.append(.text(text))
      case .integer(let number): texts.append(.text("\(number)"))
      case .number(let number): texts.append(.text("\(number)"))
      // §8.2.1.1
      case .boolean(let flag): texts.append(.text(flag ? "True" : "False"))
      case .dictionary, .list, .data: throw .invalidArgument("\(name) takes text, or a list of texts")
      }
    }
    guard let kind = XMPNamespaces.listKind(of: name) else {
      return texts.count == 1 ? texts[0] : .list(.unordered, texts.map { .item($0) })
    }
    guard kind != .languages || texts.count == 1 else { throw .invalidArgument("\(name) takes one text") }
    return .list(kind, texts.map { .item($0, language: kind == .languages ? "x-default" : nil) })
  }
}
