// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Numbers as headers of codestreams have them (ISO/IEC 18181-1 §C.4).
extension BitReader {
  /// A number of 0 to 32 bits.
  mutating func number(_ bitCount: Int) throws(CoderError) -> Int { Int(try bits(bitCount)) }

  /// One of four numbers of bits, and what is added to them.
  typealias Choice = (bits: Int, offset: Int)

  /// U32 (§C.4.2): two bits choose how many bits follow, and what is added to them.
  mutating func u32(
    _ first: Choice, _ second: Choice, _ third: Choice, _ fourth: Choice
  ) throws(CoderError) -> Int {
    let choice =
      switch try bits(2) {
      case 0: first
      case 1: second
      case 2: third
      default: fourth
      }
    return try number(choice.bits) + choice.offset
  }

  /// U64 (§C.4.3).
  mutating func u64() throws(CoderError) -> UInt64 {
    switch try bits(2) {
    case 0: return 0
    case 1: return 1 + UInt64(try bits(4))
    case 2: return 17 + UInt64(try bits(8))
    default:
      var value = UInt64(try bits(12))
      var shift: UInt64 = 12
      while try flag() {
        if shift == 60 { return value | UInt64(try bits(4)) << shift }
        value |= UInt64(try bits(8)) << shift
        shift += 8
      }
      return value
    }
  }

  /// An enumeration that has three values in two bits, and more of them in further bits.
  mutating func enumeration(moreBits: Int, from offset: Int = 3) throws(CoderError) -> Int {
    try u32((0, 0), (0, 1), (0, 2), (moreBits, offset))
  }
}
