// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// Reads XML from its start to its end: elements with their namespaces, and text.
///
/// As much of XML 1.0 as metadata has: comments, processing instructions, CDATA, the five named entities and numbers. A
/// document type is not read, so no entity grows. What breaks the rules ends the document there.
struct XMLReader {
  /// A name of an element or attribute.
  struct Name: Hashable {
    /// Empty without a namespace.
    var namespace: String
    var local: String
  }

  struct Element {
    var name: Name
    /// Without those that declare namespaces.
    var attributes: [(name: Name, value: String)]
    /// Where each of them is in the document, with the space before it.
    var places: [Range<Int>]

    func attribute(_ name: Name) -> String? { attributes.first { $0.name == name }?.value }
  }

  enum Event {
    case start(Element)
    case end
    case text(String)
  }

  static let xml = "http://www.w3.org/XML/1998/namespace"
  /// Attributes of one element, namespaces at one place, and elements inside others, at most: each element keeps the
  /// namespaces of those around it.
  private static let (maxAttributes, maxNamespaces, maxDepth) = (1024, 128, 128)

  /// The document in UTF-8.
  let bytes: [UInt8]
  /// Where the event that was read last ends.
  private(set) var place = 0
  /// Where the event that was read last begins.
  private(set) var start = 0
  /// Namespaces by prefix; one for each open element.
  private var scopes: [[String: String]] = [["xml": xml]]
  /// The prefix by which the document called each namespace first.
  private(set) var declared: [String: String] = [:]
  /// Whether the last element was empty, so that its end comes next.
  private var endIsNext = false

  /// - Parameter bytes: UTF-8, or UTF-16 with or without a byte order mark.
  init(_ bytes: [UInt8]) { self.bytes = Self.utf8(bytes) }

