// SPDX-License-Identifier: Apache-2.0

/// The strings that codes stand for, as the encoder needs them: a code and the index after it give the longer code.
///
/// - Format: GIF89a Appendix F, LZW with codes of up to 12 bits.
struct CodeTable: ~Copyable {
  static let limit = 4_096

  /// What stands before the last index of a string, and that index.
  private let parents: UnsafeMutablePointer<UInt16>
  private let symbols: UnsafeMutablePointer<UInt8>
  /// Open addressing: the prefix in the upper 12 bits, then the index, then the code; all ones when free. No entry is
  /// all ones: its code is larger than its prefix.
  private let slots: UnsafeMutablePointer<UInt32>

  private static let slotCount = 1 << 13
  private static let free = UInt32.max

  init() {
    parents = .allocate(capacity: Self.limit)
    symbols = .allocate(capacity: Self.limit)
    slots = .allocate(capacity: Self.slotCount)
    parents.initialize(repeating: 0, count: Self.limit)
    symbols.initialize(repeating: 0, count: Self.limit)
    slots.initialize(repeating: Self.free, count: Self.slotCount)
  }

  deinit {
    parents.deallocate()
    symbols.deallocate()
    slots.deallocate()
  }

  mutating func clear() { slots.update(repeating: Self.free, count: Self.slotCount) }

  /// Looks a string up.
  ///
  /// - Returns: Its code, or as a negative number where it belongs: the complement of a slot.
  @inline(__always)
  func find(_ prefix: Int, _ symbol: UInt8) -> Int {
    let key = UInt32(truncatingIfNeeded: prefix) &<< 8 | UInt32(symbol)
    var slot = Int(truncatingIfNeeded: (key &* 0x9E37_79B1) &>> 19)
    while true {
      let entry = slots[slot]
      if entry &>> 12 == key, entry != Self.free { return Int(entry & 0xFFF) }
      if entry == Self.free { return ~slot }
      slot = (slot &+ 1) & (Self.slotCount &- 1)
    }
  }

  /// Adds a string where ``find(_:_:)`` said.
  @inline(__always)
  mutating func insert(_ code: Int, _ prefix: Int, _ symbol: UInt8, at slot: Int) {
    slots[slot] =
      (UInt32(truncatingIfNeeded: prefix) &<< 8 | UInt32(symbol)) &<< 12 | UInt32(truncatingIfNeeded: code)
    parents[code] = UInt16(truncatingIfNeeded: prefix)
    symbols[code] = symbol
  }

  /// Takes back what was inserted last.
  @inline(__always)
  mutating func removeLast(at slot: Int) { slots[slot] = Self.free }

  /// Writes a string of `count` indexes.
  @inline(__always)
  func copy(_ code: Int, count: Int, to indexes: UnsafeMutablePointer<UInt8>) {
    var code = code
    var position = count &- 1
    while position > 0 {
      indexes[position] = symbols[code]
      code = Int(parents[code])
      position &-= 1
    }
    indexes[0] = UInt8(truncatingIfNeeded: code)
  }
}
