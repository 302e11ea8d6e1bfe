// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The bits of a raw byte sequence payload (ITU-T H.265 §7.2), read within their bounds.
struct BitReader {
  private let bytes: [UInt8]
  private var position = 0
  /// Named in errors: `the SPS`.
  private let what: String

  /// - Parameter unit: A NAL unit with its header of two bytes; emulation prevention bytes (§7.4.2.3) are taken out.
  init(unit: some Sequence<UInt8>, what: String) {
    var payload: [UInt8] = []
    var zeros = 0
    for byte in unit.dropFirst(2) {
      if zeros >= 2, byte == 3 {
        zeros = 0
        continue
      }
      zeros = byte == 0 ? zeros + 1 : 0
      payload.append(byte)
    }
    bytes = payload
    self.what = what
  }

  /// u(n): `count` bits, at most 32.
  mutating func bits(_ count: Int) throws(CoderError) -> Int {
    guard count <= bytes.count * 8 - position else { throw .malformed("\(what) ends before its last field") }
    var value = 0
    for _ in 0..<count {
      value = value << 1 | Int(bytes[position >> 3] >> UInt8(7 - position & 7) & 1)
      position += 1
    }
    return value
  }

  mutating func flag() throws(CoderError) -> Bool { try bits(1) == 1 }

  mutating func skip(_ count: Int) throws(CoderError) {
    guard count <= bytes.count * 8 - position else { throw .malformed("\(what) ends before its last field") }
    position += count
  }

  /// ue(v): an Exp-Golomb code (§9.2) that may not be above `maximum`.
  mutating func unsigned(_ field: String, to maximum: Int) throws(CoderError) -> Int {
    var zeros = 0
    while try !flag() {
      zeros += 1
      guard zeros <= 31 else { throw .malformed("\(what) has a \(field) of more than 32 bits") }
    }
    let value = (1 << zeros) - 1 + (try bits(zeros))
    guard value <= maximum else {
      throw .malformed("\(what) has a \(field) of \(value), \(maximum) is the most")
    }
    return value
  }

  /// se(v): a signed Exp-Golomb code whose size may not be above `magnitude`.
  mutating func signed(_ field: String, to magnitude: Int) throws(CoderError) -> Int {
    let code = try unsigned(field, to: magnitude * 2)
    return code & 1 == 1 ? (code + 1) / 2 : -(code / 2)
  }
}