  private static func utf8(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count > 1 else { return bytes }
    let isBig = (bytes[0], bytes[1]) == (0xFE, 0xFF) || (bytes[0], bytes[1]) == (0, UInt8(ascii: "<"))
    let isLittle = (bytes[0], bytes[1]) == (0xFF, 0xFE) || (bytes[0], bytes[1]) == (UInt8(ascii: "<"), 0)
    guard isBig || isLittle else { return bytes }
    let units = stride(from: 0, to: bytes.count - 1, by: 2).map { index in
      UInt16(bytes[index + (isBig ? 0 : 1)]) << 8 | UInt16(bytes[index + (isBig ? 1 : 0)])
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }

  /// Whether the rules of XML are broken before the end of the document, once ``next()`` has given nil.
  var isBroken: Bool { place < bytes.count }

  /// Whether no element is open.
  var isClosed: Bool { scopes.count == 1 }

  /// The next element, end or text, or nil at the end of the document.
  mutating func next() -> Event? {
    if endIsNext {
      endIsNext = false
      scopes.removeLast()
      return .end
    }
    while place < bytes.count {
      start = place
      guard bytes[place] == UInt8(ascii: "<") else {
        skip { $0 != UInt8(ascii: "<") }
        return unescaped(bytes[start..<place]).map { .text($0) }
      }
      if take("<!--") {
        guard skip(past: "-->") else { return nil }
      } else if take("<?") {
        guard skip(past: "?>") else { return nil }
      } else if take("<![CDATA[") {
        let start = place
        guard skip(past: "]]>") else { return nil }
        return .text(String(decoding: bytes[start..<(place - 3)], as: UTF8.self))
      } else if take("</") {
        guard skip(past: ">"), scopes.count > 1 else { return nil }
        scopes.removeLast()
        return .end
      } else {
        // Neither does a document type begin like a name.
        place += 1
        return element().map { .start($0) }
      }
    }
    return nil
  }

  /// Reads on after the end of the element that began last.
  mutating func skipElement() {
    var depth = 1
    while depth > 0, let event = next() {
      switch event {
      case .start: depth += 1
      case .end: depth -= 1
      case .text: break
      }
    }
  }

  private mutating func element() -> Element? {
    guard let name = word() else { return nil }
    var written: [(name: String, value: String, place: Range<Int>)] = []
    while true {
      let start = place
      skip(Self.isSpace)
      if take("/>") {
        endIsNext = true
        break
      }
      if take(">") { break }
      guard written.count < Self.maxAttributes, let name = word() else { return nil }
      skip(Self.isSpace)
      guard take("=") else { return nil }
      skip(Self.isSpace)
      guard let value = quoted() else { return nil }
      written.append((name, value, start..<place))
    }
    var scope = scopes.last ?? [:]
    for (name, value, _) in written {
      if name == "xmlns" { scope[""] = value }
      guard name.hasPrefix("xmlns:") else { continue }
      scope[String(name.dropFirst(6))] = value
      if declared[value] == nil { declared[value] = String(name.dropFirst(6)) }
    }
    guard scope.count <= Self.maxNamespaces, scopes.count <= Self.maxDepth else { return nil }
    scopes.append(scope)
    let named = written.filter { $0.name != "xmlns" && !$0.name.hasPrefix("xmlns:") }
    return Element(
      name: Self.name(name, scope, isAttribute: false),
      attributes: named.map { (Self.name($0.name, scope, isAttribute: true), $0.value) }, places: named.map(\.place))
  }

  /// Attributes without a prefix are in no namespace.
  private static func name(_ written: String, _ scope: [String: String], isAttribute: Bool) -> Name {
    guard let colon = written.utf8.firstIndex(of: UInt8(ascii: ":")) else {
      return Name(namespace: isAttribute ? "" : scope[""] ?? "", local: written)
    }
    let prefix = String(written[..<colon])
    return Name(namespace: scope[prefix] ?? prefix, local: String(written[written.index(after: colon)...]))
  }

  // MARK: Characters

  private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

  private static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"), UInt8(ascii: "_"), UInt8(ascii: "-"),
      UInt8(ascii: "."), 0x80...:
      true
    default: false
    }
  }

  private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
    while place < bytes.count, isSkipped(bytes[place]) { place += 1 }
  }

  private mutating func take(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { text in
      guard bytes[place...].prefix(text.count).elementsEqual(text) else { return false }
      place += text.count
      return true
    }
  }

  private mutating func skip(past end: StaticString) -> Bool {
    while place < bytes.count {
      if take(end) { return true }
      place += 1
    }
    return false
  }

  private mutating func word() -> String? {
    let start = place
    skip(Self.isName)
    return place > start ? String(decoding: bytes[start..<place], as: UTF8.self) : nil
  }

  private mutating func quoted() -> String? {
    guard place < bytes.count, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[place]) else { return nil }
    let mark = bytes[place]
    let start = place + 1
    place = start
    skip { $0 != mark }
    guard place < bytes.count else { return nil }
    place += 1
    return unescaped(bytes[start..<(place - 1)])
  }

  /// Text with its entities replaced; nil with one that is not known, and where there is no memory for it.
  private func unescaped(_ text: ArraySlice<UInt8>) -> String? {
    do throws(CoderError) { try ArrayMemory.check(bytes: text.count, for: "text") } catch { return nil }
    guard text.contains(UInt8(ascii: "&")) else { return String(decoding: text, as: UTF8.self) }
    var plain: [UInt8] = []
    plain.reserveCapacity(text.count)
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "&") else {
        plain.append(byte)
        continue
      }
      guard let end = rest.prefix(10).firstIndex(of: UInt8(ascii: ";")),
        let character = Self.character(String(decoding: rest[..<end], as: UTF8.self))
      else { return nil }
      plain += Array(String(character).utf8)
      rest = rest[(end + 1)...]
    }
    return String(decoding: plain, as: UTF8.self)
  }

  private static func character(_ entity: String) -> Unicode.Scalar? {
    switch entity {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default:
      guard entity.hasPrefix("#") else { return nil }
      let digits = entity.dropFirst()
      let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
      return number.flatMap(Unicode.Scalar.init)
    }
  }
}
