// SPDX-License-Identifier: Apache-2.0

/// Pixels that an operation reads in any order, seen as 0 to 1.
protocol ReadSamples {
  static func load(_ row: UnsafeRawPointer, _ index: Int) -> SIMD4<Float>
}

/// Pixels of four channels as they are held while an operation reads them in any order.
protocol WideSamples: ReadSamples {
  static var bytesPerPixel: Int { get }
  static func store(_ pixel: SIMD4<Float>, _ row: UnsafeMutableRawPointer, _ index: Int)
}

/// Four integers of 16 bits.
enum IntegerSamples: WideSamples {
  static var bytesPerPixel: Int { 8 }

  @inline(__always)
  static func load(_ row: UnsafeRawPointer, _ index: Int) -> SIMD4<Float> {
    let samples = row.loadUnaligned(fromByteOffset: index &* 8, as: SIMD4<UInt16>.self)
    return SIMD4<Float>(SIMD4<Int32>(truncatingIfNeeded: samples)) * (1 / 65_535)
  }

  @inline(__always)
  static func store(_ pixel: SIMD4<Float>, _ row: UnsafeMutableRawPointer, _ index: Int) {
    let limited = (pixel * 65_535).clamped(lowerBound: .zero, upperBound: SIMD4(repeating: 65_535))
    // From 2²³ to 2²⁴ a number's last bit is 1: the sum ends in the rounded integer.
    let bits = unsafeBitCast(limited + 8_388_608, to: SIMD4<UInt32>.self)
    row.storeBytes(of: SIMD4<UInt16>(truncatingIfNeeded: bits), toByteOffset: index &* 8, as: SIMD4<UInt16>.self)
  }
}

/// Four numbers of 32 bits.
enum FloatSamples: WideSamples {
  static var bytesPerPixel: Int { 16 }

  /// What is not a number counts as 0, and what is infinite as large: neither spoils its neighbors.
  @inline(__always)
  static func load(_ row: UnsafeRawPointer, _ index: Int) -> SIMD4<Float> {
    let pixel = row.loadUnaligned(fromByteOffset: index &* 16, as: SIMD4<Float>.self)
    return pixel.replacing(with: 0, where: pixel .!= pixel)
      .clamped(lowerBound: SIMD4(repeating: -1e20), upperBound: SIMD4(repeating: 1e20))
  }

  @inline(__always)
  static func store(_ pixel: SIMD4<Float>, _ row: UnsafeMutableRawPointer, _ index: Int) {
    row.storeBytes(of: pixel, toByteOffset: index &* 16, as: SIMD4<Float>.self)
  }
}

/// Opaque gray of 8 bits.
enum GrayBytes: ReadSamples {
  @inline(__always)
  static func load(_ row: UnsafeRawPointer, _ index: Int) -> SIMD4<Float> {
    let gray = Float(row.load(fromByteOffset: index, as: UInt8.self)) * (1 / 255)
    return SIMD4(gray, gray, gray, 1)
  }
}

/// Three colors of 8 bits.
enum ColorBytes: ReadSamples {
  @inline(__always)
  static func load(_ row: UnsafeRawPointer, _ index: Int) -> SIMD4<Float> {
    func level(_ channel: Int) -> Float { Float(row.load(fromByteOffset: 3 &* index &+ channel, as: UInt8.self)) }
    return SIMD4(level(0), level(1), level(2), 255) * (1 / 255)
  }
}
