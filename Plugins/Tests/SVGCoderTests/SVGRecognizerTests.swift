// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import Testing

@testable import SVGCoder

@Suite struct SVGRecognizerTests {
  private static func answer(_ bytes: [UInt8]) -> FileRecognition {
    bytes.withUnsafeBytes { SVGRecognizer.recognize(prefix: $0, fileSize: nil) }
  }

  private static func answer(_ text: String) -> FileRecognition { answer(Array(text.utf8)) }

  @Test(arguments: [
    "<svg>", "<svg/>", " \n<svg xmlns='a'>", "<s:svg>", "<?xml version='1.0'?><svg>", "<!-- <html> -->\n<svg>",
    "<!DOCTYPE svg><svg>", "<!DOCTYPE svg [ <!ENTITY a '>'> <!-- ]> --> ]><svg>",
    "<!DOCTYPE svg PUBLIC \"]>\" '[' ><svg>",
  ])
  func findsTheFirstElement(_ text: String) { #expect(Self.answer(text) == .yes) }

  @Test(arguments: ["<html><svg>", "<svgs>", "<sv>", "a<svg>", "<svg:a>", "<!ELEMENT svg><svg>", "<>", "\u{1F}\u{8B}"])
  func refusesOtherFirstElements(_ text: String) { #expect(Self.answer(text) == .no) }

  @Test(arguments: [
    "", "<", "<svg", "<?xml ?>", "<!-- <svg>", "<!DOC", "<!DOCTYPE svg [ <!ENTITY a '>", "<!-- ", "<!-",
  ])
  func asksForMoreOfABeginning(_ text: String) { #expect(Self.answer(text) == .needMore) }

  @Test func noPrefixOfADocumentIsRefused() {
    let text = Array("<?xml version='1.0'?>\n<!-- a --><!DOCTYPE svg [<!ENTITY b \">\">]> <svg>".utf8)
    for count in 0..<text.count { #expect(Self.answer(Array(text[..<count])) == .needMore, "\(count) bytes") }
    #expect(Self.answer(text) == .yes)
  }

  @Test(arguments: [[0x1F], [0x1F, 0x8B], [0xEF], [0xEF, 0xBB], [0xFF], [0xFE]] as [[UInt8]])
  func marksMayFollow(_ bytes: [UInt8]) { #expect(Self.answer(bytes) == .needMore) }

  @Test func namesHaveAnEnd() {
    #expect(Self.answer("<" + String(repeating: "a", count: 300)) == .no)
  }

  @Test(arguments: [true, false], [true, false]) func readsUTF16(_ isLittle: Bool, _ hasMark: Bool) {
    let units = (hasMark ? [UInt16(0xFEFF)] : []) + Array("<!-- \u{4E00} --><svg>".utf16)
    let bytes = units.flatMap {
      isLittle ? [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] : [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)]
    }
    #expect(Self.answer(bytes) == .yes)
    #expect(Self.answer(Array(bytes.dropLast(2))) == .needMore)
  }

  /// gzip's head, and a stored block of Deflate (RFC 1951, 3.2.4).
  private static func packed(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    let count = UInt16(bytes.count)
    let counts = [count, ~count].flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255, 1] + counts + bytes
  }

  @Test func looksIntoCompressedFiles() {
    #expect(Self.answer(Self.packed("<!-- a --><svg>")) == .yes)
    #expect(Self.answer(Self.packed("<html>")) == .no)
    #expect(Self.answer(Array(Self.packed("<!-- a --><svg>").dropLast(6))) == .needMore)
    #expect(Self.answer([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255, 7]) == .no)
  }
}
