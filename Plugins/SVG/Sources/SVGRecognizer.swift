// SPDX-License-Identifier: Apache-2.0

import CSVGShim
import ImageCoderPlugin

/// Looks for the first element of a document: the name of SVG may stand anywhere in a file of another kind.
enum SVGRecognizer: FileRecognizer {
  /// Bytes that are inflated of a compressed document to find its first element.
  private static let most = 64 << 10

  /// gzip with Deflate, and the marks of UTF-8 and UTF-16: less of them says nothing yet.
  private static let beginnings: [[UInt8]] = [
    [0x1F, 0x8B, 8], [0xEF, 0xBB, 0xBF], [0xFF, 0xFE, 0x3C], [0xFE, 0xFF, 0],
  ]

  static func recognize(prefix: UnsafeRawBufferPointer, fileSize: Int?) -> FileRecognition {
    if prefix.count < 3, beginnings.contains(where: { $0.starts(with: prefix) }) { return .needMore }
    guard isCompressed(prefix) else { return recognize(MarkupText(prefix)) }
    guard let gzip = csvg_gzip_begin(prefix.baseAddress?.assumingMemoryBound(to: UInt8.self), prefix.count) else {
      return .no
    }
    defer { csvg_gzip_end(gzip) }
    return withUnsafeTemporaryAllocation(byteCount: most, alignment: 16) { room in
      var written = 0
      let state = csvg_gzip_inflate(gzip, room.baseAddress?.assumingMemoryBound(to: UInt8.self), room.count, &written)
      let answer = recognize(MarkupText(UnsafeRawBufferPointer(rebasing: room[..<written])))
      // The rest of a long comment is not worth more.
      return answer == .needMore && state != CSVG_GZIP_TRUNCATED ? .no : answer
    }
  }

  /// Whether bytes begin as a gzip file with Deflate does.
  static func isCompressed(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.count >= 3 && bytes[0] == 0x1F && bytes[1] == 0x8B && bytes[2] == 8
  }

  /// Goes over declarations, comments and the document type to the first element.
  static func recognize(_ text: MarkupText) -> FileRecognition {
    var place = text.afterSpace(0)
    while place < text.count {
      guard text[place] == UInt8(ascii: "<") else { return .no }
      if place + 1 >= text.count { return .needMore }
      switch text[place + 1] {
      case UInt8(ascii: "?"):
        guard let end = text.find("?>", from: place + 2) else { return .needMore }
        place = end + 2
      case UInt8(ascii: "!"):
        switch text.has("<!--", at: place) {
        case .cutOff: return .needMore
        case .yes:
          guard let end = text.find("-->", from: place + 4) else { return .needMore }
          place = end + 3
        case .no:
          guard text.has("<!DOCTYPE", at: place) != .no else { return .no }
          guard let end = endOfDocumentType(text, from: place) else { return .needMore }
          place = end
        }
      default: return recognizeElement(text, at: place + 1)
      }
      place = text.afterSpace(place)
    }
    return .needMore
  }

  /// After the document type, whose own declarations stand in brackets.
  private static func endOfDocumentType(_ text: MarkupText, from start: Int) -> Int? {
    var place = start
    var isInside = false
    while place < text.count {
      switch text[place] {
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        guard let end = endOfQuotes(text, from: place) else { return nil }
        place = end
      case UInt8(ascii: "["): isInside = true
      case UInt8(ascii: "]"): isInside = false
      case UInt8(ascii: "<") where isInside:
        if case .yes = text.has("<!--", at: place) {
          guard let end = text.find("-->", from: place + 4) else { return nil }
          place = end + 2
        }
      case UInt8(ascii: ">") where !isInside: return place + 1
      default: break
      }
      place += 1
    }
    return nil
  }

  private static func endOfQuotes(_ text: MarkupText, from start: Int) -> Int? {
    var place = start + 1
    while place < text.count {
      if text[place] == text[start] { return place }
      place += 1
    }
    return nil
  }

  /// Whether an element is `svg`, in any namespace's prefix.
  private static func recognizeElement(_ text: MarkupText, at start: Int) -> FileRecognition {
    var (name, end) = (start, start)
    while end < text.count, !MarkupText.isSpace(text[end]), text[end] != UInt8(ascii: ">"),
      text[end] != UInt8(ascii: "/")
    {
      if text[end] == UInt8(ascii: ":") { name = end + 1 }
      end += 1
      // A name that is longer is another one.
      if end - start > 256 { return .no }
    }
    guard end < text.count else { return .needMore }
    guard end - name == 3, case .yes = text.has("svg", at: name) else { return .no }
    return .yes
  }
}
