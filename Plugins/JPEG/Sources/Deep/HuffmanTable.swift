// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A table of Huffman codes, ITU-T T.81 annex C, F.2.2.3.
struct HuffmanTable {
  /// Codes up to this length are found with one look.
  static let lookBits = 9

  /// By the next bits: the code's length in the upper byte, its value in the lower one; 0 for a longer code.
  let short: [UInt16]
  /// By length from 1 on, the largest code, or -1 where there is none; the last is larger than any code.
  let largest: [Int32]
  /// By length, what is added to a code for its place among the values.
  let offsets: [Int32]
  let values: [UInt8]
  /// Codes of 1 to 16 bits.
  let counts: [UInt8]

  /// - Parameters:
  ///   - counts: Codes of 1 to 16 bits.
  ///   - values: As many, in the order of their codes.
  /// - Throws: ``CoderError/Code/malformed`` for more codes than there can be.
  init(counts: [UInt8], values: [UInt8], at place: Int) throws(CoderError) {
    var short = [UInt16](repeating: 0, count: 1 << Self.lookBits)
    var largest: [Int32] = [-1]
    var offsets: [Int32] = [0]
    var code = 0
    var index = 0
    for length in 1...16 {
      let count = Int(counts[length - 1])
      guard code + count <= 1 << length else {
        throw .malformed("\(code + count) Huffman codes of \(length) bits, \(1 << length) are possible", at: place)
      }
      offsets.append(Int32(index - code))
      for _ in 0..<count {
        if length <= Self.lookBits {
          let first = code << (Self.lookBits - length)
          for look in first..<(first + 1 << (Self.lookBits - length)) {
            short[look] = UInt16(length) << 8 | UInt16(values[index])
          }
        }
        code += 1
        index += 1
      }
      largest.append(count > 0 ? Int32(code - 1) : -1)
      code <<= 1
    }
    largest.append(.max)
    offsets.append(0)
    self.short = short
    self.largest = largest
    self.offsets = offsets
    self.values = values
    self.counts = counts
  }
}
