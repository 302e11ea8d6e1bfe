// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The tags of an XML text, one after the other.
///
/// Comments, instructions and character data are passed over. Text that is not well-formed ends the walk, or yields tags
/// that mean nothing; it takes no more time than its length.
struct TagScanner {
  /// A start tag, an end tag or the tag of an empty element.
  struct Tag {
    enum Kind { case start, end, empty }

    let kind: Kind
    let name: Range<Int>
    /// What stands after the name, up to the tag's last angle bracket.
    let attributes: Range<Int>
    /// With both angle brackets.
    let whole: Range<Int>
  }

  /// An attribute of a tag.
  struct Attribute {
    let name: Range<Int>
    /// Without quotation marks, as it is written.
    let value: Range<Int>
    /// With the white space in front of it.
    let whole: Range<Int>
  }

  private let bytes: [UInt8]
  private var offset = 0
  /// How many bytes have been looked at, each as often as it was: a measure of time that no clock changes.
  private(set) var bytesLookedAt = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func next() -> Tag? {
    while let start = place(of: UInt8(ascii: "<"), from: offset) {
      if begins("<!--", at: start) {
        pass("-->", from: start + 4)
      } else if begins("<![CDATA[", at: start) {
        pass("]]>", from: start + 9)
      } else if begins("<?", at: start) {
        pass("?>", from: start + 2)
      } else if begins("<!", at: start) {
        pass(">", from: start + 2)
      } else {
        return tag(at: start)
      }
    }
    return nil
  }

  /// The attributes of a tag, up to one that cannot be read.
  mutating func attributes(of tag: Tag) -> [Attribute] {
    bytesLookedAt += tag.attributes.count
    var attributes: [Attribute] = []
    var index = tag.attributes.lowerBound
    let end = tag.attributes.upperBound
    let bytes = bytes
    func pass(while condition: (UInt8) -> Bool) { while index < end, condition(bytes[index]) { index += 1 } }
    while true {
      let start = index
      pass(while: Self.isSpace)
      let nameStart = index
      pass { !Self.isSpace($0) && $0 != UInt8(ascii: "=") }
      let name = nameStart..<index
      pass(while: Self.isSpace)
      guard index < end, bytes[index] == UInt8(ascii: "=") else { return attributes }
      index += 1
      pass(while: Self.isSpace)
      guard index < end, Self.isQuote(bytes[index]) else { return attributes }
      let quote = bytes[index]
      let valueStart = index + 1
      index = valueStart
      pass { $0 != quote }
      guard index < end else { return attributes }
      attributes.append(Attribute(name: name, value: valueStart..<index, whole: start..<(index + 1)))
      index += 1
    }
  }

  private mutating func tag(at start: Int) -> Tag? {
    defer { bytesLookedAt += offset - start }
    let isEnd = begins("</", at: start)
    let nameStart = start + (isEnd ? 2 : 1)
    var index = nameStart
    while index < bytes.count, !Self.isSpace(bytes[index]), bytes[index] != UInt8(ascii: "/"),
      bytes[index] != UInt8(ascii: ">")
    { index += 1 }
    let name = nameStart..<index
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: ">") {
        offset = index + 1
        let isEmpty = !isEnd && index > name.upperBound && bytes[index - 1] == UInt8(ascii: "/")
        return Tag(
          kind: isEnd ? .end : isEmpty ? .empty : .start, name: name, attributes: name.upperBound..<index,
          whole: start..<offset)
      }
      guard Self.isQuote(byte) else {
        index += 1
        continue
      }
      guard let end = place(of: byte, from: index + 1) else { break }
      index = end + 1
    }
    offset = bytes.count
    return nil
  }

  /// Moves past a text that ends in an angle bracket, or to the end.
  private mutating func pass(_ text: StaticString, from start: Int) {
    let length = text.utf8CodeUnitCount
    var from = start
    while let end = place(of: UInt8(ascii: ">"), from: from) {
      from = end + 1
      if from - length >= start, begins(text, at: from - length) {
        offset = from
        return
      }
    }
    offset = bytes.count
  }

  private mutating func begins(_ text: StaticString, at start: Int) -> Bool {
    bytesLookedAt += text.utf8CodeUnitCount
    return bytes.count - start >= text.utf8CodeUnitCount
      && text.withUTF8Buffer { $0.elementsEqual(bytes[start..<start + $0.count]) }
  }

  private mutating func place(of byte: UInt8, from start: Int) -> Int? {
    guard start < bytes.count else { return nil }
    let found = bytes.withUnsafeBytes { all in
      all.baseAddress.flatMap { base in
        memchr(base + start, Int32(byte), all.count - start).map { base.distance(to: UnsafeRawPointer($0)) }
      }
    }
    bytesLookedAt += (found ?? bytes.count) - start
    return found
  }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  private static func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }
}
