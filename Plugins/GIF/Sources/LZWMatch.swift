// SPDX-License-Identifier: Apache-2.0

/// The longest known string that pixels with a choice of indexes may be.
///
/// All strings that fit are followed side by side, up to a few.
struct LZWMatch: ~Copyable {
  private static let capacity = 24

  private(set) var code = 0
  private(set) var count = 0
  /// The string's first index.
  private(set) var symbol: UInt8 = 0
  private var error = 0

  private var current: UnsafeMutablePointer<Strand>
  private var following: UnsafeMutablePointer<Strand>

  /// A string that fits so far.
  private struct Strand {
    var code: Int32
    var error: Int32
  }

  init() {
    current = .allocate(capacity: Self.capacity)
    following = .allocate(capacity: Self.capacity)
  }

  deinit {
    current.deallocate()
    following.deallocate()
  }

  /// Looks for the longest string that starts at a pixel.
  ///
  /// - Parameters:
  ///   - previous: The code before, or -1: with the index that the string starts with, it is going to be a string of its
  ///     own, which may already be used.
  ///   - next: The code of that string.
  mutating func search(
    _ choices: IndexChoices, at position: Int, after previous: Int, adding next: Int, to table: inout CodeTable
  ) {
    (code, count, error) = (0, 0, 0)
    choices.forEach(at: position) { (first, firstError) in
      var slot = -1
      if previous >= 0, next < CodeTable.limit {
        let found = table.find(previous, first)
        if found < 0 {
          slot = ~found
          table.insert(next, previous, first, at: slot)
        }
      }
      follow(first, firstError, choices, at: position, in: table)
      if slot >= 0 { table.removeLast(at: slot) }
    }
  }

  @inline(__always)
  private mutating func follow(
    _ first: UInt8, _ firstError: Int, _ choices: IndexChoices, at position: Int, in table: borrowing CodeTable
  ) {
    current[0] = Strand(code: Int32(first), error: Int32(truncatingIfNeeded: firstError))
    var strands = 1
    var length = 1
    while position &+ length < choices.count {
      var found = 0
      choices.forEach(at: position &+ length) { (symbol, symbolError) in
        for strand in 0..<strands where found < Self.capacity {
          let longer = table.find(Int(current[strand].code), symbol)
          guard longer >= 0 else { continue }
          following[found] = Strand(
            code: Int32(truncatingIfNeeded: longer),
            error: current[strand].error &+ Int32(truncatingIfNeeded: symbolError))
          found &+= 1
        }
      }
      guard found > 0 else { break }
      swap(&current, &following)
      strands = found
      length &+= 1
    }
    var best = 0
    for strand in 1..<max(1, strands) where current[strand].error < current[best].error { best = strand }
    guard length > count || (length == count && current[best].error < error) else { return }
    (count, code, error, symbol) = (length, Int(current[best].code), Int(current[best].error), first)
  }
}
