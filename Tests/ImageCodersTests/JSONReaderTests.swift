// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import Testing

/// What RFC 8259 allows is read, and what it does not allow is named with its place.
@Suite struct JSONReaderTests {
  private func content(_ text: String) throws -> JSONValue.Content { try JSONValue(parsing: Array(text.utf8)).content }

  private func problem(_ bytes: [UInt8]) -> String? {
    let error = #expect(throws: TextProblem.self) { try JSONValue(parsing: bytes) }
    return error?.description
  }

  private func problem(_ text: String) -> String? { problem(Array(text.utf8)) }

  @Test(
    arguments: [
      ("0", 0), ("-0", 0), ("12", 12), ("-1.5", -1.5), ("1e3", 1000), ("1E+2", 100), ("25e-1", 2.5),
      ("9007199254740993", 9_007_199_254_740_992), ("1e-999", 0), ("1.7976931348623157e308", .greatestFiniteMagnitude),
    ] as [(String, Double)])
  func readsNumbers(_ text: String, _ value: Double) throws {
    #expect(try content(text) == .number(value, written: text))
  }

  @Test func readsWords() throws {
    #expect(try content(" true\r\n\t") == .boolean(true))
    #expect(try content("false") == .boolean(false))
    #expect(try content("null") == .null)
  }

