// SPDX-License-Identifier: Apache-2.0

/// The hash XXH64, of keys and rows; values have ``ValueChecksum``.
///
/// It finds damage, not forgery: everyone who can write into the folder can also write a matching checksum.
///
/// - Format: xxHash fast digest algorithm, section "XXH64 algorithm description".
package struct Checksum {
  static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  private let seed: UInt64
  private var lanes: (UInt64, UInt64, UInt64, UInt64)
  private var count = 0

  private init(seed: UInt64 = 0) {
    self.seed = seed
    lanes = (seed &+ Self.prime1 &+ Self.prime2, seed &+ Self.prime2, seed, seed &- Self.prime1)
  }

  package static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
    var checksum = Checksum(seed: seed)
    let whole = bytes.count & ~31
    checksum.append(UnsafeRawBufferPointer(rebasing: bytes[..<whole]))
    return checksum.finish(UnsafeRawBufferPointer(rebasing: bytes[whole...]))
  }

  package static func of(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 { bytes.withUnsafeBytes { of($0, seed: seed) } }

  /// Adds bytes, a multiple of 32.
  private mutating func append(_ bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count & 31 == 0, "\(bytes.count) bytes, a multiple of 32 is needed")
    var (first, second, third, fourth) = lanes
    var offset = 0
    while offset < bytes.count {
      first = Self.round(first, Self.load(bytes, offset))
      second = Self.round(second, Self.load(bytes, offset &+ 8))
      third = Self.round(third, Self.load(bytes, offset &+ 16))
      fourth = Self.round(fourth, Self.load(bytes, offset &+ 24))
      offset &+= 32
    }
    lanes = (first, second, third, fourth)
    count += bytes.count
  }

  /// Adds the last bytes, fewer than 32, and returns the hash of all.
  private func finish(_ rest: UnsafeRawBufferPointer) -> UInt64 {
    precondition(rest.count < 32, "\(rest.count) bytes, fewer than 32 are allowed")
    var hash = count == 0 ? seed &+ Self.prime5 : merged
    hash = hash &+ UInt64(count + rest.count)
    var offset = 0
    while offset + 8 <= rest.count {
      hash = Self.rotated(hash ^ Self.round(0, Self.load(rest, offset)), 27) &* Self.prime1 &+ Self.prime4
      offset += 8
    }
    if offset + 4 <= rest.count {
      let word = UInt32(littleEndian: rest.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
      hash = Self.rotated(hash ^ UInt64(word) &* Self.prime1, 23) &* Self.prime2 &+ Self.prime3
      offset += 4
    }
    while offset < rest.count {
      hash = Self.rotated(hash ^ UInt64(rest[offset]) &* Self.prime5, 11) &* Self.prime1
      offset += 1
    }
    hash = (hash ^ hash >> 33) &* Self.prime2
    hash = (hash ^ hash >> 29) &* Self.prime3
    return hash ^ hash >> 32
  }

  private var merged: UInt64 {
    var hash =
      Self.rotated(lanes.0, 1) &+ Self.rotated(lanes.1, 7) &+ Self.rotated(lanes.2, 12) &+ Self.rotated(lanes.3, 18)
    for lane in [lanes.0, lanes.1, lanes.2, lanes.3] {
      hash = (hash ^ Self.round(0, lane)) &* Self.prime1 &+ Self.prime4
    }
    return hash
  }

  private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    rotated(lane &+ word &* prime2, 31) &* prime1
  }

  private static func rotated(_ value: UInt64, _ bits: UInt64) -> UInt64 { value &<< bits | value &>> (64 &- bits) }

  /// Eight bytes that the caller knows to be there.
  private static func load(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}
