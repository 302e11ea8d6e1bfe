// SPDX-License-Identifier: Apache-2.0

/// What ``MemoryCache`` does, as plainly as it can be said: arrays, one thread, no table.
struct PlainCache {
  struct Item: Equatable {
    let name: Int
    let bytes: Int
    let time: Int
    var uses = 0
  }

  struct Part {
    /// From the oldest on.
    var small: [Item] = []
    var main: [Item] = []
    var ghosts: [Item] = []

    var bytes: Int { (small + main).reduce(0) { $0 + $1.bytes } }
  }

  let limit: Int
  let split: Int
  var parts = [Part(), Part()]
  var evicted: [Int] = []
  var share = 5000
  var gains = [0.0, 0.0]
  var notes = 0

  init(limit: Int, split: Int) {
    self.limit = limit
    self.split = split
  }

  func room(_ part: Int, _ limit: Int) -> Int {
    let small = limit / 10_000 * share + limit % 10_000 * share / 10_000
    return part == 0 ? small : limit - small
  }

  mutating func find(_ name: Int) -> Bool {
    for part in 0...1 {
      if let index = parts[part].small.firstIndex(where: { $0.name == name }) {
        parts[part].small[index].uses = min(parts[part].small[index].uses + 1, 3)
        return true
      }
      if let index = parts[part].main.firstIndex(where: { $0.name == name }) {
        parts[part].main[index].uses = min(parts[part].main[index].uses + 1, 3)
        return true
      }
    }
    return false
  }

  /// Puts in what is not there.
  mutating func put(_ name: Int, _ bytes: Int, _ time: Int) {
    guard bytes <= limit else { return }
    let part = bytes < split ? 0 : 1
    makeRoom(for: bytes, part, limit)
    let item = Item(name: name, bytes: bytes, time: time)
    guard let index = parts[part].ghosts.firstIndex(where: { $0.name == name }) else {
      return parts[part].small.append(item)
    }
    parts[part].ghosts.remove(at: index)
    parts[part].main.append(item)
    let ghosts = parts[part].ghosts.reduce(0) { $0 + $1.bytes }
    gains[part] += Double(time) / Double(max(ghosts, room(part, limit) / 50, 1))
    notes += 1
    if notes >= 128 {
      let move = 100 * (gains[0] - gains[1]) / (gains[0] + gains[1])
      share = min(max(share + Int(move.rounded()), 500), 9500)
      (gains, notes) = ([0, 0], 0)
    }
  }

  mutating func makeRoom(for more: Int, _ part: Int?, _ limit: Int) {
    while parts[0].bytes + parts[1].bytes + more > limit, !(parts[0].bytes + parts[1].bytes == 0) {
      let over = (0...1).map { parts[$0].bytes + ($0 == part ? more : 0) - room($0, limit) }
      var from = over[1] >= over[0] ? 1 : 0
      if parts[from].bytes == 0 { from = 1 - from }
      evict(from, room(from, limit))
    }
  }

  mutating func evict(_ part: Int, _ share: Int) {
    while true {
      let small = parts[part].small.reduce(0) { $0 + $1.bytes }
      if parts[part].main.isEmpty || small > share / 10 * 3 {
        var item = parts[part].small.removeFirst()
        if item.uses > 0 {
          item.uses = 0
          parts[part].main.append(item)
          continue
        }
        evicted.append(item.name)
        parts[part].ghosts.append(item)
        while parts[part].ghosts.reduce(0, { $0 + $1.bytes }) > share { parts[part].ghosts.removeFirst() }
        return
      }
      var item = parts[part].main.removeFirst()
      if item.uses == 0 {
        evicted.append(item.name)
        return
      }
      item.uses -= 1
      parts[part].main.append(item)
    }
  }
}
