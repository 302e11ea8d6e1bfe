// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Values of attributes as properties.
///
/// - Format: OpenEXR File Layout, "Predefined Attribute Types".
enum AttributeValue {
  /// The most bytes of a text or list that becomes a property.
  static let longest = 64 << 10

  /// The value as a property, or nil for a type that is none, such as a preview, and for what is not well formed.
  static func property(of type: String, _ reader: inout ByteReader) -> PropertyValue? {
    do throws(CoderError) { return try read(type, &reader) } catch { return nil }
  }

  private static func read(_ type: String, _ reader: inout ByteReader) throws(CoderError) -> PropertyValue? {
    switch type {
    case "string": return .text(String(decoding: try reader.bytes(reader.remaining)))
    case "stringvector": return try strings(&reader)
    case "int": return .integer(Int64(try reader.int32("a number")))
    case "float": return number(try reader.float("a number"))
    case "double": return number(try reader.double("a number"))
    case "rational": return try quotient(&reader)
    case "v2i", "v3i", "box2i", "keycode", "timecode": return try list(&reader) { .integer(Int64($0)) }
    case "v2f", "v3f", "box2f", "m33f", "m44f", "chromaticities", "floatvector":
      return try list(&reader) { number(Double(Float(bitPattern: UInt32(bitPattern: $0)))) }
    case "v2d", "v3d", "m33d", "m44d":
      var values: [PropertyValue] = []
      while !reader.isAtEnd {
        guard let value = number(try reader.double("a number")) else { return nil }
        values.append(value)
      }
      return .list(values)
    default: return nil
    }
  }

  /// JSON has no infinity, and properties are compared.
  static func number(_ value: Double) -> PropertyValue? { value.isFinite ? .number(value) : nil }

  private static func list(
    _ reader: inout ByteReader, _ value: (Int32) -> PropertyValue?
  ) throws(CoderError) -> PropertyValue? {
    var values: [PropertyValue] = []
    while !reader.isAtEnd {
      guard let value = value(Int32(bitPattern: try reader.uint32("a number"))) else { return nil }
      values.append(value)
    }
    return .list(values)
  }

  private static func quotient(_ reader: inout ByteReader) throws(CoderError) -> PropertyValue? {
    let numerator = try reader.int32("a numerator")
    let denominator = try reader.uint32("a denominator")
    return denominator == 0 ? nil : .number(Double(numerator) / Double(denominator))
  }

  private static func strings(_ reader: inout ByteReader) throws(CoderError) -> PropertyValue {
    var values: [PropertyValue] = []
    while !reader.isAtEnd {
      let length = Int(try reader.uint32("the length of a text"))
      values.append(.text(String(decoding: try reader.bytes(length, "a text"))))
    }
    return .list(values)
  }
}
