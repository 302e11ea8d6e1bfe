// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

// The descriptors of ITU-T H.265 §7.2. Fields have at most 32 bits.
extension BitReader {
  /// u(n).
  mutating func number(_ bitCount: Int, _ field: StaticString = "a field") throws(CoderError) -> Int {
    Int(try bits(bitCount, field))
  }

  /// ue(v), which may not be above `maximum`.
  mutating func unsigned(_ field: StaticString, to maximum: Int) throws(CoderError) -> Int {
    Int(try unsignedExpGolomb(field, to: UInt32(clamping: maximum)))
  }

  /// se(v), whose size may not be above `magnitude`.
  mutating func signed(_ field: StaticString, to magnitude: Int) throws(CoderError) -> Int {
    Int(try signedExpGolomb(field, to: UInt32(clamping: magnitude)))
  }
}
