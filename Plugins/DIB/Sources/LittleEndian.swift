// SPDX-License-Identifier: Apache-2.0

/// Numbers in bytes that may be too few: what lies behind the end reads as 0, as fields do that a shorter header of an
/// older version lacks.
struct LittleEndian {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func byte(_ offset: Int) -> Int { offset >= 0 && offset < bytes.count ? Int(bytes[offset]) : 0 }

  func unsigned16(_ offset: Int) -> Int { byte(offset) | (byte(offset &+ 1) << 8) }

  func unsigned32(_ offset: Int) -> Int { unsigned16(offset) | (unsigned16(offset &+ 2) << 16) }

  func signed32(_ offset: Int) -> Int { Int(Int32(truncatingIfNeeded: unsigned32(offset))) }
}
