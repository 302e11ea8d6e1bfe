// SPDX-License-Identifier: Apache-2.0

/// A tag with its values, as a directory of a TIFF structure has them. Exif is such a structure.
///
/// - Format: TIFF 6.0 §2, Exif 2.32 §4.6.
public struct TIFFField: Sendable, Equatable {
  /// The number of the tag, 0 to 65,535.
  public let tag: Int
  /// How each value is stored.
  public let type: ValueType
  /// How many values there are.
  public let count: Int
  /// The bytes of all values, in the byte order of the structure that it goes to.
  public var value: [UInt8]

  /// A field as a file has it; nothing is checked.
  public init(tag: Int, type: ValueType, count: Int, value: [UInt8]) {
    self.tag = tag
    self.type = type
    self.count = count
    self.value = value
  }

  /// The same values in the other byte order.
  public var swapped: TIFFField {
    let unit = type.unit
    guard unit > 1 else { return self }
    var field = self
    for start in stride(from: 0, through: value.count - unit, by: unit) {
      field.value.replaceSubrange(start..<start + unit, with: value[start..<start + unit].reversed())
    }
    return field
  }

  /// How a value is stored.
  ///
  /// - Format: TIFF 6.0 §2 (1 to 12), its supplement 1 (13), BigTIFF (16 to 18).
  public struct ValueType: RawRepresentable, Sendable, Hashable {
    /// The number in the file, of which a later version may have more.
    public let rawValue: Int

    /// The type of a number, known or not.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Whole numbers of 8 bits.
    public static let byte = ValueType(rawValue: 1)
    /// Text that ends with a zero, which counts.
    public static let ascii = ValueType(rawValue: 2)
    /// Whole numbers of 16 bits.
    public static let short = ValueType(rawValue: 3)
    /// Whole numbers of 32 bits.
    public static let long = ValueType(rawValue: 4)
    /// Fractions of two numbers of 32 bits: the numerator, then the denominator.
    public static let rational = ValueType(rawValue: 5)
    /// Whole numbers of 8 bits with a sign.
    public static let signedByte = ValueType(rawValue: 6)
    /// Bytes that only the tag explains.
    public static let undefined = ValueType(rawValue: 7)
    /// Whole numbers of 16 bits with a sign.
    public static let signedShort = ValueType(rawValue: 8)
    /// Whole numbers of 32 bits with a sign.
    public static let signedLong = ValueType(rawValue: 9)
    /// Fractions of two numbers of 32 bits with a sign.
    public static let signedRational = ValueType(rawValue: 10)
    /// Numbers of 32 bits as IEEE 754 has them.
    public static let float = ValueType(rawValue: 11)
    /// Numbers of 64 bits as IEEE 754 has them.
    public static let double = ValueType(rawValue: 12)
    /// Whole numbers of 64 bits, in BigTIFF.
    public static let long8 = ValueType(rawValue: 16)

    /// Bytes of one value; 0 for a type that is not known.
    public var size: Int {
      let sizes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8]
      return sizes.indices.contains(rawValue) ? sizes[rawValue] : 0
    }

    /// Bytes that change places between byte orders: those of a value, and of a fraction those of each number.
    public var unit: Int { self == .rational || self == .signedRational ? 4 : size }
  }
}
