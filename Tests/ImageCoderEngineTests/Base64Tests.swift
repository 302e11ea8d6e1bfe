// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import Testing

@Suite struct Base64Tests {
  /// RFC 4648 §10.
  static let examples = [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"),
    ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
  ]

  @Test(arguments: examples) func writesAndReadsTheExamplesOfTheStandard(_ plain: String, _ letters: String) {
    #expect(Base64.text(Array(plain.utf8)) == Array(letters.utf8))
    #expect(Base64.bytes(letters.utf8) == Array(plain.utf8))
  }

  @Test func readsAllLetters() {
    // 62 and 63 are the last two letters: 0b111110_111111_111110_111111.
    #expect(Base64.bytes("+/+/".utf8) == [0xFB, 0xFF, 0xBF])
    #expect(Base64.bytes("AZaz09".utf8) == [0x01, 0x96, 0xB3, 0xD3])
  }

  @Test func takesWhiteSpaceAndMissingPadding() {
    #expect(Base64.bytes("Zm9v\r\n\t Yg".utf8) == Array("foob".utf8))
    #expect(Base64.bytes("Zm9vYg = =".utf8) == Array("foob".utf8))
  }

  @Test(arguments: ["Z", "Zm9vY", "Zg==Zg==", "Zg=a", "Zg===", "Zm9-", "Zm9v\u{0}", "é"])
  func refusesWhatIsNone(_ text: String) { #expect(Base64.bytes(text.utf8) == nil) }
}
