// SPDX-License-Identifier: Apache-2.0

/// How a file's bytes are cut into pieces that arrive one after the other; the same pieces each time.
package struct Chunking: Sendable, CustomStringConvertible {
  package let description: String
  /// Bytes in each piece, or nil for random sizes.
  private let size: Int?
  private var state: UInt64

  private init(size: Int?, state: UInt64, description: String) {
    self.size = size
    self.state = state
    self.description = description
  }

  package init(size: Int) {
    self.init(
      size: max(size, 1), state: 0, description: size == 1 ? "pieces of 1 byte" : "pieces of \(size) bytes")
  }

  /// Pieces of 1 byte to 64 KiB, small ones as often as large ones. Seed 0 is for single bytes.
  package init(seed: UInt64) {
    if seed == 0 {
      self.init(size: 1)
    } else {
      self.init(size: nil, state: seed, description: "pieces of seed \(seed)")
    }
  }

  /// Single bytes, and seven times random sizes.
  package static let seeded = (0..<8).map { Chunking(seed: $0) }

  /// The size of the next piece of a file of which `left` of `total` bytes have not arrived.
  package mutating func next(left: Int, of total: Int) -> Int {
    if let size { return min(size, left) }
    // The width of a size is random first: in a short file many pieces are short.
    let widths = min(16, Int.bitWidth - total.leadingZeroBitCount)
    return min(1 + below(1 << below(widths + 1)), left)
  }

  /// A random place.
  mutating func place(in range: Range<Int>) -> Int { range.lowerBound + below(range.count) }

  /// SplitMix64, by Steele, Lea and Flood.
  private mutating func below(_ bound: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
  }
}
