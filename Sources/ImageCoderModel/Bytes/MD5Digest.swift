// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The MD5 message digest (RFC 1321), by which file formats and the desktop name things. It protects nothing.
public enum MD5Digest {
  /// RFC 1321 §3.4: the whole part of 2^32 times the sine of 1 to 64.
  private static let sines = (1...64).map { UInt32(abs(sin(Double($0))) * 4_294_967_296) }
  private static let turns: [[UInt32]] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]

  /// The 16 bytes of the digest.
  public static func bytes(of message: ArraySlice<UInt8>) -> [UInt8] {
    var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
    // RFC 1321 §3.1, §3.2: a bit, zeros, and the length in bits fill the last block.
    var tail = Array(message.suffix(message.count % 64)) + [0x80]
    tail += [UInt8](repeating: 0, count: (120 - tail.count) % 64)
    tail += (0..<8).map { UInt8(truncatingIfNeeded: (message.count &* 8) >> (8 * $0)) }
    message.withUnsafeBytes { bytes in
      for start in stride(from: 0, to: bytes.count - 63, by: 64) {
        add(UnsafeRawBufferPointer(rebasing: bytes[start..<start + 64]), to: &state)
      }
    }
    tail.withUnsafeBytes { bytes in
      for start in stride(from: 0, to: bytes.count, by: 64) {
        add(UnsafeRawBufferPointer(rebasing: bytes[start..<start + 64]), to: &state)
      }
    }
    return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
  }

  /// RFC 1321 §3.4: one block of 64 bytes.
  private static func add(_ block: UnsafeRawBufferPointer, to state: inout [UInt32]) {
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    for step in 0..<64 {
      let (mixed, index): (UInt32, Int) =
        switch step / 16 {
        case 0: (b & c | ~b & d, step)
        case 1: (b & d | c & ~d, 5 * step + 1)
        case 2: (b ^ c ^ d, 3 * step + 5)
        default: (c ^ (b | ~d), 7 * step)
        }
      let word = UInt32(littleEndian: block.loadUnaligned(fromByteOffset: index % 16 * 4, as: UInt32.self))
      let sum = a &+ mixed &+ word &+ sines[step]
      let turn = turns[step / 16][step % 4]
      (a, d, c, b) = (d, c, b, b &+ (sum << turn | sum >> (32 - turn)))
    }
    state[0] &+= a
    state[1] &+= b
    state[2] &+= c
    state[3] &+= d
  }
}