  @Test(arguments: [
    (#""""#, ""), (#""a ä 𝄞""#, "a ä 𝄞"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u00e4\u00C4""#, "äÄ"),
    (#""\u0000""#, "\0"), (#""x\uD834\uDD1Ey""#, "x𝄞y"), ("\"\u{7F}\"", "\u{7F}"),
  ])
  func readsStrings(_ text: String, _ value: String) throws {
    #expect(try content(text) == .string(value))
  }

  @Test func knowsWhereEachValueBegins() throws {
    let value = try JSONValue(parsing: Array("{\n  \"ä\": [1,\n 22, {}],\"b\":null}".utf8))
    guard case .object(let members) = value.content else {
      Issue.record("\(value)")
      return
    }
    #expect(value.place == TextPlace(line: 1, column: 1))
    #expect(members.map(\.key) == ["ä", "b"])
    #expect(members.map(\.place) == [TextPlace(line: 2, column: 3), TextPlace(line: 3, column: 10)])
    #expect(members[1].value.place == TextPlace(line: 3, column: 14))
    guard case .list(let items) = members[0].value.content else {
      Issue.record("\(members)")
      return
    }
    #expect(
      items.map(\.place) == [
        TextPlace(line: 2, column: 9), TextPlace(line: 3, column: 2), TextPlace(line: 3, column: 6),
      ])
  }

  @Test(arguments: [
    ("", "line 1, column 1: found the end of the text, expected a value"),
    (" \n ", "line 2, column 2: found the end of the text, expected a value"),
    ("[1 2]", "line 1, column 4: found '2', expected ',' or ']'"),
    ("[1,]", "line 1, column 4: found ']', expected a value"),
    ("[,1]", "line 1, column 2: found ',', expected a value"),
    ("{\"a\" 1}", "line 1, column 6: found '1', expected ':'"),
    ("{a: 1}", "line 1, column 2: found a, expected a key or '}'"),
    ("{\"a\": 1,}", "line 1, column 9: found '}', expected a key"),
    ("{\"a\": 1 \"b\": 2}", "line 1, column 9: found '\"', expected ',' or '}'"),
    ("{\"a\":1,\n\"a\":2}", "line 2, column 1: the key \"a\" is there twice, first in line 1, column 2"),
    ("{\"a\":1,\"\\u0061\":2}", "line 1, column 8: the key \"a\" is there twice, first in line 1, column 2"),
    ("{} {}", "line 1, column 4: found '{', expected the end of the text"),
    ("1 // one", "line 1, column 3: found '/', expected the end of the text"),
    ("'a'", "line 1, column 1: found ''', expected a value"),
    ("ä", "line 1, column 1: found 'ä', expected a value"),
    ("[\u{200B}]", "line 1, column 2: found the character U+200B, expected a value"),
    ("\u{FEFF}1", "line 1, column 1: found a byte order mark, expected a value"),
    ("NaN", "line 1, column 1: found NaN, expected a value"),
    ("-Infinity", "line 1, column 2: found Infinity, expected a digit"),
    ("True", "line 1, column 1: found True, expected a value"),
    ("nul", "line 1, column 1: found nul, expected a value"),
    ("truer", "line 1, column 1: found truer, expected a value"),
  ])
  func refusesWhatIsNotAllowed(_ text: String, _ message: String) {
    #expect(problem(text) == message)
  }

  @Test(arguments: [
    ("01", "line 1, column 1: found a number that begins with 0, expected no more digits"),
    ("-012", "line 1, column 1: found a number that begins with 0, expected no more digits"),
    ("+1", "line 1, column 1: found '+', expected a value"), (".5", "line 1, column 1: found '.', expected a value"),
    ("1.", "line 1, column 3: found the end of the text, expected a digit"),
    ("1.e5", "line 1, column 3: found e, expected a digit"),
    ("1e", "line 1, column 3: found the end of the text, expected a digit"),
    ("1e+-2", "line 1, column 4: found '-', expected a digit"),
    ("-", "line 1, column 2: found the end of the text, expected a digit"),
    ("[0x10]", "line 1, column 3: found x, expected ',' or ']'"),
    ("1e999", "line 1, column 1: found 1e999, which is more than a 64-bit floating-point number holds"),
    ("-1e309", "line 1, column 1: found -1e309, which is more than a 64-bit floating-point number holds"),
  ])
  func refusesNumbersThatAreNone(_ text: String, _ message: String) {
    #expect(problem(text) == message)
  }

  @Test func boundsTheLengthOfANumber() throws {
    let longest = String(repeating: "1", count: 64)
    guard case .number(_, let written) = try content(longest) else {
      Issue.record("not a number")
      return
    }
    #expect(written == longest)
    #expect(problem(longest + "1") == "line 1, column 1: found a number of 65 characters; 64 are allowed")
  }

  @Test(arguments: [
    ("\"a", "line 1, column 1: found a string without end, expected '\"'"),
    ("[\"a\\\"]", "line 1, column 2: found a string without end, expected '\"'"),
    ("\"a\nb\"", "line 1, column 3: found the character U+000A, expected its escape in a string"),
    ("\"\0\"", "line 1, column 2: found the character U+0000, expected its escape in a string"),
    ("\"\\x\"", "line 1, column 3: found x, expected one of \"\\/bfnrtu"),
    ("\"\\u12g4\"", "line 1, column 6: found g, expected a hex digit"),
    ("\"\\u12\"", "line 1, column 6: found '\"', expected a hex digit"),
    ("\"ab\\uD834\"", "line 1, column 4: found \\uD834, which is half of a surrogate pair, without the other"),
    ("\"\\uD834x\"", "line 1, column 2: found \\uD834, which is half of a surrogate pair, without the other"),
    ("\"\\uD834\\u0041\"", "line 1, column 2: found \\uD834, which is half of a surrogate pair, without the other"),
    ("\"\\uDD1E\\uD834\"", "line 1, column 2: found \\uDD1E, which is half of a surrogate pair, without the other"),
  ])
  func refusesStringsThatAreNone(_ text: String, _ message: String) {
    #expect(problem(text) == message)
  }

  /// A byte of its own, an overlong form, half of a surrogate pair, a character that is cut.
  @Test(
    arguments: [
      ([0xFF], "0xFF"), ([0xC0, 0xAF], "0xC0"), ([0xED, 0xA0, 0x80], "0xED"), ([0xE2, 0x82], "0xE2"),
      ([0xF5, 0x80, 0x80, 0x80], "0xF5"),
    ] as [([UInt8], String)])
  func refusesWhatIsNotUTF8(_ bytes: [UInt8], _ shown: String) {
    let text = Array("[1,\n \"ä".utf8) + bytes + Array("\"]".utf8)
    #expect(problem(text) == "line 2, column 4: found byte \(shown), which is not UTF-8")
  }

  @Test func boundsTheDepth() throws {
    func nested(_ open: String, _ close: String, _ count: Int) -> String {
      String(repeating: open, count: count) + "1" + String(repeating: close, count: count)
    }
    #expect(throws: Never.self) { try content(nested("[", "]", 64)) }
    #expect(problem(nested("[", "]", 65)) == "line 1, column 65: lists and objects are more than 64 deep")
    #expect(throws: Never.self) { try content(nested("{\"a\":", "}", 64)) }
    #expect(problem(nested("{\"a\":", "}", 65)) == "line 1, column 321: lists and objects are more than 64 deep")
    #expect(
      problem(String(repeating: "[", count: 1 << 20)) == "line 1, column 65: lists and objects are more than 64 deep")
  }

  @Test func boundsTheSize() throws {
    let most = Array("[]".utf8) + [UInt8](repeating: 0x20, count: 98)
    #expect(try JSONValue(parsing: most, maxBytes: 100).content == .list([]))
    #expect(throws: TextProblem("the text has 101 bytes; 100 are allowed at most", at: TextPlace(line: 1, column: 1))) {
      try JSONValue(parsing: most + [0x20], maxBytes: 100)
    }
    let values = "[" + String(repeating: "0,", count: 65_534) + "0]"
    #expect(throws: Never.self) { try content(values) }
    #expect(problem("[0," + values.dropFirst()) == "line 1, column 131072: the text has more than 65536 values")
  }

  @Test func cutsALongKeyInAMessage() {
    let key = String(repeating: "k", count: 100)
    let shown = String(repeating: "k", count: 40)
    #expect(
      problem("{\"\(key)\":1,\"\(key)\":1}")
        == "line 1, column 107: the key \"\(shown)…\" is there twice, first in line 1, column 2")
  }
}
