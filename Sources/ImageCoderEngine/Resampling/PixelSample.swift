// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// One sample as it lies in memory, seen as a number.
///
/// Rows may lie at any address, so samples are read and written without regard to alignment.
protocol PixelSample {
  /// The number that stands for full intensity.
  static var maximum: Float { get }
  static var bytes: Int { get }
  static func read(_ row: UnsafeRawPointer, _ index: Int) -> Float
  /// Writes the nearest number that the type holds.
  static func write(_ value: Float, _ row: UnsafeMutableRawPointer, _ index: Int)
}

enum Sample8: PixelSample {
  @inline(__always) static var maximum: Float { 255 }
  @inline(__always) static var bytes: Int { 1 }

  @inline(__always) static func read(_ row: UnsafeRawPointer, _ index: Int) -> Float {
    Float(row.load(fromByteOffset: index, as: UInt8.self))
  }

  @inline(__always) static func write(_ value: Float, _ row: UnsafeMutableRawPointer, _ index: Int) {
    row.storeBytes(of: UInt8(truncatingIfNeeded: value.rounded(within: 255)), toByteOffset: index, as: UInt8.self)
  }
}

enum Sample16: PixelSample {
  @inline(__always) static var maximum: Float { 65_535 }
  @inline(__always) static var bytes: Int { 2 }

  @inline(__always) static func read(_ row: UnsafeRawPointer, _ index: Int) -> Float {
    Float(row.loadUnaligned(fromByteOffset: index &* 2, as: UInt16.self))
  }

  @inline(__always) static func write(_ value: Float, _ row: UnsafeMutableRawPointer, _ index: Int) {
    let sample = UInt16(truncatingIfNeeded: value.rounded(within: 65_535))
    row.storeBytes(of: sample, toByteOffset: index &* 2, as: UInt16.self)
  }
}

enum SampleFloat16: PixelSample {
  @inline(__always) static var maximum: Float { 1 }
  @inline(__always) static var bytes: Int { 2 }

  @inline(__always) static func read(_ row: UnsafeRawPointer, _ index: Int) -> Float {
    HalfFloat.float(row.loadUnaligned(fromByteOffset: index &* 2, as: UInt16.self))
  }

  @inline(__always) static func write(_ value: Float, _ row: UnsafeMutableRawPointer, _ index: Int) {
    row.storeBytes(of: HalfFloat.half(value), toByteOffset: index &* 2, as: UInt16.self)
  }
}

enum SampleFloat32: PixelSample {
  @inline(__always) static var maximum: Float { 1 }
  @inline(__always) static var bytes: Int { 4 }

  @inline(__always) static func read(_ row: UnsafeRawPointer, _ index: Int) -> Float {
    row.loadUnaligned(fromByteOffset: index &* 4, as: Float.self)
  }

  @inline(__always) static func write(_ value: Float, _ row: UnsafeMutableRawPointer, _ index: Int) {
    row.storeBytes(of: value, toByteOffset: index &* 4, as: Float.self)
  }
}

extension Float {
  /// The nearest integer of 0 … `maximum`, at most 65535; not a number gives 0.
  @inline(__always) func rounded(within maximum: Float) -> UInt32 {
    let clamped = self > 0 ? (self < maximum ? self : maximum) : 0
    // From 2²³ to 2²⁴ a number's last bit is 1, so the sum is rounded to an integer and ends in its bits. A conversion
    // would first have to prove that the number fits.
    return (clamped + 8_388_608).bitPattern & 0x7F_FFFF
  }
}

/// IEEE 754-2019 §3.6, binary16, in operations that run on several samples at once.
///
/// The conversions of the standard library are calls for each sample on processors that are not asked for more than
/// x86-64 has.
enum HalfFloat {
  @inline(__always) static func float(_ half: UInt16) -> Float {
    let bits = UInt32(half)
    let isSpecial = bits & 0x7C00 == 0x7C00
    // Exponent and fraction moved in place are the number divided by 2¹¹², subnormal numbers included.
    let magnitude = Float(bitPattern: (bits & 0x7FFF) << 13) * 0x1p112
    let special: UInt32 = 0x7F80_0000 | ((bits & 0x03FF) << 13)
    return Float(bitPattern: (isSpecial ? special : magnitude.bitPattern) | ((bits & 0x8000) << 16))
  }

  /// The nearest number, ties to even.
  @inline(__always) static func half(_ value: Float) -> UInt16 {
    let bits = value.bitPattern
    let sign = (bits >> 16) & 0x8000
    let magnitude = bits & 0x7FFF_FFFF
    // Normal: the exponent is rebased, and what is cut off is rounded by a carry that may run into the exponent.
    let normal = (magnitude &- 0x3800_0000 &+ 0x0FFF &+ ((magnitude >> 13) & 1)) >> 13
    // Subnormal: adding ½ leaves the number in units of 2⁻²⁴, rounded, in the last bits.
    let subnormal = (Float(bitPattern: magnitude) + 0.5).bitPattern &- 0x3F00_0000
    // From 65520 on the nearest number is infinity; not a number stays one.
    let isInfinite = magnitude >= 0x477F_F000
    let isNaN = magnitude > 0x7F80_0000
    let finite = magnitude < 0x3880_0000 ? subnormal : normal
    return UInt16(truncatingIfNeeded: sign | (isNaN ? 0x7E00 : isInfinite ? 0x7C00 : finite))
  }

  /// Four of them, in the same way.
  @inline(__always) static func halves(_ values: SIMD4<Float>) -> SIMD4<UInt16> {
    let bits = unsafeBitCast(values, to: SIMD4<UInt32>.self)
    let sign = (bits &>> 16) & 0x8000
    let magnitude = bits & 0x7FFF_FFFF
    let normal = (magnitude &- 0x3800_0000 &+ 0x0FFF &+ ((magnitude &>> 13) & 1)) &>> 13
    let subnormal =
      unsafeBitCast(unsafeBitCast(magnitude, to: SIMD4<Float>.self) + 0.5, to: SIMD4<UInt32>.self)
      &- 0x3F00_0000
    var result = normal.replacing(with: subnormal, where: magnitude .< 0x3880_0000)
    result.replace(with: 0x7C00, where: magnitude .>= 0x477F_F000)
    result.replace(with: 0x7E00, where: magnitude .> 0x7F80_0000)
    return SIMD4<UInt16>(truncatingIfNeeded: result | sign)
  }
}
