// SPDX-License-Identifier: Apache-2.0

/// Up to 256 different colours, numbered in the order in which they came.
///
/// A colour is a pixel: red in the low byte, alpha, 255, in the high one; 0 stands for transparent.
final class ColorTable {
  private(set) var colors: [UInt32] = []
  /// Pixels of each colour.
  private(set) var weights: [Int] = []

  /// Open addressing: the colour in the low half of a slot, its number in the high half, all ones when free.
  private let slots: UnsafeMutablePointer<UInt64>
  private static let slotCount = 1_024

  init() {
    slots = .allocate(capacity: Self.slotCount)
    slots.initialize(repeating: .max, count: Self.slotCount)
  }

  deinit { slots.deallocate() }

  /// Counts pixels of a colour, which is added unless it is there.
  ///
  /// - Returns: False when there are `limit` others already.
  @discardableResult
  func insert(_ color: UInt32, weight: Int = 1, limit: Int = 256) -> Bool {
    let slot = slot(of: color)
    guard slots[slot] == .max else {
      weights[Int(truncatingIfNeeded: slots[slot] >> 32)] += weight
      return true
    }
    guard colors.count < min(limit, 256) else { return false }
    slots[slot] = UInt64(colors.count) << 32 | UInt64(color)
    colors.append(color)
    weights.append(weight)
    return true
  }

  /// The number of a colour, or nil when it is not there.
  func index(of color: UInt32) -> UInt8? {
    let found = slots[slot(of: color)]
    return found == .max ? nil : UInt8(truncatingIfNeeded: found >> 32)
  }

  /// The slot that holds a colour, or the free one where it belongs. A quarter of the slots is used at most.
  private func slot(of color: UInt32) -> Int {
    var slot = Int(truncatingIfNeeded: (color &* 0x9E37_79B1) >> 22)
    while slots[slot] != .max, UInt32(truncatingIfNeeded: slots[slot]) != color {
      slot = (slot &+ 1) & (Self.slotCount - 1)
    }
    return slot
  }

  /// The colours, those of many pixels first.
  var sorted: [UInt32] {
    colors.indices.sorted { (weights[$0], $1) > (weights[$1], $0) }.map { colors[$0] }
  }
}
