// SPDX-License-Identifier: Apache-2.0

/// A function of positive numbers as short lines: 64 for each power of two, so that small numbers are as exact as large
/// ones. A number's own bits say which line it is on.
struct SegmentTable: Sendable {
  /// Value at the start of a line, and what it rises by within one step of the lowest bits.
  let lines: [SIMD2<Float>]
  let lowest: Float
  let highest: Float

  /// Bits of a number's fraction that are below a line: 23 - 6.
  private static let lowBits: UInt32 = 17

  /// - Parameters:
  ///   - exponents: Powers of two between which the lines lie. Numbers beyond count as the nearest one.
  ///   - function: Must be finite.
  init(_ exponents: Range<Int>, _ function: (Double) -> Double) {
    lowest = Float(sign: .plus, exponent: exponents.lowerBound, significand: 1)
    highest = Float(sign: .plus, exponent: exponents.upperBound, significand: 1)
    var lines: [SIMD2<Float>] = []
    let count = UInt32(exponents.count) << (23 - Self.lowBits)
    lines.reserveCapacity(Int(count) + 1)
    var start = function(Double(lowest))
    for index in 0...count {
      let end = function(Double(Float(bitPattern: lowest.bitPattern + (index + 1) << Self.lowBits)))
      lines.append(SIMD2(Float(start), Float((end - start) / Double(1 << Self.lowBits))))
      start = end
    }
    self.lines = lines
  }

  /// The function's value; that of the lowest number for what is no number.
  ///
  /// - Parameter lines: The table's lines, which the caller holds.
  @inline(__always)
  func value(_ number: Float, _ lines: UnsafePointer<SIMD2<Float>>) -> Float {
    let inside = number > lowest ? (number < highest ? number : highest) : lowest
    let bits = inside.bitPattern &- lowest.bitPattern
    let line = lines[Int(bits >> Self.lowBits)]
    return line.x + line.y * Float(Int32(truncatingIfNeeded: bits & ((1 << Self.lowBits) &- 1)))
  }
}
