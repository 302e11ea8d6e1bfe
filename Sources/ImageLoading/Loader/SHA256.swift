// SPDX-License-Identifier: Apache-2.0
#if Loading
  /// The digest SHA-256 (FIPS 180-4 section 6.2), for credentials that become part of a key and must not be read from it.
  enum SHA256 {
    /// The digest in 64 hexadecimal digits.
    static func hex(_ text: String) -> String {
      let digits = Array("0123456789abcdef".utf8)
      let bytes = digest(Array(text.utf8)).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
      return String(decoding: bytes, as: UTF8.self)
    }

    /// The 32 bytes of the digest.
    static func digest(_ message: [UInt8]) -> [UInt8] {
      var padded = message
      padded.append(0x80)
      while padded.count % 64 != 56 { padded.append(0) }
      let bits = UInt64(message.count) &* 8
      for shift in stride(from: UInt64(56), through: 0, by: -8) {
        padded.append(UInt8(truncatingIfNeeded: bits >> shift))
      }
      var state = initial
      var words = [UInt32](repeating: 0, count: 64)
      for start in stride(from: 0, to: padded.count, by: 64) {
        for index in 0..<16 {
          let place = start + index * 4
          words[index] = padded[place..<(place + 4)].reduce(0) { $0 << 8 | UInt32($1) }
        }
        mix(&words, into: &state)
      }
      return state.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) } }
    }

    private static func mix(_ words: inout [UInt32], into state: inout [UInt32]) {
      func turned(_ word: UInt32, _ bits: UInt32) -> UInt32 { word >> bits | word << (32 - bits) }
      for index in 16..<64 {
        let (early, late) = (words[index - 15], words[index - 2])
        let first = turned(early, 7) ^ turned(early, 18) ^ early >> 3
        let second = turned(late, 17) ^ turned(late, 19) ^ late >> 10
        words[index] = words[index - 16] &+ first &+ words[index - 7] &+ second
      }
      var (a, b, c, d, e, f, g, h) = (
        state[0], state[1], state[2], state[3], state[4], state[5], state[6], state[7]
      )
      for index in 0..<64 {
        let choice = (e & f) ^ (~e & g)
        let majority = (a & b) ^ (a & c) ^ (b & c)
        let first = h &+ (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) &+ choice &+ constants[index] &+ words[index]
        let second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) &+ majority
        (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
      }
      for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] = state[index] &+ word }
    }

    /// The first bits of the fractions of the square roots of the first primes.
    private static let initial = primes.prefix(8).map {
      UInt32(truncatingIfNeeded: root($0, shifted: 64, isCubic: false))
    }
    /// The first bits of the fractions of the cube roots of the first primes.
    private static let constants = primes.map { UInt32(truncatingIfNeeded: root($0, shifted: 96, isCubic: true)) }

    private static let primes: [UInt64] = {
      var primes: [UInt64] = []
      var number: UInt64 = 2
      while primes.count < 64 {
        if primes.allSatisfy({ number % $0 != 0 }) { primes.append(number) }
        number += 1
      }
      return primes
    }()

    /// The integer part of a root of `number` · 2 to the power of `shift`.
    private static func root(_ number: UInt64, shifted shift: UInt128, isCubic: Bool) -> UInt64 {
      let target = UInt128(number) << shift
      var (low, high) = (UInt128(0), UInt128(1) << 40)
      while low < high {
        let middle = (low + high + 1) / 2
        let power = isCubic ? middle * middle * middle : middle * middle
        if power <= target { low = middle } else { high = middle - 1 }
      }
      return UInt64(low)
    }
  }
#endif
