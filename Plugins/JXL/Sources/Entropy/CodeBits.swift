// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderPlugin

/// The bits of a section, the lowest bit of each byte first, for loops that read many.
///
/// Zeros follow the last byte. Who reads asks once in a while, and at the end, whether the section was long enough.
struct CodeBits {
  private let bytes: PlainBuffer<UInt8>
  private let base: UnsafePointer<UInt8>
  private let count: Int
  /// The number of bits that were read.
  private(set) var position: Int

  /// Bytes after the last one that are zero, so that a word can be loaded anywhere.
  private static let padding = 8

  /// - Parameter position: Bits that were read before.
  init(_ source: some Sequence<UnsafeRawBufferPointer>, position: Int = 0) throws(CoderError) {
    let count = source.reduce(0) { $0 + $1.count }
    bytes = try PlainBuffer(count: count + Self.padding, for: "a section")
    var end = bytes.base
    for part in source where part.count > 0 {
      if let start = part.baseAddress { memcpy(end, start, part.count) }
      end += part.count
    }
    base = UnsafePointer(bytes.base)
    self.count = count
    self.position = position
  }

  /// Whether more bits were read than there are.
  var isOverrun: Bool { position > count &* 8 }

  /// The next bits as a number in which the first one is the lowest; at least 57 of them.
  @inline(__always)
  var word: UInt64 {
    let place = min(position &>> 3, count)
    return UnsafeRawPointer(base + place).loadUnaligned(as: UInt64.self).littleEndian &>> UInt64(position & 7)
  }

  @inline(__always)
  mutating func skip(_ count: Int) { position &+= count }

  /// A number of 0 to 32 bits.
  @inline(__always)
  mutating func bits(_ count: Int) -> Int {
    let value = Int(truncatingIfNeeded: word & ((1 &<< UInt64(truncatingIfNeeded: count)) &- 1))
    position &+= count
    return value
  }

  mutating func flag() -> Bool { bits(1) == 1 }

  mutating func alignToByte() { position = (position &+ 7) & ~7 }

  /// U32 (ISO/IEC 18181-1 §C.4.2).
  mutating func u32(_ choices: [BitReader.Choice]) -> Int {
    let choice = choices[bits(2)]
    return bits(choice.bits) &+ choice.offset
  }

  /// A number of 8 bits at most, short where it is small (§D.3.4): `U8`.
  mutating func shortByte() -> Int {
    guard flag() else { return 0 }
    let count = bits(3)
    return (1 &<< count) &+ bits(count)
  }

  /// F16 (§C.4.5), or nil for infinities and what is no number.
  mutating func float16() -> Float? {
    let value = Float16(bitPattern: UInt16(truncatingIfNeeded: bits(16)))
    return value.isFinite ? Float(value) : nil
  }

  /// - Throws: ``CoderError/Code/malformed`` when more bits were read than there are.
  func check(_ what: StaticString) throws(CoderError) {
    guard !isOverrun else { throw .malformed("a section of \(count) bytes ends before \(what) does") }
  }
}
