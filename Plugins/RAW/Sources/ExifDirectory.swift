// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A directory of tags that is written.
///
/// - Format: TIFF 6.0 §2.
struct ExifDirectory {
  enum FieldType: UInt16 {
    case byte = 1
    case ascii = 2
    case short = 3
    case long = 4
    case rational = 5
    case signedByte = 6
    case undefined = 7
    case signedShort = 8
    case signedLong = 9
    case signedRational = 10
    case float = 11
    case double = 12

    /// Bytes of one value.
    var size: Int {
      switch self {
      case .byte, .ascii, .signedByte, .undefined: 1
      case .short, .signedShort: 2
      case .long, .signedLong, .float: 4
      case .rational, .signedRational, .double: 8
      }
    }

    /// Bytes that have an order: fractions are two numbers.
    var unit: Int { self == .rational || self == .signedRational ? 4 : size }
  }

  private struct Field {
    let type: FieldType
    let value: [UInt8]
  }

  private var fields: [UInt16: Field] = [:]

  var isEmpty: Bool { fields.isEmpty }

  mutating func add(_ tag: UInt16, type: FieldType, _ value: [UInt8]) {
    fields[tag] = Field(type: type, value: value)
  }

  /// Takes over the fields of another directory; they replace those of the same tags.
  mutating func add(_ others: ExifDirectory) { fields.merge(others.fields) { $1 } }

  /// Adds a text, without spaces around it, unless it is empty.
  mutating func add(_ tag: UInt16, text: String) {
    func isBlank(_ character: UInt8) -> Bool { character <= 0x20 }
    let start = text.utf8.drop(while: isBlank)
    let blanks = start.reversed().prefix(while: isBlank).count
    let value = Array(start.dropLast(blanks))
    if !value.isEmpty { add(tag, type: .ascii, value + [0]) }
  }

  /// Adds a number of 16 bits, unless it is 0.
  mutating func add(_ tag: UInt16, short value: Int) {
    guard let value = UInt16(exactly: value), value > 0 else { return }
    add(tag, type: .short, Self.bytes(value))
  }

  mutating func add(_ tag: UInt16, long value: UInt32) { add(tag, type: .long, Self.bytes(value)) }

  mutating func replace(_ tag: UInt16, long value: Int) { add(tag, long: UInt32(clamping: value)) }

  /// Adds a number that has a meaning only above 0.
  mutating func add(_ tag: UInt16, positive value: Float) {
    if value.isFinite, value > 0 { add(tag, rationals: [value]) }
  }

  /// Adds numbers, unless one of them is negative or not a number.
  mutating func add(_ tag: UInt16, rationals values: [Float]) {
    guard values.allSatisfy({ $0.isFinite && $0 >= 0 && $0 < 1_000_000 }) else { return }
    add(tag, type: .rational, values.flatMap { Self.fraction($0) })
  }

  /// One over a whole number for times of exposure, else a number of thousandths.
  private static func fraction(_ value: Float) -> [UInt8] {
    let inverse = (1 / value).rounded()
    if value < 0.4, value > 1e-6, abs(1 / inverse - value) < value / 1000 {
      return bytes(UInt32(1)) + bytes(UInt32(inverse))
    }
    // Six digits are what a Float holds; for less than four thousand, ten thousandths fit as well.
    let scale: UInt32 = value < 4000 ? 10_000 : 1000
    let above = UInt32((Double(value) * Double(scale)).rounded())
    let divisor = commonDivisor(above, scale)
    return bytes(above / divisor) + bytes(scale / divisor)
  }

  private static func commonDivisor(_ first: UInt32, _ second: UInt32) -> UInt32 {
    var (larger, smaller) = (first, second)
    while smaller > 0 { (larger, smaller) = (smaller, larger % smaller) }
    return larger
  }

  private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }

  /// Values of more than four bytes follow the directory, each at an even place.
  var byteCount: Int {
    6 + fields.values.reduce(0) { $0 + 12 + ($1.value.count > 4 ? $1.value.count + $1.value.count % 2 : 0) }
  }

  /// Writes the directory, at an even place.
  func write(to writer: inout ByteWriter) {
    var end = writer.count + 6 + 12 * fields.count
    var values: [[UInt8]] = []
    writer.put(UInt16(clamping: fields.count))
    for (tag, field) in fields.sorted(by: { $0.key < $1.key }) {
      writer.put(tag)
      writer.put(field.type.rawValue)
      writer.put(UInt32(clamping: field.value.count / field.type.size))
      guard field.value.count > 4 else {
        writer.put(field.value + [UInt8](repeating: 0, count: 4 - field.value.count))
        continue
      }
      writer.put(UInt32(clamping: end))
      let padded = field.value + [UInt8](repeating: 0, count: field.value.count % 2)
      values.append(padded)
      end += padded.count
    }
    writer.put(UInt32(0))
    for value in values { writer.put(value) }
  }
}
