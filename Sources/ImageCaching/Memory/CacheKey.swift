// SPDX-License-Identifier: Apache-2.0

/// What a value is found by in a ``MemoryCache``: a digest of 128 bits of a text, made once.
///
/// The digest is SipHash with a secret that each process draws for itself. Two texts have the same one with a chance of
/// 2⁻¹²⁸, and an attacker who chooses the texts cannot raise it without the secret: equal keys mean equal texts, and
/// nothing longer has to be compared. Keys of two processes have nothing in common; store the text instead.
public struct CacheKey: Hashable, Sendable {
  let low: UInt64
  let high: UInt64

  /// A key of a digest that somebody else has made.
  package init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  /// Makes the key of a text, of its UTF-8: of two spellings of one character, each has a key of its own.
  public init(_ text: String) {
    var text = text
    (low, high) = text.withUTF8 { SipHash.digest(of: UnsafeRawBufferPointer($0), Self.secret) }
  }

  /// Makes the key of bytes.
  public init(_ bytes: [UInt8]) {
    (low, high) = bytes.withUnsafeBytes { SipHash.digest(of: $0, Self.secret) }
  }

  private static let secret = (UInt64.random(in: 0...(.max)), UInt64.random(in: 0...(.max)))

  /// The digest as text, for a key of a key: it says nothing of the text, and is another one in each process.
  package var digits: String { String(high, radix: 16) + "-" + String(low, radix: 16) }

  // The digest is random already.
  public func hash(into hasher: inout Hasher) { hasher.combine(low) }
}

/// SipHash-2-4 with a digest of 128 bits, by Aumasson and Bernstein.
package enum SipHash {
  package static func digest(of bytes: UnsafeRawBufferPointer, _ secret: (UInt64, UInt64)) -> (UInt64, UInt64) {
    var state = State(secret)
    let whole = bytes.count & ~7
    for offset in stride(from: 0, to: whole, by: 8) {
      state.add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
    }
    var last = UInt64(truncatingIfNeeded: bytes.count) << 56
    for index in whole..<bytes.count { last |= UInt64(bytes[index]) << UInt64(8 * (index - whole)) }
    state.add(last)
    return state.digest()
  }

  private struct State {
    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64

    init(_ secret: (UInt64, UInt64)) {
      v0 = secret.0 ^ 0x736F_6D65_7073_6575
      v1 = secret.1 ^ 0x646F_7261_6E64_6F6D ^ 0xEE
      v2 = secret.0 ^ 0x6C79_6765_6E65_7261
      v3 = secret.1 ^ 0x7465_6462_7974_6573
    }

    mutating func add(_ word: UInt64) {
      v3 ^= word
      mix()
      mix()
      v0 ^= word
    }

    mutating func digest() -> (UInt64, UInt64) {
      v2 ^= 0xEE
      for _ in 0..<4 { mix() }
      let first = v0 ^ v1 ^ v2 ^ v3
      v1 ^= 0xDD
      for _ in 0..<4 { mix() }
      return (first, v0 ^ v1 ^ v2 ^ v3)
    }

    private mutating func mix() {
      v0 &+= v1
      v1 = v1 << 13 | v1 >> 51
      v1 ^= v0
      v0 = v0 << 32 | v0 >> 32
      v2 &+= v3
      v3 = v3 << 16 | v3 >> 48
      v3 ^= v2
      v0 &+= v3
      v3 = v3 << 21 | v3 >> 43
      v3 ^= v0
      v2 &+= v1
      v1 = v1 << 17 | v1 >> 47
      v1 ^= v2
      v2 = v2 << 32 | v2 >> 32
    }
  }
}
