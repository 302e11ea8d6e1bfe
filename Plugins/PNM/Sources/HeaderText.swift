// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Text in the header of a picture, or in place of one: numbers and words with white space between them.
///
/// A comment begins with `#` anywhere, also right behind a number, and counts as the end of its line (pbm(5):
/// "characters from a # to the next end of line, before the maxval line, are comments").
struct HeaderText {
  private let bytes: UnsafeRawBufferPointer
  /// Where `bytes` begin in the file.
  private let start: Int
  private var position: Int

  /// - Parameters:
  ///   - start: Where `bytes` begin in the file.
  ///   - position: The first of them that is text.
  init(_ bytes: UnsafeRawBufferPointer, from start: Int, at position: Int) {
    self.bytes = bytes
    self.start = start
    self.position = position
  }

  /// Where the next byte is in the file.
  var offset: Int { start + position }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  /// The next byte, or the line's end behind a comment.
  private mutating func next() -> UInt8? {
    guard position < bytes.count else { return nil }
    var byte = bytes[position]
    position += 1
    guard byte == UInt8(ascii: "#") else { return byte }
    while byte != 0x0A, byte != 0x0D {
      guard position < bytes.count else { return nil }
      byte = bytes[position]
      position += 1
    }
    return byte
  }

  private mutating func skipSpace(before what: String) throws(CoderError) -> UInt8 {
    while let byte = next() {
      if !Self.isSpace(byte) { return byte }
    }
    throw .truncated("the file ends before \(what)", at: offset)
  }

  /// A number and the one byte behind it.
  mutating func number(_ what: String) throws(CoderError) -> Int {
    var byte = try skipSpace(before: what)
    guard (0x30...0x39).contains(byte) else {
      throw .malformed("byte \(byte) where \(what) is expected", at: offset - 1)
    }
    var value = 0
    while (0x30...0x39).contains(byte) {
      value = min(value * 10 + Int(byte - 0x30), Int(Int32.max))
      guard let following = next() else {
        throw .truncated("the file ends in \(what)", at: offset)
      }
      byte = following
    }
    guard Self.isSpace(byte) else { throw .malformed("byte \(byte) behind \(what)", at: offset - 1) }
    return value
  }

  /// The words of a line, empty for a comment or an empty line; of PAM and PFM, whose headers consist of lines.
  mutating func line(_ what: String) throws(CoderError) -> [String] {
    let first = position
    while position < bytes.count, bytes[position] != 0x0A { position += 1 }
    guard position < bytes.count else { throw .truncated("the file ends in \(what)", at: offset) }
    defer { position += 1 }
    // No line that means something is longer.
    let line = bytes[first..<min(position, first + 256)]
    guard line.first != UInt8(ascii: "#") else { return [] }
    return line.split(whereSeparator: Self.isSpace).map { String(decoding: $0, as: UTF8.self) }
  }
}
