// SPDX-License-Identifier: Apache-2.0

/// Up to 256 different colors, numbered in the order in which they came.
///
/// A color is any number of 32 bits; what its bytes mean is up to the format.
public final class ColorTable {
  /// The most that a table holds: the numbers of colors have 8 bits.
  public static let maxCount = 256

  public private(set) var colors: [UInt32] = []
  /// The sum of what was given for each color; for pixels, how many there are.
  public private(set) var weights: [Int] = []

  /// Open addressing: the color in the low half of a slot, its number in the high half, all ones when free. A quarter of
  /// the slots is used at most, so that a free one is always found.
  @usableFromInline let slots: UnsafeMutablePointer<UInt64>
  @usableFromInline static let slotCount = 1_024

  public init() {
    slots = .allocate(capacity: Self.slotCount)
    slots.initialize(repeating: .max, count: Self.slotCount)
  }

  deinit { slots.deallocate() }

  public var count: Int { colors.count }

  /// The number of a color, which is added unless it is there.
  ///
  /// - Parameter limit: Of colors, at most ``maxCount``.
  /// - Returns: Nil when there are `limit` others already.
  @inlinable
  public func number(adding color: UInt32, limit: Int = ColorTable.maxCount) -> UInt8? {
    let found = slots[slot(of: color)]
    return found == .max ? append(color, limit: limit) : UInt8(truncatingIfNeeded: found >> 32)
  }

  /// Adds the weight of a color, which is added unless it is there.
  ///
  /// - Returns: False when there are `limit` others already.
  @discardableResult
  public func insert(_ color: UInt32, weight: Int = 1, limit: Int = ColorTable.maxCount) -> Bool {
    guard let number = number(adding: color, limit: limit) else { return false }
    weights[Int(number)] += weight
    return true
  }

  /// The number of a color, or nil when it is not there.
  @inlinable
  public func index(of color: UInt32) -> UInt8? {
    let found = slots[slot(of: color)]
    return found == .max ? nil : UInt8(truncatingIfNeeded: found >> 32)
  }

  /// The colors, those of large weight first, equal ones in their order.
  public var sorted: [UInt32] {
    colors.indices.sorted { (weights[$0], $1) > (weights[$1], $0) }.map { colors[$0] }
  }

  /// The slot that holds a color, or the free one where it belongs.
  @inlinable
  func slot(of color: UInt32) -> Int {
    var slot = Int(truncatingIfNeeded: (color &* 0x9E37_79B1) >> 22)
    while slots[slot] != .max, UInt32(truncatingIfNeeded: slots[slot]) != color {
      slot = (slot &+ 1) & (Self.slotCount &- 1)
    }
    return slot
  }

  @usableFromInline
  func append(_ color: UInt32, limit: Int) -> UInt8? {
    guard colors.count < min(limit, Self.maxCount) else { return nil }
    let number = colors.count
    slots[slot(of: color)] = UInt64(number) << 32 | UInt64(color)
    colors.append(color)
    weights.append(0)
    return UInt8(truncatingIfNeeded: number)
  }
}
