// SPDX-License-Identifier: Apache-2.0

/// Puts fields of bits one after the other, each number's most significant bit first, as MPEG's codecs have them.
public struct BitWriter {
  private var bits: [Bool] = []

  public init() {}

  /// u(n).
  public mutating func put(_ value: Int, _ count: Int) {
    for index in 0..<count { bits.append(value >> (count - 1 - index) & 1 == 1) }
  }

  public mutating func put(_ flag: Bool) { bits.append(flag) }

  /// ue(v) (ITU-T H.265 §9.2).
  public mutating func putUnsigned(_ value: Int) {
    let length = Int.bitWidth - (value + 1).leadingZeroBitCount
    put(0, length - 1)
    put(value + 1, length)
  }

  /// se(v) (ITU-T H.265 §9.2.2).
  public mutating func putSigned(_ value: Int) { putUnsigned(value > 0 ? 2 * value - 1 : -2 * value) }

  /// The bits with a stop bit, up to a whole byte (rbsp_trailing_bits).
  public var payload: [UInt8] {
    var padded = bits + [true]
    while padded.count % 8 != 0 { padded.append(false) }
    return stride(from: 0, to: padded.count, by: 8).map { start in
      padded[start..<start + 8].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
    }
  }
}
