// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SVGCoder

@Suite struct PicturesBesideTests {
  @Test(
    arguments: [
      ("a.png", "a.png"), (" a.png\n", "a.png"), ("./a.png", "a.png"), ("a%20b.png", "a b.png"), ("a b.png", "a b.png"),
      ("%2e%2e", ".."), ("a%2Fb", "a/b"), ("", nil), (" ", nil), ("./", nil), ("a/b.png", nil), ("/a", nil),
      ("../a", nil), ("http:a", nil), ("a.svg#b", nil), ("a?b", nil), ("a&amp;b", nil), ("{stem}.png", nil),
      ("a%2", nil),
      ("a%", nil), ("a%g0", nil),
    ] as [(String, String?)])
  func aNameIsThatOfAFileInTheFolder(_ reference: String, _ name: String?) {
    let found = Array(reference.utf8).withUnsafeBytes { PicturesBeside.fileName($0) }
    #expect(found == name.map { Array($0.utf8) })
  }

  @Test(
    arguments: [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy"), ("\u{FF}~", "w79+")])
  func writesBase64(_ bytes: String, _ text: String) {
    var written: [UInt8] = []
    Array(bytes.utf8).withUnsafeBytes { PicturesBeside.append($0, to: &written) }
    #expect(String(decoding: written, as: UTF8.self) == text)
  }
}
