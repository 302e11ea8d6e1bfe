// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// A clean aperture (ISO/IEC 14496-12 §12.1.4.1): a width, a height, and how far its center is from the picture's, as
/// fractions.
public struct CleanAperture {
  private let width: Fraction
  private let height: Fraction
  private let horizontal: Fraction
  private let vertical: Fraction

  private struct Fraction {
    let numerator: Int
    let denominator: Int
  }

  /// Reads the four fractions.
  public init(parsing content: inout ByteReader) throws(CoderError) {
    width = try Self.fraction(&content, isSigned: false)
    height = try Self.fraction(&content, isSigned: false)
    horizontal = try Self.fraction(&content, isSigned: true)
    vertical = try Self.fraction(&content, isSigned: true)
  }

  private static func fraction(_ content: inout ByteReader, isSigned: Bool) throws(CoderError) -> Fraction {
    let numerator = try content.uint32("a numerator")
    let denominator = Int(try content.uint32("a denominator"))
    let value = isSigned ? Int(Int32(bitPattern: numerator)) : Int(numerator)
    return Fraction(numerator: value, denominator: denominator)
  }
}

// Items: a rectangle to the nearest whole pixel.
extension CleanAperture {
  /// The rectangle of a picture that is kept, whole pixels.
  ///
  /// - Throws: ``CoderError/Code/malformed`` when it lies outside the picture, or a denominator is none.
  public func rect(in size: Size) throws(CoderError) -> Rect {
    for fraction in [width, height, horizontal, vertical] {
      guard fraction.denominator > 0, fraction.denominator <= Int32.max else {
        throw .malformed("a clean aperture with the denominator \(fraction.denominator)")
      }
    }
    let columns = Self.side(width, of: size.width)
    let rows = Self.side(height, of: size.height)
    let x = Self.start(horizontal, of: columns, in: size.width)
    let y = Self.start(vertical, of: rows, in: size.height)
    let left = max(x, 0)
    let top = max(y, 0)
    let rect = Rect(
      x: left, y: top, width: min(x + columns, size.width) - left, height: min(y + rows, size.height) - top)
    guard !rect.isEmpty else {
      throw .malformed("a clean aperture of \(columns)×\(rows) at \(x),\(y) of a picture of \(size)")
    }
    return rect
  }

  /// To the nearest whole pixel.
  private static func side(_ fraction: Fraction, of side: Int) -> Int {
    min((fraction.numerator + fraction.denominator / 2) / fraction.denominator, side)
  }

  /// The first pixel of `count` around a center that is `offset` away from the middle: offset + (side − count) / 2.
  private static func start(_ offset: Fraction, of count: Int, in side: Int) -> Int {
    // At most 2³¹ × 2 + 2³¹ × 2³²: inside 64 bits.
    let doubled = 2 * offset.numerator + (side - count) * offset.denominator
    let divisor = 2 * offset.denominator
    return Int((Double(doubled) / Double(divisor)).rounded(.down))
  }
}

// Tracks: a rectangle that is exact, or none.
extension CleanAperture {
  /// The rectangle when it lies on whole pixels inside the picture, else nil.
  public func window(in size: Size) -> Rect? {
    guard let columns = Self.whole(width), let rows = Self.whole(height), columns > 0, rows > 0,
      let x = Self.exactStart(horizontal, of: columns, in: size.width),
      let y = Self.exactStart(vertical, of: rows, in: size.height)
    else { return nil }
    let rect = Rect(x: x, y: y, width: columns, height: rows)
    return rect.isInside(size) ? rect : nil
  }

  private static func whole(_ fraction: Fraction) -> Int? {
    let (value, part) = (fraction.numerator, fraction.denominator)
    guard part > 0, value % part == 0, value / part <= 65_535 else { return nil }
    return value / part
  }

  /// (side − count) / 2 + offset, when that is whole.
  private static func exactStart(_ offset: Fraction, of count: Int, in side: Int) -> Int? {
    guard offset.denominator > 0 else { return nil }
    // 32-bit numerators and denominators keep the products in 64 bits.
    let doubled = (side - count) * offset.denominator + 2 * offset.numerator
    let divisor = 2 * offset.denominator
    return doubled >= 0 && doubled % divisor == 0 ? doubled / divisor : nil
  }
}
