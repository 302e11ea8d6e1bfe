// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import Testing

@Suite struct BitReaderTests {
  @Test func readsTheMostSignificantBitFirst() throws {
    let bytes: [UInt8] = [0b1010_0110, 0b0101_1111]
    var bits = BitReader(bytes.span.bytes)
    #expect(try bits.bits(3) == 0b101)
    #expect(try bits.bits(7) == 0b0_0110_01)
    #expect(try bits.flag() == false)
    #expect(bits.remaining == 5)
    #expect(try bits.bits(0) == 0)
    #expect(try bits.bits(5) == 0b11111)
  }

  @Test func readsTheLeastSignificantBitFirst() throws {
    let bytes: [UInt8] = [0b1010_0110, 0b0101_1111]
    var bits = BitReader(bytes.span.bytes, order: .leastSignificantFirst)
    #expect(try bits.bits(3) == 0b110)
    #expect(try bits.bits(7) == 0b11_10100)
    bits.alignToByte()
    #expect(bits.remaining == 0)
  }

  @Test func readsThirtyTwoBitsAcrossBytes() throws {
    let bytes: [UInt8] = [0x0F, 0xFF, 0x00, 0xFF, 0xF0]
    var bits = BitReader(bytes.span.bytes)
    try bits.skip(4)
    #expect(try bits.bits(32) == 0xFFF0_0FFF)
  }

  /// ITU-T H.265 §9.2, table 9-2: 1, 010, 011, 00100 … are 0, 1, 2, 3 …; signed values are 0, 1, −1, 2.
  @Test func readsExpGolombCodes() throws {
    let bytes: [UInt8] = [0b1_010_011_0, 0b0100_0010, 0b1_0000000]
    var bits = BitReader(bytes.span.bytes)
    for expected: UInt32 in [0, 1, 2, 3, 4] {
      #expect(try bits.unsignedExpGolomb("a code", to: 10) == expected)
    }
    var signed = BitReader(bytes.span.bytes)
    for expected: Int32 in [0, 1, -1, 2, -2] { #expect(try signed.signedExpGolomb("a code", to: 5) == expected) }
  }

  @Test func boundsExpGolombCodes() {
    let bytes: [UInt8] = [0b0010_0000]
    var bits = BitReader(bytes.span.bytes, at: 40, of: "the SPS")
    #expect(throws: CoderError.malformed("the depth of the SPS is 3, 2 is the most", at: 40)) {
      _ = try bits.unsignedExpGolomb("the depth", to: 2)
    }
    let zeros = [UInt8](repeating: 0, count: 9)
    var endless = BitReader(zeros.span.bytes, of: "the SPS")
    #expect(throws: CoderError.self) { _ = try endless.unsignedExpGolomb("a code", to: .max) }
    // 31 zeros and a one are followed by 31 bits: the largest code there is.
    let largest: [UInt8] = [0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFE]
    var code = BitReader(largest.span.bytes)
    #expect(throws: Never.self) { #expect(try code.unsignedExpGolomb("a code", to: .max) == .max - 1) }
  }

  @Test func refusesBitsThatAreNotThere() {
    let bytes: [UInt8] = [0xFF]
    var bits = BitReader(bytes.span.bytes, at: 7, of: "the frame header")
    #expect(throws: CoderError.malformed("the frame header ends before the size", at: 8)) {
      _ = try bits.bits(9, "the size")
    }
    for count in [-1, 33, Int.max] { #expect(throws: CoderError.self) { _ = try bits.bits(count) } }
    for count in [-1, 9, Int.max] { #expect(throws: CoderError.self) { try bits.skip(count) } }
    #expect(bits.position == 0)
  }
}
