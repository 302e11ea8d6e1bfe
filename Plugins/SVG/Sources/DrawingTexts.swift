// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What a drawing says of itself: its title and description, and what its `metadata` element has of Dublin Core, as Inkscape
/// and Creative Commons write it, or a packet of XMP.
///
/// - Format: SVG 2 §5.8 and §21, DCMI Metadata Terms, XMP Specification Part 3 §2.6.
struct DrawingTexts {
  /// One of each keyword; several values of one are joined.
  private(set) var all: [ContainerText] = []
  /// `x:xmpmeta` as it stands in the file.
  private(set) var packet: [UInt8]?
  /// Whether some were left out.
  private(set) var isCut = false

  private struct Element {
    let name: String
    /// What its text is called, if it is one that is read.
    let keyword: String?
  }

  /// What the parts of Dublin Core are called: PNG Third Edition §11.3.3.1 has names for the first four, and the others keep
  /// their own. `format` and `type` are of the drawing as a file.
  private static let keywords = [
    "title": "Title", "creator": "Author", "description": "Description", "rights": "Copyright", "date": "Date",
    "publisher": "Publisher", "contributor": "Contributor", "identifier": "Identifier", "source": "Source",
    "relation": "Relation", "language": "Language", "coverage": "Coverage", "subject": "Subject",
  ]
  /// Elements inside of each other: deeper ones are passed over.
  private static let deepest = 64

  /// - Parameters:
  ///   - bytes: Of the text; texts of UTF-16 are not read.
  ///   - limit: Bytes of all texts at most.
  init(_ text: MarkupText, _ bytes: UnsafeRawBufferPointer, limit: Int) {
    var (open, depth, place, count): ([Element], Int, Int, Int) = ([], 0, 0, 0)
    var packetStart: Int?
    while let start = text.find("<", from: place) {
      if depth <= Self.deepest, let keyword = open.last(where: { $0.keyword != nil })?.keyword, start > place {
        take(place..<start, of: text, from: bytes, as: keyword, count: &count, limit: limit)
      }
      if let end = Self.endOfOther(text, at: start) {
        place = end
        continue
      }
      let end = Self.endOfTag(text, from: start)
      place = min(end + 1, text.count)
      let closes = start + 1 < text.count && text[start + 1] == UInt8(ascii: "/")
      let name = Self.name(text, from: start + (closes ? 2 : 1))
      if closes {
        if depth <= Self.deepest, !open.isEmpty { open.removeLast() }
        depth -= 1
        if let first = packetStart, name.hasSuffix(":xmpmeta"), let range = text.bytes(of: first..<place) {
          packetStart = nil
          if packet == nil, range.count <= limit { packet = [UInt8](bytes[range]) } else { isCut = true }
        }
        if depth <= 0 { break }
        continue
      }
      let isEmpty = end > start && end < text.count && text[end - 1] == UInt8(ascii: "/")
      let keyword = Self.keyword(name, in: open, isPacket: packetStart != nil)
      if keyword != nil || name.hasSuffix(":license"), open.contains(where: { $0.name == "metadata" }),
        let value = Self.resource(text, in: start..<end)
      {
        take(value, of: text, from: bytes, as: keyword ?? "License", count: &count, limit: limit)
      }
      guard !isEmpty else { continue }
      depth += 1
      if depth <= Self.deepest { open.append(Element(name: name, keyword: keyword)) }
      if name.hasSuffix(":xmpmeta"), open.contains(where: { $0.name == "metadata" }), packetStart == nil {
        packetStart = start
      }
    }
  }

  private static func keyword(_ name: String, in open: [Element], isPacket: Bool) -> String? {
    if open.count == 1, name == "title" { return "Title" }
    if open.count == 1, name == "desc" { return "Description" }
    // The outermost name counts: the title of an agent is the name of a creator.
    guard !isPacket, name.hasPrefix("dc:"), open.contains(where: { $0.name == "metadata" }),
      !open.contains(where: { $0.keyword != nil || $0.name == "dc:type" || $0.name == "dc:format" })
    else { return nil }
    return keywords[String(name.dropFirst(3))]
  }

