// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import Testing

@Suite struct BitReaderTests {
  @Test func readsTheMostSignificantBitFirst() throws {
    let bytes: [UInt8] = [0b1010_0110, 0b0101_1111]
    var bits = BitReader(bytes.span.bytes)
    let values = [try bits.bits(3), try bits.bits(7), try bits.bits(1), try bits.bits(0), try bits.bits(5)]
    #expect(values == [0b101, 0b001_1001, 0, 0, 0b11111])
  }

  @Test func readsTheLeastSignificantBitFirst() throws {
    let bytes: [UInt8] = [0b1010_0110, 0b0101_1111]
    var bits = BitReader(bytes.span.bytes, order: .leastSignificantFirst)
    let values = [try bits.bits(3), try bits.bits(7)]
    #expect(values == [0b110, 0b111_0100])
    bits.alignToByte()
    let remaining = bits.remaining
    #expect(remaining == 0)
  }

  @Test func readsThirtyTwoBitsAcrossBytes() throws {
    let bytes: [UInt8] = [0x0F, 0xFF, 0x00, 0xFF, 0xF0]
    var bits = BitReader(bytes.span.bytes)
    try bits.skip(4)
    let value = try bits.bits(32)
    #expect(value == 0xFFF0_0FFF)
  }

  /// Every length from every place, up to the end of the bytes, beside the bits one by one.
  @Test(arguments: [1, 5, 8, 9, 19]) func readsWhatTheBitsSayOneByOne(count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 151 + 77) }
    let bits = bytes.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
    let reversed = bytes.flatMap { byte in (0..<8).map { byte >> $0 & 1 } }
    for start in 0...bits.count {
      for count in 0...min(32, bits.count - start) {
        var reader = BitReader(bytes.span.bytes)
        try reader.skip(start)
        let first = try reader.bits(count)
        #expect(first == bits[start..<start + count].reduce(0) { $0 << 1 | UInt32($1) }, "\(count) from \(start)")
        var other = BitReader(bytes.span.bytes, order: .leastSignificantFirst)
        try other.skip(start)
        let second = try other.bits(count)
        #expect(second == reversed[start..<start + count].reversed().reduce(0) { $0 << 1 | UInt32($1) })
        let (end, otherEnd) = (reader.position, other.position)
        #expect(end == start + count && otherEnd == start + count)
      }
    }
  }

  /// Codes of every length at every place of a byte, with bytes behind them and without.
  @Test func readsExpGolombCodesAtEveryPlace() throws {
    for length in 0...31 {
      for start in 0..<8 {
        for rest in [0, 16] {
          let value = (UInt32(1) << UInt32(length)) - 1 + (length > 0 ? UInt32(1) << UInt32(length - 1) : 0)
          let code =
            (0..<start).map { _ in 1 } + (0..<length).map { _ in 0 } + [1]
            + (0..<length).reversed().map { Int((UInt64(value) + 1) >> UInt64($0) & 1) }
          let padded = code + [Int](repeating: 1, count: (8 - code.count % 8) % 8 + 8 * rest)
          let bytes = stride(from: 0, to: padded.count, by: 8).map { place in
            padded[place..<place + 8].reduce(UInt8(0)) { $0 << 1 | UInt8($1) }
          }
          var reader = BitReader(bytes.span.bytes)
          try reader.skip(start)
          let read = try reader.unsignedExpGolomb("a code", to: .max)
          let position = reader.position
          #expect(read == value && position == code.count, "\(length) zeros at \(start), \(rest) bytes behind")
        }
      }
    }
  }

  /// ITU-T H.265 §9.2, table 9-2: 1, 010, 011, 00100 … are 0, 1, 2, 3 …; signed values are 0, 1, −1, 2.
  @Test func readsExpGolombCodes() throws {
    let bytes: [UInt8] = [0b1_010_011_0, 0b0100_0010, 0b1_0000000]
    var bits = BitReader(bytes.span.bytes)
    var signed = BitReader(bytes.span.bytes)
    for index in 0..<5 {
      let code = try bits.unsignedExpGolomb("a code", to: 10)
      #expect(code == UInt32(index))
      let value = try signed.signedExpGolomb("a code", to: 5)
      #expect(value == [0, 1, -1, 2, -2][index])
    }
  }

  @Test func boundsExpGolombCodes() throws {
    let tooLarge = failure { () throws(CoderError) in
      let bytes: [UInt8] = [0b0010_0000]
      var bits = BitReader(bytes.span.bytes, at: 40, of: "the SPS")
      _ = try bits.unsignedExpGolomb("the depth", to: 2)
    }
    #expect(tooLarge == .malformed("the depth of the SPS is 3, 2 is the most", at: 40))
    let endless = failure { () throws(CoderError) in
      let zeros = [UInt8](repeating: 0, count: 9)
      var bits = BitReader(zeros.span.bytes, of: "the SPS")
      _ = try bits.unsignedExpGolomb("a code", to: .max)
    }
    #expect(endless?.code == .malformed)
    // 31 zeros and a one are followed by 31 bits: the largest code there is.
    let largest: [UInt8] = [0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFE]
    var bits = BitReader(largest.span.bytes)
    let code = try bits.unsignedExpGolomb("a code", to: .max)
    #expect(code == UInt32.max - 1)
  }

  @Test func refusesBitsThatAreNotThere() {
    let bytes: [UInt8] = [0xFF]
    let short = failure { () throws(CoderError) in
      var bits = BitReader(bytes.span.bytes, at: 7, of: "the frame header")
      _ = try bits.bits(9, "the size")
    }
    #expect(short == .malformed("the frame header ends before the size", at: 8))
    for count in [-1, 9, 33, Int.max] {
      let read = failure { () throws(CoderError) in
        var bits = BitReader(bytes.span.bytes)
        _ = try bits.bits(count)
      }
      let skipped = failure { () throws(CoderError) in
        var bits = BitReader(bytes.span.bytes)
        try bits.skip(count)
      }
      #expect(read != nil && skipped != nil)
    }
  }
}
