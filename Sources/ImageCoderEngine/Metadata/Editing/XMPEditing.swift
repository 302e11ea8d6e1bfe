// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// Changes single properties of an XMP packet and leaves every other byte of it as it is.
///
/// - Format: ISO 16684-1:2019 §7.
struct XMPEditing {
  /// UTF-8.
  private(set) var packet: [UInt8]

  private static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

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
    guard parts.count == 2, let namespace = XMPNamespaces.namespace(of: parts[0]), Self.isName(parts[1]) else {
      throw .invalidArgument("\(name) is not a property of XMP with a known prefix, such as dc:title")
    }
    remove { $0 == namespace && $1 == parts[1] }
    if value == .text("") { return }
    // A packet without descriptions says nothing that could be lost.
    if place == nil { packet = Self.empty }
    guard let place else { throw .invalidArgument("the XMP packet has no place for \(name)") }
    let content = try Self.content(of: value, as: Self.form(of: name), name)
    let text = """
      <rdf:Description xmlns:rdf="\(Self.rdf)" rdf:about="\(Self.escaped(place.about))" \
      xmlns:\(parts[0])="\(namespace)"><\(name)>\(content)</\(name)></rdf:Description>
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
      <rdf:Description xmlns:rdf="\(Self.rdf)" rdf:about="\(Self.escaped(place.about))" \
      \(namespaces) \(attributes)>\(content)</rdf:Description>
      """
    packet.insert(contentsOf: Array(text.utf8), at: place.end)
  }

  /// How a property's values are held: ISO 16684-1:2019 §8.
  private enum Form {
    case simple
    case bag
    case sequence
    /// A text for each language.
    case languages
  }

  private static func form(of name: String) -> Form {
    switch name {
    case "dc:title", "dc:description", "dc:rights", "xmpRights:UsageTerms": .languages
    case "dc:creator", "dc:date": .sequence
    case "dc:subject", "dc:contributor", "dc:publisher", "dc:language", "dc:relation", "dc:type",
      "lr:hierarchicalSubject", "photoshop:SupplementalCategories", "xmp:Identifier", "xmpRights:Owner":
      .bag
    default: .simple
    }
  }

  private static func content(of value: PropertyValue, as form: Form, _ name: String) throws(CoderError) -> String {
    var values = [value]
    if case .list(let several) = value { values = several }
    var texts: [String] = []
    for value in values {
      switch value {
      case .text(let text): texts.append(escaped(text))
      case .integer(let number): texts.append("\(number)")
      case .number(let number): texts.append("\(number)")
      case .dictionary, .list: throw .invalidArgument("\(name) takes text, or a list of texts")
      }
    }
    func items(_ kind: String, _ attributes: String = "") -> String {
      "<rdf:\(kind)>" + texts.map { "<rdf:li\(attributes)>\($0)</rdf:li>" }.joined() + "</rdf:\(kind)>"
    }
    switch form {
    case .simple where texts.count == 1: return texts[0]
    case .simple, .bag: return items("Bag")
    case .sequence: return items("Seq")
    case .languages:
      guard texts.count == 1 else { throw .invalidArgument("\(name) takes one text") }
      return items("Alt", " xml:lang=\"x-default\"")
    }
  }

  /// Letters, digits, and a few signs: what names of properties are made of.
  private static func isName(_ text: String) -> Bool {
    !text.isEmpty
      && text.unicodeScalars.allSatisfy { scalar in
        scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "_" || scalar == "-"
      }
  }

  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      // XML 1.0 §2.2: other control characters are no characters.
      case "\u{0}"..."\u{8}", "\u{B}", "\u{C}", "\u{E}"..."\u{1F}": result += " "
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
