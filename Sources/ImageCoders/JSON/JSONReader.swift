// SPDX-License-Identifier: Apache-2.0

/// Reads JSON texts, and says where one is wrong.
///
/// - Format: RFC 8259, in UTF-8 and without a byte order mark. Stricter than that in one respect: an object must not
///   have a key twice.
package struct JSONReader {
  /// How many lists and objects may lie in one another.
  static let maxDepth = 64
  /// How many values a text may have where its reader does not say.
  package static let maxValues = 65_536
  /// How many members an object may have whose keys are compared one by one.
  private static let shortObject = 24
  /// How many characters a number may have.
  static let maxNumberLength = 64

  private let bytes: [UInt8]
  private let maxValues: Int
  private var offset = 0
  private var depth = 0
  private var valueCount = 0
  /// The line that is read, and the offset at which its first character would begin if all before here had one byte.
  private var (line, lineStart) = (1, 0)

  private init(_ bytes: [UInt8], maxValues: Int) {
    self.bytes = bytes
    self.maxValues = maxValues
  }

  static func value(of bytes: [UInt8], maxBytes: Int, maxValues: Int) throws(TextProblem) -> JSONValue {
    var reader = JSONReader(bytes, maxValues: maxValues)
    guard bytes.count <= maxBytes else {
      throw TextProblem("the text has \(bytes.count) bytes; \(maxBytes) are allowed at most", at: reader.here)
    }
    try reader.checkEncoding()
    reader.skipSpace()
    let value = try reader.value()
    reader.skipSpace()
    guard reader.offset == bytes.count else { throw reader.unexpected("the end of the text") }
    return value
  }

  private func checkEncoding() throws(TextProblem) {
    var invalid: Int?
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: bytes.span)
    } catch {
      invalid = error.byteOffsets.lowerBound
    }
    if let invalid {
      throw TextProblem("found byte 0x\(Self.hex(UInt32(bytes[invalid]), 2)), which is not UTF-8", at: place(invalid))
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      throw TextProblem("found a byte order mark, expected a value", at: place(0))
    }
  }

  // MARK: Values

  private mutating func value() throws(TextProblem) -> JSONValue {
    valueCount += 1
    let start = here
    guard valueCount <= maxValues else {
      throw TextProblem("the text has more than \(maxValues) values", at: start)
    }
    switch current {
    case UInt8(ascii: "{"):
      return JSONValue(.object(try nested { (reader) throws(TextProblem) in try reader.object() }), at: start)
    case UInt8(ascii: "["):
      return JSONValue(.list(try nested { (reader) throws(TextProblem) in try reader.list() }), at: start)
    case UInt8(ascii: "\""): return JSONValue(.string(try string()), at: start)
    case UInt8(ascii: "-"): return JSONValue(try number(at: start), at: start)
    case _ where isDigit: return JSONValue(try number(at: start), at: start)
    default: break
    }
    for (word, content) in [("true", JSONValue.Content.boolean(true)), ("false", .boolean(false)), ("null", .null)]
    where self.word == word {
      offset += word.utf8.count
      return JSONValue(content, at: start)
    }
    throw unexpected("a value")
  }

  private mutating func nested<Items>(
    _ body: (inout JSONReader) throws(TextProblem) -> Items
  ) throws(TextProblem) -> Items {
    guard depth < Self.maxDepth else {
      throw TextProblem("lists and objects are more than \(Self.maxDepth) deep", at: here)
    }
    depth += 1
    offset += 1
    skipSpace()
    let items = try body(&self)
    depth -= 1
    return items
  }

  private mutating func list() throws(TextProblem) -> [JSONValue] {
    var items: [JSONValue] = []
    if skip("]") { return items }
    while true {
      items.append(try value())
      skipSpace()
      if skip("]") { return items }
      guard skip(",") else { throw unexpected("',' or ']'") }
      skipSpace()
    }
  }

  private mutating func object() throws(TextProblem) -> [JSONValue.Member] {
    var members: [JSONValue.Member] = []
    // Of a long object, where each key is; a short one is looked through.
    var places: [String: TextPlace] = [:]
    if skip("}") { return members }
    members.reserveCapacity(4)
    while true {
      guard current == UInt8(ascii: "\"") else { throw unexpected(members.isEmpty ? "a key or '}'" : "a key") }
      let start = here
      let key = try string()
      if let first = members.count < Self.shortObject ? members.first(where: { $0.key == key })?.place : places[key] {
        throw TextProblem("the key \(key.quoted) is there twice, first in \(first)", at: start)
      }
      skipSpace()
      guard skip(":") else { throw unexpected("':'") }
      skipSpace()
      members.append(JSONValue.Member(key: key, place: start, value: try value()))
      if members.count == Self.shortObject {
        for member in members { places[member.key] = member.place }
      } else if members.count > Self.shortObject {
        places[key] = start
      }
      skipSpace()
      if skip("}") { return members }
      guard skip(",") else { throw unexpected("',' or '}'") }
      skipSpace()
    }
  }

  // RFC 8259 §6.
  private mutating func number(at start: TextPlace) throws(TextProblem) -> JSONValue.Content {
    let first = offset
    skip("-")
    if skip("0") {
      if isDigit { throw TextProblem("found a number that begins with 0, expected no more digits", at: start) }
    } else {
      try digits()
    }
    if skip(".") { try digits() }
    if skip("e") || skip("E") {
      if !skip("+") { skip("-") }
      try digits()
    }
    let written = String(decoding: bytes[first..<offset], as: UTF8.self)
    guard written.utf8.count <= Self.maxNumberLength else {
      throw TextProblem(
        "found a number of \(written.utf8.count) characters; \(Self.maxNumberLength) are allowed", at: start)
    }
    guard let value = Double(written), value.isFinite else {
      throw TextProblem("found \(written), which is more than a 64-bit floating-point number holds", at: start)
    }
    return .number(value, written: written)
  }

  private mutating func digits() throws(TextProblem) {
    guard isDigit else { throw unexpected("a digit") }
    while isDigit { offset += 1 }
  }

  // MARK: Strings

  // RFC 8259 §7.
  private mutating func string() throws(TextProblem) -> String {
    let start = offset
    offset += 1
    var text: [UInt8] = []
    var copied = offset
    while true {
      skipPlain()
      guard let byte = current else { break }
      switch byte {
      case UInt8(ascii: "\""):
        let last = bytes[copied..<offset]
        offset += 1
        // Most strings have nothing to unescape.
        return text.isEmpty ? String(decoding: last, as: UTF8.self) : String(decoding: text + last, as: UTF8.self)
      case UInt8(ascii: "\\"):
        text += bytes[copied..<offset]
        text += UTF8.encode(try escaped()) ?? UTF8.encodedReplacementCharacter
        copied = offset
      default: throw unexpected("its escape in a string")
      }
    }
    throw TextProblem("found a string without end, expected '\"'", at: place(start))
  }

  /// Skips characters of a string that stand for themselves.
  private mutating func skipPlain() {
    (offset, lineStart) = bytes.withUnsafeBufferPointer { bytes in
      var (end, start) = (offset, lineStart)
      while end < bytes.count {
        let byte = bytes[end]
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
        end &+= 1
        start &+= Self.isContinuation(byte) ? 1 : 0
      }
      return (end, start)
    }
  }

  /// The character of an escape sequence, which begins here.
  private mutating func escaped() throws(TextProblem) -> Unicode.Scalar {
    let start = offset
    offset += 1
    let simple: [UInt8: Unicode.Scalar] = [
      UInt8(ascii: "\""): "\"", UInt8(ascii: "\\"): "\\", UInt8(ascii: "/"): "/", UInt8(ascii: "b"): "\u{8}",
      UInt8(ascii: "f"): "\u{C}", UInt8(ascii: "n"): "\n", UInt8(ascii: "r"): "\r", UInt8(ascii: "t"): "\t",
    ]
    if let current, let scalar = simple[current] {
      offset += 1
      return scalar
    }
    guard current == UInt8(ascii: "u") else { throw unexpected("one of \"\\/bfnrtu") }
    let unit = try codeUnit()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    if unit < 0xDC00, current == UInt8(ascii: "\\"), offset + 1 < bytes.count, bytes[offset + 1] == UInt8(ascii: "u") {
      offset += 1
      let low = try codeUnit()
      if (0xDC00...0xDFFF).contains(low), let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
      {
        return scalar
      }
    }
    throw TextProblem(
      "found \\u\(Self.hex(unit, 4)), which is half of a surrogate pair, without the other", at: place(start))
  }

  /// Four hex digits after a `u`, which is here.
  private mutating func codeUnit() throws(TextProblem) -> UInt32 {
    offset += 1
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = current, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw unexpected("a hex digit")
      }
      unit = unit << 4 | UInt32(digit)
      offset += 1
    }
    return unit
  }

  // MARK: Characters

  private var current: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private var isDigit: Bool { current.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false }

  /// The letters from here on; a text that is no JSON may have any number of them.
  private var word: String {
    let letters = bytes[offset...].prefix(32).prefix {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20)
    }
    return String(decoding: letters, as: UTF8.self)
  }

  @discardableResult
  private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
    guard current == UInt8(ascii: scalar) else { return false }
    offset += 1
    return true
  }

  // RFC 8259 §2.
  private mutating func skipSpace() {
    while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      offset += 1
      if byte == 0x0A { (line, lineStart) = (line + 1, offset) }
    }
  }

  private func unexpected(_ expected: String) -> TextProblem {
    TextProblem("found \(found), expected \(expected)", at: place(offset))
  }

  /// What is here, for a person.
  private var found: String {
    guard let byte = current else { return "the end of the text" }
    if !word.isEmpty { return word }
    // The text is valid UTF-8, so that it has a character here.
    let scalar = String(decoding: bytes[offset...].prefix(4), as: UTF8.self).unicodeScalars.first ?? "\u{FFFD}"
    if byte < 0x20 || scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format {
      return "the character U+\(Self.hex(scalar.value, 4))"
    }
    return "'\(scalar)'"
  }

  private static func hex(_ value: UInt32, _ count: Int) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }

  private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

  /// The place of what is read next. Every value has one, so it is not looked for.
  private var here: TextPlace { TextPlace(line: line, column: offset - lineStart + 1) }

  /// The place of any offset, looked for from the beginning: for a problem.
  private func place(_ offset: Int) -> TextPlace {
    let before = bytes[..<offset]
    let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    return TextPlace(
      line: 1 + before.count { $0 == 0x0A }, column: 1 + before[lineStart...].count { !Self.isContinuation($0) })
  }
}
