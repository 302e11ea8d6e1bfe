// SPDX-License-Identifier: Apache-2.0

/// Keys of values that went before anybody asked for them again.
struct GhostQueue {
  private struct Ghost {
    let key: CacheKey
    let bytes: Int
    let number: Int
  }

  /// Keys are small, but values may be, too.
  static let mostKeys = 1 << 16

  private(set) var bytes = 0
  private var numbers: [CacheKey: Int] = [:]
  /// From the oldest on, among them some that were taken out.
  private var ghosts: [Ghost] = []
  private var first = 0
  private var next = 0

  /// - Parameter limit: The bytes of all values of which keys are kept.
  mutating func add(_ key: CacheKey, _ size: Int, limit: Int) {
    _ = take(key)
    numbers[key] = next
    bytes += size
    ghosts.append(Ghost(key: key, bytes: size, number: next))
    next += 1
    trim(limit)
    if ghosts.count > 2 * numbers.count + 64 {
      ghosts = ghosts[first...].filter { numbers[$0.key] == $0.number }
      first = 0
    }
  }

  /// Takes a key out.
  ///
  /// - Returns: Whether it was there.
  mutating func take(_ key: CacheKey) -> Bool {
    guard let number = numbers.removeValue(forKey: key) else { return false }
    if let ghost = ghost(number) { bytes -= ghost.bytes }
    return true
  }

  private func ghost(_ number: Int) -> Ghost? {
    // They are in the order of their numbers.
    var (low, high) = (first, ghosts.count)
    while low < high {
      let middle = (low + high) / 2
      if ghosts[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low < ghosts.count && ghosts[low].number == number ? ghosts[low] : nil
  }

  mutating func trim(_ limit: Int) {
    while first < ghosts.count, bytes > limit || numbers.count > Self.mostKeys {
      let ghost = ghosts[first]
      first += 1
      guard numbers[ghost.key] == ghost.number else { continue }
      numbers[ghost.key] = nil
      bytes -= ghost.bytes
    }
  }
}
