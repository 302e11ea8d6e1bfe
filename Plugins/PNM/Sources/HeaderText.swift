// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Text in the header of a picture: numbers and words with white space between them.
///
/// A comment begins with `#` anywhere, also right after a number, and counts as the end of its line (pbm(5):
/// "characters from a # to the next end of line, before the maxval line, are comments").
extension ByteReader {
  /// The next byte, or the end of the line after a comment; nil at the end.
  private mutating func headerByte() throws(CoderError) -> UInt8? {
    guard !isAtEnd else { return nil }
    var byte = try uint8()
    guard byte == UInt8(ascii: "#") else { return byte }
    while byte != 0x0A, byte != 0x0D {
      guard !isAtEnd else { return nil }
      byte = try uint8()
    }
    return byte
  }

  private mutating func headerByteAfterSpace(before what: String) throws(CoderError) -> UInt8 {
    while let byte = try headerByte() {
      if !byte.isPNMSpace { return byte }
    }
    throw .truncated("the file ends before \(what)", at: offset)
  }

  /// A number and the one byte after it.
  mutating func headerNumber(_ what: String) throws(CoderError) -> Int {
    var byte = try headerByteAfterSpace(before: what)
    guard (0x30...0x39).contains(byte) else {
      throw .malformed("byte \(byte) where \(what) is expected", at: offset - 1)
    }
    var value = 0
    while (0x30...0x39).contains(byte) {
      value = min(value * 10 + Int(byte - 0x30), Int(Int32.max))
      guard let following = try headerByte() else {
        throw .truncated("the file ends in \(what)", at: offset)
      }
      byte = following
    }
    guard byte.isPNMSpace else { throw .malformed("byte \(byte) after \(what)", at: offset - 1) }
    return value
  }

  /// The words of a line, empty for a comment or an empty line; of PAM and PFM, whose headers consist of lines.
  mutating func headerLine(_ what: String) throws(CoderError) -> [String] {
    let first = position
    var length = 0
    while true {
      guard !isAtEnd else { throw .truncated("the file ends in \(what)", at: offset) }
      if try uint8() == 0x0A { break }
      length += 1
    }
    // No line that means something is longer.
    let line = [UInt8](copying: try bytes(at: first, count: min(length, 256)))
    guard line.first != UInt8(ascii: "#") else { return [] }
    return line.split(whereSeparator: \.isPNMSpace).map { String(decoding: $0, as: UTF8.self) }
  }
}

extension UInt8 {
  /// White space as Netpbm has it: of ASCII.
  var isPNMSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}
