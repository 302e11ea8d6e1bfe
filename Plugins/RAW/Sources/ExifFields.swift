// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The fields of a directory that is written, one of each tag. A later one of the same tag takes its place.
struct ExifFields {
  /// Values have their low bytes first.
  static let writer = TIFFFieldWriter(order: .littleEndian)

  private var fields: [Int: TIFFField] = [:]

  var isEmpty: Bool { fields.isEmpty }
  var all: [TIFFField] { Array(fields.values) }

  /// Adds a field, or nothing.
  mutating func add(_ field: TIFFField?) {
    if let field { fields[field.tag] = field }
  }

  /// Takes over the fields of another directory.
  mutating func add(_ others: ExifFields) { fields.merge(others.fields) { $1 } }

  /// Adds a text of a file, unless it is of another type or empty.
  mutating func add(text field: TIFFField?) {
    guard let field, field.type == .ascii else { return }
    add(field.tag, text: String(decoding: field.value.prefix { $0 != 0 }, as: UTF8.self))
  }

  /// Adds a text, without spaces around it, unless it is empty.
  mutating func add(_ tag: Int, text: String) { add(Self.writer.text(tag, text)) }

  /// Adds a number of 16 bits, unless it is 0.
  mutating func add(_ tag: Int, short value: Int) {
    if UInt16(exactly: value) != nil, value > 0 { add(Self.writer.shorts(tag, [value])) }
  }

  /// Adds a number that has a meaning only above 0.
  mutating func add(_ tag: Int, positive value: Float) {
    if value.isFinite, value > 0 { add(tag, rationals: [value]) }
  }

  /// Adds numbers, unless one of them is negative or not a number.
  mutating func add(_ tag: Int, rationals values: [Float]) { add(Self.writer.rationals(tag, values)) }

  mutating func add(_ tag: Int, type: TIFFField.ValueType, _ value: [UInt8]) {
    add(Self.writer.undefined(tag, value, type: type))
  }
}
