// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Big-endian numbers, as boxes and marker segments have them.
extension UnsafeRawBufferPointer {
  /// The caller has checked that the bytes are there.
  func uint16(at offset: Int) -> Int { Int(self[offset]) << 8 | Int(self[offset + 1]) }
  func uint32(at offset: Int) -> Int { uint16(at: offset) << 16 | uint16(at: offset + 2) }
}

extension [UInt8] {
  func uint16(at offset: Int) -> Int { Int(self[offset]) << 8 | Int(self[offset + 1]) }
  func uint32(at offset: Int) -> Int { uint16(at: offset) << 16 | uint16(at: offset + 2) }

  mutating func append(uint16 value: Int) {
    append(UInt8(truncatingIfNeeded: value >> 8))
    append(UInt8(truncatingIfNeeded: value))
  }

  mutating func append(uint32 value: Int) {
    append(uint16: value >> 16)
    append(uint16: value)
  }
}

extension Int {
  /// This number, which is not negative, divided by a positive one, rounded up.
  func dividedUp(by divisor: Int) -> Int { (self + divisor - 1) / divisor }

  /// This number, which is not negative, divided by 2 to the power of `exponent`, rounded up.
  func halvedUp(times exponent: Int) -> Int { (self + (1 << exponent) - 1) >> exponent }
}
