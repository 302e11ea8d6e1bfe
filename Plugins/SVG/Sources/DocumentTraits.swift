// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What a document says that librsvg does not tell: found by the names of elements and attributes, without parsing.
struct DocumentTraits: Equatable {
  /// How many elements it has, those in comments and declarations not counted.
  private(set) var elements = 0
  /// The most colors that one gradient goes through.
  private(set) var stops = 0
  private var stopsOfLast = 0
  /// Whether it has text.
  private(set) var hasText = false
  /// Whether it names pictures, parts or styles that are not in the file. They are left out.
  private(set) var refersOutside = false
  /// Values of attributes, in bytes of the file, that name pictures which are not in it.
  private(set) var pictures: [Range<Int>] = []
  /// Pictures that are looked at.
  private static let mostPictures = 1000
  /// A manifest store of C2PA in Base64, in bytes of the file.
  private(set) var credentials: Range<Int>?
  /// Whether parts of it may be drawn on a layer of their own, which librsvg makes as large as the whole picture.
  private(set) var hasLayers = false

  init(_ text: MarkupText) {
    var place = 0
    while place < text.count {
      switch text[place] {
      case UInt8(ascii: "<"): place = readMarkup(text, at: place)
      // A style sheet.
      case UInt8(ascii: "@"):
        if case .yes = text.has("@import", at: place) { refersOutside = true }
        place += 1
      case UInt8(ascii: "u"):
        if isOutside(text, urlAt: place) { refersOutside = true }
        place += 1
      case UInt8(ascii: "o"), UInt8(ascii: "f"), UInt8(ascii: "m"), UInt8(ascii: "i"):
        noteLayer(text, at: place)
        place += 1
      default: place += 1
      }
    }
  }

  /// Properties and attributes that make layers. Their names within other words only make an estimate of memory larger.
  private mutating func noteLayer(_ text: MarkupText, at place: Int) {
    guard !hasLayers else { return }
    let words: [StaticString] = ["opacity", "filter", "mask", "mix-blend-mode", "isolation"]
    hasLayers = words.contains { text.has($0, at: place) == .yes }
  }

  /// - Returns: The place to go on at, after the name of the element or the declaration's first characters.
  private mutating func readMarkup(_ text: MarkupText, at start: Int) -> Int {
    if text.has("<!--", at: start) == .yes {
      return text.find("-->", from: start + 4).map { $0 + 3 } ?? text.count
    }
    if text.has("<?xml-stylesheet", at: start) == .yes { refersOutside = true }
    if text.has("<!ENTITY", at: start) == .yes, isOutside(text, entityAt: start + 8) { refersOutside = true }
    var (name, end) = (start + 1, start + 1)
    while end < text.count, Self.isOfName(text[end]) {
      if text[end] == UInt8(ascii: ":") { name = end + 1 }
      end += 1
    }
    func isNamed(_ word: StaticString) -> Bool {
      end - name == word.utf8CodeUnitCount && text.has(word, at: name) == .yes
    }
    if isNamed("text") { hasText = true }
    if isNamed("linearGradient") || isNamed("radialGradient") { stopsOfLast = 0 }
    if isNamed("stop") {
      stopsOfLast += 1
      stops = max(stops, stopsOfLast)
    }
    if isNamed("filter") || isNamed("mask") { hasLayers = true }
    // C2PA Technical Specification 2.1, A.3.5: within the element of metadata.
    if credentials == nil, end - start == 14, text.has("c2pa:manifest", at: start + 1) == .yes {
      credentials = content(of: text, from: end)
    }
    // A link only leads elsewhere, and scripts are not run.
    if end > start + 1, text[start + 1] != UInt8(ascii: "!"), text[start + 1] != UInt8(ascii: "?") { elements += 1 }
    guard end > start + 1, !isNamed("a"), !isNamed("script") else { return max(end, start + 1) }
    readAttributes(text, from: end, isPicture: isNamed("image") || isNamed("feImage"))
    return end
  }

  /// The text of an element whose name ends at a place; nil if it has none, or the document ends before it does.
  private func content(of text: MarkupText, from start: Int) -> Range<Int>? {
    guard let tag = text.find(">", from: start), text[tag - 1] != UInt8(ascii: "/"),
      let end = text.find("<", from: tag)
    else { return nil }
    return text.bytes(of: tag + 1..<end)
  }

  /// Looks for a reference among an element's attributes.
  private mutating func readAttributes(_ text: MarkupText, from start: Int, isPicture: Bool) {
    var place = start
    while place < text.count, text[place] != UInt8(ascii: ">") {
      let character = text[place]
      if character == UInt8(ascii: "\"") || character == UInt8(ascii: "'") {
        let content = place + 1
        place = content
        while place < text.count, text[place] != character { place += 1 }
        if isReference(text, before: content - 1), !isInside(text, content..<place) {
          refersOutside = true
          if isPicture, pictures.count < Self.mostPictures, let bytes = text.bytes(of: content..<place) {
            pictures.append(bytes)
          }
        }
      }
      place += 1
    }
  }

  /// Whether the attribute whose value begins at a place is `href`, in any namespace's prefix.
  private func isReference(_ text: MarkupText, before quote: Int) -> Bool {
    var end = quote
    while end > 0, MarkupText.isSpace(text[end - 1]) { end -= 1 }
    guard end > 0, text[end - 1] == UInt8(ascii: "=") else { return false }
    end -= 1
    while end > 0, MarkupText.isSpace(text[end - 1]) { end -= 1 }
    guard end > 4, text.has("href", at: end - 4) == .yes else { return false }
    return MarkupText.isSpace(text[end - 5]) || text[end - 5] == UInt8(ascii: ":")
  }

  /// Whether an address is in the file: a part of it, or data.
  private func isInside(_ text: MarkupText, _ range: Range<Int>) -> Bool {
    let start = text.afterSpace(range.lowerBound)
    return start >= range.upperBound || text[start] == UInt8(ascii: "#") || text.has("data:", at: start) == .yes
  }

  /// Whether `url(` stands here, with an address that is not in the file.
  private func isOutside(_ text: MarkupText, urlAt start: Int) -> Bool {
    guard text.has("url(", at: start) == .yes else { return false }
    var place = text.afterSpace(start + 4)
    if place < text.count, text[place] == UInt8(ascii: "\"") || text[place] == UInt8(ascii: "'") { place += 1 }
    if text.has("&quot;", at: place) == .yes { place += 6 }
    return place < text.count && !isInside(text, place..<text.count)
  }

  /// Whether an entity is declared, after whose name the address of a file stands.
  private func isOutside(_ text: MarkupText, entityAt start: Int) -> Bool {
    var place = text.afterSpace(start)
    if place < text.count, text[place] == UInt8(ascii: "%") { place = text.afterSpace(place + 1) }
    while place < text.count, Self.isOfName(text[place]) { place += 1 }
    place = text.afterSpace(place)
    return text.has("SYSTEM", at: place) == .yes || text.has("PUBLIC", at: place) == .yes
  }

  private static func isOfName(_ character: UInt8) -> Bool {
    !MarkupText.isSpace(character) && character != UInt8(ascii: ">") && character != UInt8(ascii: "/")
      && character != UInt8(ascii: "<")
  }
}
