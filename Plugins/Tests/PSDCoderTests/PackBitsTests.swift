// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PSDCoder

@Suite struct PackBitsTests {
  private func unpacked(_ packed: [UInt8], _ count: Int) -> [UInt8] {
    // One byte more, which must stay.
    var row = [UInt8](repeating: 0xEE, count: count + 1)
    let found = packed.withUnsafeBytes { packed in
      row.withUnsafeMutableBufferPointer { PackBits.unpack(packed, to: $0.baseAddress!, count: count) }
    }
    #expect(row[count] == 0xEE)
    return Array(row.prefix(found))
  }

  /// Three equal bytes, three others, a byte that means nothing, and ten equal bytes.
  @Test func unpacksRunsAndLiterals() {
    #expect(
      unpacked([0xFE, 0xAA, 0x02, 0x80, 0x00, 0x2A, 0x80, 0xF7, 0x33], 16)
        == [0xAA, 0xAA, 0xAA, 0x80, 0x00, 0x2A] + Array(repeating: 0x33, count: 10))
  }

  @Test func whatExceedsARowIsDropped() {
    #expect(unpacked([0x03, 1, 2, 3, 4], 2) == [1, 2])
    #expect(unpacked([0xFD, 7, 0, 9], 2) == [7, 7])
  }

  @Test func packedBytesMayEndAnywhere() {
    #expect(unpacked([], 4) == [])
    #expect(unpacked([0xFE], 4) == [])
    #expect(unpacked([0x03, 1, 2], 4) == [1, 2])
  }
}
