// SPDX-License-Identifier: Apache-2.0

import CPixelBytes

/// Loops over pixels of bytes.
///
/// Four samples are one 32-bit number, least significant byte first in memory, as on every machine that Swift runs on.
enum PixelBytes {
  @inline(__always) static func swapped(_ value: UInt32) -> UInt32 {
    (value & 0xFF00_FF00) | ((value >> 16) & 0xFF) | ((value & 0xFF) << 16)
  }

  @inline(__always) static func word(_ row: UnsafeRawPointer, _ offset: Int) -> UInt32 {
    row.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
  }

  @inline(__always) static func put(_ value: UInt32, _ row: UnsafeMutableRawPointer, _ offset: Int) {
    row.storeBytes(of: value, toByteOffset: offset, as: UInt32.self)
  }

  @inline(__always) static func put3(_ value: UInt32, _ row: UnsafeMutableRawPointer, _ offset: Int) {
    row.storeBytes(of: UInt16(truncatingIfNeeded: value), toByteOffset: offset, as: UInt16.self)
    row.storeBytes(of: UInt8(truncatingIfNeeded: value >> 16), toByteOffset: offset &+ 2, as: UInt8.self)
  }

  /// Blue, green, red become four bytes.
  static func widenBGR(
    _ source: UnsafeRawPointer, _ destination: UnsafeMutableRawPointer, _ count: Int, isSwapping: Bool
  ) {
    pixel_bytes_widen(bytes(source), bytes(destination), count, isSwapping ? 1 : 0)
  }

  /// Blue, green, red become red, green, blue.
  static func swapBGR(_ source: UnsafeRawPointer, _ destination: UnsafeMutableRawPointer, _ count: Int) {
    pixel_bytes_swap3(bytes(source), bytes(destination), count)
  }

  @inline(__always) private static func bytes(_ row: UnsafeRawPointer) -> UnsafePointer<UInt8> {
    row.assumingMemoryBound(to: UInt8.self)
  }

  @inline(__always) private static func bytes(_ row: UnsafeMutableRawPointer) -> UnsafeMutablePointer<UInt8> {
    row.assumingMemoryBound(to: UInt8.self)
  }

  static func copyBGRX(
    _ source: UnsafeRawPointer, _ destination: UnsafeMutableRawPointer, _ count: Int, _ opaque: UInt32
  ) {
    for i in 0..<count { put(word(source, i &* 4) | opaque, destination, i &* 4) }
  }

  static func swapBGRX(
    _ source: UnsafeRawPointer, _ destination: UnsafeMutableRawPointer, _ count: Int, _ opaque: UInt32
  ) {
    for i in 0..<count { put(swapped(word(source, i &* 4)) | opaque, destination, i &* 4) }
  }

  static func narrowBGRX(_ source: UnsafeRawPointer, _ destination: UnsafeMutableRawPointer, _ count: Int) {
    pixel_bytes_narrow(bytes(source), bytes(destination), count, 1)
  }

  /// Four bytes become their first three.
  static func dropAlpha(_ source: UnsafeRawPointer, _ destination: UnsafeMutableRawPointer, _ count: Int) {
    pixel_bytes_narrow(bytes(source), bytes(destination), count, 0)
  }

  static func firstOfFour(_ source: UnsafeRawPointer, _ destination: UnsafeMutableRawPointer, _ count: Int) {
    for i in 0..<count {
      destination.storeBytes(of: source.load(fromByteOffset: i &* 4, as: UInt8.self), toByteOffset: i, as: UInt8.self)
    }
  }

  /// Indexes of 1, 2, 4 or 8 bits, the first in the highest bits, become colors of 1, 3 or 4 bytes.
  @inline(__always) static func look(
    up source: UnsafeRawPointer, _ bits: Int, _ colors: UnsafePointer<UInt32>,
    _ destination: UnsafeMutableRawPointer, _ count: Int, bytes: Int
  ) {
    if bits == 8 {
      for i in 0..<count {
        let color = colors[Int(source.load(fromByteOffset: i, as: UInt8.self))]
        store(color, destination, i, bytes)
      }
      return
    }
    let mask = (1 << bits) &- 1
    let perByte = 8 / bits
    var i = 0
    var place = 0
    while i < count {
      let byte = Int(source.load(fromByteOffset: place, as: UInt8.self))
      var shift = 8 &- bits
      let end = min(count, i &+ perByte)
      while i < end {
        store(colors[(byte >> shift) & mask], destination, i, bytes)
        shift &-= bits
        i &+= 1
      }
      place &+= 1
    }
  }

  @inline(__always) private static func store(
    _ color: UInt32, _ destination: UnsafeMutableRawPointer, _ index: Int, _ bytes: Int
  ) {
    switch bytes {
    case 1: destination.storeBytes(of: UInt8(truncatingIfNeeded: color), toByteOffset: index, as: UInt8.self)
    case 3: put3(color, destination, index &* 3)
    default: put(color, destination, index &* 4)
    }
  }

  /// Makes pixels of four bytes transparent where a bit of an icon's mask is set, and keeps their colors.
  static func clear(_ pixels: UnsafeMutableRawPointer, where mask: UnsafeRawPointer, count: Int) {
    for start in stride(from: 0, to: count, by: 8) {
      let bits = mask.load(fromByteOffset: start >> 3, as: UInt8.self)
      guard bits != 0 else { continue }
      for i in 0..<min(8, count &- start) where bits & (0x80 >> UInt8(truncatingIfNeeded: i)) != 0 {
        pixels.storeBytes(of: 0, toByteOffset: (start &+ i) &* 4 &+ 3, as: UInt8.self)
      }
    }
  }

  /// Whether some pixel of four bytes has one of these bits.
  static func hasBits(_ mask: UInt32, _ pixels: UnsafeRawPointer, count: Int) -> Bool {
    var seen: UInt32 = 0
    for i in 0..<count { seen |= word(pixels, i &* 4) }
    return seen & mask != 0
  }
}
