// SPDX-License-Identifier: Apache-2.0

/// Makes fields and directories of a TIFF structure in one byte order.
///
/// - Format: TIFF 6.0 §2; BigTIFF.
public struct TIFFFieldWriter: Sendable {
  /// The byte order of all that it makes.
  public let order: ByteOrder
  /// Whether offsets and counts have 8 bytes.
  public let isBigTIFF: Bool

  /// - Parameter isBigTIFF: Whether offsets and counts have 8 bytes. Those of Exif have 4.
  public init(order: ByteOrder, isBigTIFF: Bool = false) {
    self.order = order
    self.isBigTIFF = isBigTIFF
  }

  /// Bytes of the header.
  public var headerSize: Int { isBigTIFF ? 16 : 8 }
  /// Bytes of an offset.
  public var offsetSize: Int { isBigTIFF ? 8 : 4 }

  private func bytes(_ values: [Int], width: Int) -> [UInt8] {
    var writer = ByteWriter(order: order, capacity: values.count * width)
    for value in values { writer.put(UInt64(truncatingIfNeeded: value), bytes: width) }
    return writer.bytes
  }

  // MARK: Fields

  /// Whole numbers, of which the low 16 bits count.
  public func shorts(_ tag: Int, _ values: [Int]) -> TIFFField {
    TIFFField(tag: tag, type: .short, count: values.count, value: bytes(values, width: 2))
  }

  /// A whole number, of which the low 32 bits count.
  public func long(_ tag: Int, _ value: Int) -> TIFFField {
    TIFFField(tag: tag, type: .long, count: 1, value: bytes([value], width: 4))
  }

  /// Offsets or lengths: as wide as the structure's offsets.
  public func offsets(_ tag: Int, _ values: [Int]) -> TIFFField {
    TIFFField(
      tag: tag, type: isBigTIFF ? .long8 : .long, count: values.count, value: bytes(values, width: offsetSize))
  }

  /// Bytes as they are.
  ///
  /// - Parameter type: One whose values have one byte.
  public func undefined(_ tag: Int, _ value: [UInt8], type: TIFFField.ValueType = .undefined) -> TIFFField {
    TIFFField(tag: tag, type: type, count: value.count, value: value)
  }

  /// A text without the spaces around it; nil for one that is empty then.
  public func text(_ tag: Int, _ text: String) -> TIFFField? {
    func isBlank(_ character: UInt8) -> Bool { character <= 0x20 }
    let start = text.utf8.drop(while: isBlank)
    let blanks = start.reversed().prefix(while: isBlank).count
    let value = Array(start.dropLast(blanks))
    return value.isEmpty ? nil : undefined(tag, value + [0], type: .ascii)
  }

  /// Numbers as fractions: one over a whole number for short times of exposure, else ten thousandths or thousandths.
  ///
  /// - Returns: Nil if one of them is negative, a million or more, or no number.
  public func rationals(_ tag: Int, _ values: [Float]) -> TIFFField? {
    guard values.allSatisfy({ $0.isFinite && $0 >= 0 && $0 < 1_000_000 }) else { return nil }
    let numbers = values.map(Self.fraction).flatMap { [$0.above, $0.below] }
    return TIFFField(tag: tag, type: .rational, count: values.count, value: bytes(numbers, width: 4))
  }

  private static func fraction(_ value: Float) -> (above: Int, below: Int) {
    let inverse = (1 / value).rounded()
    if value < 0.4, value > 1e-6, abs(1 / inverse - value) < value / 1000 { return (1, Int(inverse)) }
    // Six digits are what a Float holds; for less than four thousand, ten thousandths fit as well.
    let scale = value < 4000 ? 10_000 : 1000
    let above = Int((Double(value) * Double(scale)).rounded())
    let divisor = commonDivisor(above, scale)
    return (above / divisor, scale / divisor)
  }

  private static func commonDivisor(_ first: Int, _ second: Int) -> Int {
    var (larger, smaller) = (first, second)
    while smaller > 0 { (larger, smaller) = (smaller, larger % smaller) }
    return larger
  }

  // MARK: Structures

  /// An offset as the header and the entries have it.
  public func offset(_ value: Int) -> [UInt8] { bytes([value], width: offsetSize) }

  /// The header of a structure.
  public func header(firstDirectory: Int) -> [UInt8] {
    var writer = ByteWriter(order: order)
    writer.put(order == .bigEndian ? "MM" : "II")
    writer.put(UInt16(isBigTIFF ? 43 : 42))
    if isBigTIFF {
      writer.put(UInt16(8))  // bytes of an offset
      writer.put(UInt16(0))
    }
    writer.put(offset(firstDirectory))
    return writer.bytes
  }

  /// A directory that begins at an even offset: its entries by their tags, a link to the next, and the values that are too
  /// long for them, each at an even offset.
  ///
  /// - Parameters:
  ///   - place: Of the directory in the structure.
  ///   - next: Of the next directory, or 0.
  /// - Throws: ``CoderError/Code/outOfMemory``.
  public func directory(_ fields: [TIFFField], at place: Int, next: Int = 0) throws(CoderError) -> [UInt8] {
    let sorted = fields.sorted { $0.tag < $1.tag }
    let countSize = isBigTIFF ? 8 : 2
    let values = place + countSize + sorted.count * (isBigTIFF ? 20 : 12) + offsetSize
    var head = ByteWriter(order: order)
    var tail = ByteWriter(order: order)
    let count = fields.reduce(0) { $0 + $1.value.count + 1 }
    try tail.reserve(count, for: "metadata")
    try head.reserve(values - place + count, for: "metadata")
    head.put(UInt64(sorted.count), bytes: countSize)
    for field in sorted {
      head.put(UInt16(truncatingIfNeeded: field.tag))
      head.put(UInt16(truncatingIfNeeded: field.type.rawValue))
      head.put(UInt64(truncatingIfNeeded: field.count), bytes: offsetSize)
      if field.value.count <= offsetSize {
        head.put(field.value)
        head.putZeros(offsetSize - field.value.count)
      } else {
        head.put(offset(values + tail.count))
        tail.put(field.value)
        tail.putZeros(tail.count % 2)  // values begin on a word boundary
      }
    }
    head.put(offset(next))
    head.put(tail.bytes)
    return head.bytes
  }
}
