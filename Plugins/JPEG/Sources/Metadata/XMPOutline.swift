// SPDX-License-Identifier: Apache-2.0

/// Where an XMP packet has its properties, and which ExtendedXMP it names.
///
/// Elements are known by their local names: prefixes are the writer's choice, XMP part 1 §7.2.
struct XMPOutline {
  /// The property `xmpNote:HasExtendedXMP`, XMP part 3 §1.1.3.1.
  struct Note {
    let digest: ArraySlice<UInt8>
    /// All of it, so that the packet is without it when these bytes are taken out.
    let whole: Range<Int>
  }

  /// A namespace that is declared outside of the properties.
  struct Declaration {
    let name: ArraySlice<UInt8>
    let namespace: ArraySlice<UInt8>
    /// With the white space in front of it.
    let text: ArraySlice<UInt8>
  }

  /// Where attributes of the element `rdf:RDF` may be put.
  let attributes: Int
  /// What the element `rdf:RDF` holds.
  let properties: Range<Int>
  /// Those of `rdf:RDF` and of the elements around it, the inner one of a name.
  let declarations: [ArraySlice<UInt8>: Declaration]
  /// Nil without one.
  let note: Note?

  /// Bytes of attributes of `rdf:RDF` and the elements around it.
  private static let mostOuterBytes = 65_536

  /// - Parameter hasNote: Whether a note is looked for.
  /// - Returns: Nil for a packet without an element `rdf:RDF`.
  init?(_ packet: [UInt8], hasNote: Bool) {
    var scanner = TagScanner(packet)
    self.init(packet, hasNote: hasNote, &scanner)
  }

  /// - Parameter scanner: At the start of the packet.
  init?(_ packet: [UInt8], hasNote: Bool, _ scanner: inout TagScanner) {
    var declarations: [ArraySlice<UInt8>: Declaration] = [:]
    var root: TagScanner.Tag?
    var note: Note?
    var outerBytes = 0
    while let tag = scanner.next() {
      if let root {
        if tag.kind == .end, packet[tag.name] == packet[root.name] {
          attributes = root.name.upperBound
          properties = root.whole.upperBound..<tag.whole.lowerBound
          self.declarations = declarations
          self.note = note
          return
        }
        if hasNote, note == nil { note = Self.note(in: packet, tag, &scanner) }
        continue
      }
      guard tag.kind == .start else { continue }
      // Bounds the memory for declarations.
      outerBytes += tag.attributes.count
      guard outerBytes <= Self.mostOuterBytes else { return nil }
      for attribute in scanner.attributes(of: tag) where packet[attribute.name].starts(with: "xmlns".utf8) {
        let name = packet[attribute.name]
        declarations[name] = Declaration(
          name: name, namespace: packet[attribute.value], text: packet[attribute.whole])
      }
      if Self.has(packet[tag.name], localName: "RDF") { root = tag }
    }
    return nil
  }

  /// A property is an attribute or an element, XMP part 1 §7.9.2.2.
  private static func note(in packet: [UInt8], _ tag: TagScanner.Tag, _ scanner: inout TagScanner) -> Note? {
    guard tag.kind != .end else { return nil }
    let name = "HasExtendedXMP"
    if tag.kind == .start, has(packet[tag.name], localName: name) {
      guard let end = scanner.next(), end.kind == .end, packet[end.name] == packet[tag.name] else { return nil }
      var digest = packet[tag.whole.upperBound..<end.whole.lowerBound].drop(while: TagScanner.isSpace)
      while let last = digest.last, TagScanner.isSpace(last) { digest.removeLast() }
      return Note(digest: digest, whole: tag.whole.lowerBound..<end.whole.upperBound)
    }
    return scanner.attributes(of: tag).first { has(packet[$0.name], localName: name) }
      .map { Note(digest: packet[$0.value], whole: $0.whole) }
  }

  private static func has(_ name: ArraySlice<UInt8>, localName: String) -> Bool {
    name.drop { $0 != UInt8(ascii: ":") }.dropFirst().elementsEqual(localName.utf8)
  }
}
