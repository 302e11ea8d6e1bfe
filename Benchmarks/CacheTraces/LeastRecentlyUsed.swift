// SPDX-License-Identifier: Apache-2.0

/// Least recently used, to compare with.
package struct LeastRecentlyUsed {
  package let limit: Int
  private var bytes = 0
  private var last: [Int: (turn: Int, bytes: Int)] = [:]
  private var turns: [(name: Int, turn: Int)] = []
  private var first = 0
  private var turn = 0

  package init(limit: Int) { self.limit = limit }

  package mutating func find(_ name: Int) -> Bool {
    guard let found = last[name] else { return false }
    use(name, found.bytes)
    return true
  }

  package mutating func put(_ name: Int, _ size: Int) {
    bytes += size
    use(name, size)
    while bytes > limit {
      let oldest = turns[first]
      first += 1
      guard let found = last[oldest.name], found.turn == oldest.turn else { continue }
      bytes -= found.bytes
      last[oldest.name] = nil
    }
  }

  private mutating func use(_ name: Int, _ size: Int) {
    turn += 1
    last[name] = (turn, size)
    turns.append((name, turn))
  }
}
