// SPDX-License-Identifier: Apache-2.0

/// Choices that follow from the bytes: the same for the same bytes.
package struct Choices {
  private var state: UInt64

  package init(_ bytes: [UInt8]) {
    // FNV-1a of the length and the last bytes, which mutations reach as any others.
    state = 0xCBF2_9CE4_8422_2325 ^ UInt64(bytes.count)
    for byte in bytes.suffix(64) { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }

  /// A number in `0 ..< bound`.
  package mutating func below(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(max(bound, 1)))
  }
}
