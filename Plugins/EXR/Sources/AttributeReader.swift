// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Goes through the attributes of headers, one after the other.
///
/// - Format: OpenEXR File Layout, "Header": a name, the name of a type, a size and the value of each attribute; a byte of 0
///   ends the header.
struct AttributeReader {
  /// One attribute, with the place of its value in the file.
  struct Attribute {
    let name: String
    let type: String
    let value: Range<Int>
  }

  let source: SourceView
  private(set) var offset: Int
  private let longestName: Int

  init(_ source: SourceView, at offset: Int, longestName: Int) {
    self.source = source
    self.offset = offset
    self.longestName = longestName
  }

  /// Whether no further header begins here; the byte that says so is passed over.
  mutating func isAtEndOfHeaders() throws(CoderError) -> Bool {
    let reader = try source.reader(at: offset, count: 1, of: "the headers")
    guard try reader.uint8(at: 0, "the end of the headers") == 0 else { return false }
    offset += 1
    return true
  }

  /// The next attribute, or nil at the end of the header.
  mutating func next(limits: Limits) throws(CoderError) -> Attribute? {
    var reader = try source.reader(
      at: offset, count: 2 * (longestName + 1) + 4, order: .littleEndian, of: "the header")
    let name = try text(&reader, of: "an attribute's name")
    guard !name.isEmpty else {
      offset = reader.offset
      return nil
    }
    let type = try text(&reader, of: "the name of a type")
    let place = reader.offset
    let size = Int(try reader.uint32("the size of an attribute"))
    guard size <= Int(Int32.max) else {
      throw .malformed("an attribute of \(size) bytes, at most \(Int32.max) are allowed", at: place)
    }
    let value = reader.offset..<(reader.offset + size)
    guard value.upperBound <= source.size else {
      throw .truncated("an attribute of \(size) bytes, of which \(source.size - value.lowerBound) are there", at: place)
    }
    try limits.check(metadata: value.upperBound)
    offset = value.upperBound
    return Attribute(name: name, type: type, value: value)
  }

  /// Text that ends with a byte of 0.
  private func text(_ reader: inout ByteReader, of what: StaticString) throws(CoderError) -> String {
    let place = reader.offset
    guard let text = try reader.text(most: longestName) else {
      throw .malformed("\(what) of more than \(longestName) bytes", at: place)
    }
    return text
  }
}

extension ByteReader {
  /// Text up to a byte of 0, which is passed over, or nil if more bytes come before it.
  mutating func text(most: Int) throws(CoderError) -> String? {
    let start = position
    var length = 0
    while try uint8("the end of a text") != 0 {
      length += 1
      if length > most { return nil }
    }
    return String(decoding: try bytes(at: start, count: length))
  }

  mutating func int32(_ field: StaticString) throws(CoderError) -> Int {
    Int(Int32(bitPattern: try uint32(field)))
  }

  mutating func float(_ field: StaticString) throws(CoderError) -> Double {
    Double(Float(bitPattern: try uint32(field)))
  }

  mutating func double(_ field: StaticString) throws(CoderError) -> Double {
    Double(bitPattern: try uint64(field))
  }
}