  /// Adds a text, unless its keyword has it already.
  private mutating func take(
    _ range: Range<Int>, of text: MarkupText, from bytes: UnsafeRawBufferPointer, as keyword: String,
    count: inout Int, limit: Int
  ) {
    guard let place = text.bytes(of: range) else { return }
    guard count + place.count <= limit else {
      isCut = true
      return
    }
    let words = ContainerText(decoding: [UInt8](bytes[place])).text
      .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let value = Self.unescaped(words)
    guard !value.isEmpty else { return }
    count += place.count
    guard let index = all.firstIndex(where: { $0.keyword == keyword }) else {
      all.append(ContainerText(value, keyword: keyword))
      return
    }
    // Programs repeat the title of the drawing in its metadata.
    if all[index].text != value, !all[index].text.hasSuffix(", " + value) { all[index].text += ", " + value }
  }

  /// The end of a comment, a declaration, an instruction or a section of characters; nil for a tag.
  private static func endOfOther(_ text: MarkupText, at start: Int) -> Int? {
    let forms: [(StaticString, StaticString, Int)] = [
      ("<!--", "-->", 3), ("<![CDATA[", "]]>", 3), ("<?", "?>", 2), ("<!", ">", 1),
    ]
    for (begin, end, length) in forms where text.has(begin, at: start) == .yes {
      return text.find(end, from: start + begin.utf8CodeUnitCount).map { $0 + length } ?? text.count
    }
    return nil
  }

  /// Where the `>` of a tag is, or the end of the text.
  private static func endOfTag(_ text: MarkupText, from start: Int) -> Int {
    var (index, quote) = (start, UInt8(0))
    while index < text.count {
      let character = text[index]
      if quote != 0 {
        if character == quote { quote = 0 }
      } else if character == UInt8(ascii: "\"") || character == UInt8(ascii: "'") {
        quote = character
      } else if character == UInt8(ascii: ">") {
        return index
      }
      index += 1
    }
    return text.count
  }

  private static func name(_ text: MarkupText, from start: Int) -> String {
    var (name, index) = ([UInt8](), start)
    let ends = Array("/>=".utf8)
    while index < text.count, name.count < 64, !MarkupText.isSpace(text[index]), !ends.contains(text[index]) {
      name.append(text[index])
      index += 1
    }
    let word = String(decoding: name, as: UTF8.self)
    return word.hasPrefix("svg:") ? String(word.dropFirst(4)) : word
  }

  /// The value of `rdf:resource` within a tag.
  private static func resource(_ text: MarkupText, in tag: Range<Int>) -> Range<Int>? {
    guard let place = tag.first(where: { text.has("rdf:resource", at: $0) == .yes }) else { return nil }
    var start = text.afterSpace(place + 12)
    guard start < tag.upperBound, text[start] == UInt8(ascii: "=") else { return nil }
    start = text.afterSpace(start + 1)
    guard start < tag.upperBound else { return nil }
    let quote = text[start]
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
    var end = start + 1
    while end < tag.upperBound, text[end] != quote { end += 1 }
    return start + 1..<end
  }

  /// The characters that references of XML stand for (XML 1.0 §4.1 and §4.6); those that a document declares stay.
  private static func unescaped(_ text: String) -> String {
    guard text.contains("&") else { return text }
    let named: [Substring: Character] = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
    var (result, rest) = ("", text[...])
    while let mark = rest.firstIndex(of: "&") {
      result += rest[..<mark]
      rest = rest[mark...]
      guard let end = rest.prefix(12).firstIndex(of: ";") else {
        result.append(rest.removeFirst())
        continue
      }
      let name = rest[rest.index(after: mark)..<end]
      var character = named[name]
      if name.hasPrefix("#x"), let code = UInt32(name.dropFirst(2), radix: 16) {
        character = Unicode.Scalar(code).map { Character($0) }
      } else if name.hasPrefix("#"), let code = UInt32(name.dropFirst()) {
        character = Unicode.Scalar(code).map { Character($0) }
      }
      if let character { result.append(character) } else { result += rest[...end] }
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }
}
