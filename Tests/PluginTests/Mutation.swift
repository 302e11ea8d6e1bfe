// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// One way to damage a file.
enum Mutation: CaseIterable {
  case flipBits, setByte, setField, truncate, deleteChunk, repeatChunk, swapChunks

  func apply(to bytes: inout [UInt8], _ random: inout SplitMix) {
    guard bytes.count > 8 else { return }
    let place = random.below(bytes.count - 4)
    switch self {
    case .flipBits:
      for _ in 0...random.below(8) { bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8)) }
    case .setByte: bytes[place] = [0, 1, 0x7F, 0x80, 0xFF][random.below(5)]
    case .setField:
      let value: UInt32 = [0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF][random.below(5)]
      // Headers hold most fields, and most of them are at the front.
      let start = random.below(4) == 0 ? place : random.below(min(bytes.count - 4, 256))
      for index in 0..<4 { bytes[start + index] = UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32(index))) }
    case .truncate: bytes.removeLast(random.below(bytes.count - 4))
    case .deleteChunk: bytes.removeSubrange(place..<min(bytes.count, place + 1 + random.below(64)))
    case .repeatChunk:
      bytes.insert(contentsOf: Array(bytes[place..<min(bytes.count, place + 1 + random.below(64))]), at: place)
    case .swapChunks:
      let length = min(1 + random.below(32), bytes.count - place)
      let other = random.below(bytes.count - length)
      for index in 0..<length { bytes.swapAt(place + index, other + index) }
    }
  }
}

/// The checksums of a PNG's chunks (PNG Third Edition, Annex D).
enum PNGChecksums {
  /// Makes the checksums right again, so that damage gets past them.
  static func repair(_ bytes: inout [UInt8]) {
    var offset = 8
    while offset + 12 <= bytes.count {
      let length = bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
      let end = offset + 8 + length
      guard end + 4 <= bytes.count else { return }
      let sum = checksum(bytes[(offset + 4)..<end])
      for index in 0..<4 { bytes[end + index] = UInt8(truncatingIfNeeded: sum >> (24 - 8 * UInt32(index))) }
      offset = end + 4
    }
  }

  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var sum: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0xEDB8_8320 }
    }
    return ~sum
  }
}
