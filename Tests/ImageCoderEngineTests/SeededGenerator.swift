// SPDX-License-Identifier: Apache-2.0

/// Random numbers that are the same in every run: the linear congruential generator of Knuth's MMIX.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// The upper byte of the next state.
  mutating func byte() -> UInt8 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return UInt8(state >> 56)
  }

  mutating func next() -> UInt64 {
    var result: UInt64 = 0
    for _ in 0..<8 { result = (result << 8) | UInt64(byte()) }
    return result
  }
}
