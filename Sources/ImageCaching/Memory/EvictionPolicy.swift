// SPDX-License-Identifier: Apache-2.0

/// Which values go first: S3-FIFO in each of two size classes, whose shares move to where they save more time.
///
/// A new value comes into the small queue of its class. From its old end, values that were used go into the main queue, the
/// others out, and only their keys are kept; a value whose key is there when it is put in again comes into the main queue at once.
/// From the old end of the main queue, a value that was used goes back to the new end, with one use less.
///
/// A share is no wall: nothing goes while there is room. A value that is larger than its class's share, or than its small
/// queue, comes in all the same.
struct EvictionPolicy {
  /// What belongs to values of similar size.
  struct SizeClass {
    var small = EntryQueue(.small)
    var main = EntryQueue(.main)
    var ghosts = GhostQueue()

    var bytes: Int { small.bytes + main.bytes }
    var count: Int { small.count + main.count }
  }

  /// Asks for the uses of an entry and takes it out of the table if it has none.
  ///
  /// - Returns: Whether it is out. Otherwise it has been left in, with `uses` as its new number of uses.
  typealias Taking = (_ entry: MemoryEntry, _ uses: (UInt8) -> UInt8?) -> Bool

  let splitBytes: Int
  let maxCount: Int
  /// The bytes that all values may take.
  private(set) var limit: Int
  private(set) var classes = [SizeClass(), SizeClass()]
  private(set) var shares = ClassShares()

  init(splitBytes: Int, maxCount: Int, limit: Int) {
    self.splitBytes = splitBytes
    self.maxCount = maxCount
    self.limit = limit
  }

  var bytes: Int { classes[0].bytes + classes[1].bytes }
  var count: Int { classes[0].count + classes[1].count }

  private func classIndex(_ bytes: Int) -> Int { bytes < splitBytes ? 0 : 1 }

  mutating func setLimit(_ bytes: Int) {
    limit = bytes
    for index in 0...1 { classes[index].ghosts.trim(shares.bytes(of: index, limit)) }
  }

  /// Puts an entry into its queue; room was made before.
  ///
  /// - Parameter replaced: The queue of the entry whose place it takes, or outside.
  mutating func add(_ entry: MemoryEntry, replaced: MemoryEntry.Queue) {
    let index = classIndex(entry.bytes)
    _ = classes[1 - index].ghosts.take(entry.key)
    let isKnown = classes[index].ghosts.take(entry.key)
    if isKnown {
      let bytes = [classes[0].ghosts.bytes, classes[1].ghosts.bytes]
      shares.note(remakeTime: entry.remakeTime, of: index, ghostBytes: bytes[index], limit)
    }
    if isKnown || replaced == .main {
      classes[index].main.add(entry)
    } else {
      classes[index].small.add(entry)
    }
  }

  /// Takes an entry out of its queue.
  mutating func remove(_ entry: MemoryEntry) {
    let index = classIndex(entry.bytes)
    switch entry.queue {
    case .outside: break
    case .small: classes[index].small.remove(entry)
    case .main: classes[index].main.remove(entry)
    }
  }

  mutating func forgetGhosts() { for index in 0...1 { classes[index].ghosts = GhostQueue() } }

  /// Lets the least valuable entries go, until the others and one more fit.
  ///
  /// - Parameters:
  ///   - more: The bytes of the one that comes, or 0 for outside.
  ///   - limit: The bytes that there may be then.
  ///   - count: How many entries there may be then.
  mutating func makeRoom(for more: Int, limit: Int, count most: Int, _ taking: Taking) -> [MemoryEntry] {
    var gone: [MemoryEntry] = []
    while count > 0, bytes > limit - more || count > most {
      // The class that is farthest over its share, the one that comes included.
      var over = (0...1).map { classes[$0].bytes - shares.bytes(of: $0, limit) }
      if more > 0 { over[classIndex(more)] += more }
      let index = classes[0].count == 0 || classes[1].count > 0 && over[1] >= over[0] ? 1 : 0
      guard let entry = evict(index, shares.bytes(of: index, limit), taking) else { break }
      gone.append(entry)
    }
    return gone
  }

  /// - Parameter share: The bytes of the class.
  private mutating func evict(_ index: Int, _ share: Int, _ taking: Taking) -> MemoryEntry? {
    // Each entry goes back three times at most, unless others use it meanwhile without end.
    var patience = 5 * classes[index].count + 8
    while classes[index].count > 0 {
      patience -= 1
      let isSmall = classes[index].main.count == 0 || classes[index].small.bytes > share / 10 * 3
      if isSmall, let entry = classes[index].small.oldest {
        let isOut = taking(entry) { $0 > 0 && patience > 0 ? 0 : nil }
        classes[index].small.remove(entry)
        guard isOut else {
          classes[index].main.add(entry)
          continue
        }
        classes[index].ghosts.add(entry.key, entry.bytes, limit: share)
        return entry
      }
      guard let entry = classes[index].main.oldest else { continue }
      let isOut = taking(entry) { $0 > 0 && patience > 0 ? $0 - 1 : nil }
      classes[index].main.remove(entry)
      if isOut { return entry }
      classes[index].main.add(entry)
    }
    return nil
  }
}

/// How the memory is divided between small values and large ones.
///
/// A key that is still known when its value is put in again tells what more memory for its class would have saved: the
/// time that it takes to make the value, for as many bytes as the known keys stand for. The shares climb to where both
/// classes would save the same for one more byte.
struct ClassShares {
  /// The part of the small values, in ten thousandths.
  private(set) var ofSmall = 5000
  private var gains = [0.0, 0.0]
  private var notes = 0

  /// Notes after which the shares move, the step, and the least share, in ten thousandths.
  static let (notesOfStep, step, least) = (128, 100.0, 500)

  func bytes(of index: Int, _ limit: Int) -> Int {
    let small = limit / 10_000 * ofSmall + limit % 10_000 * ofSmall / 10_000
    return index == 0 ? small : limit - small
  }

  mutating func note(remakeTime: Int, of index: Int, ghostBytes: Int, _ limit: Int) {
    gains[index] += Double(remakeTime) / Double(max(ghostBytes, bytes(of: index, limit) / 50, 1))
    notes += 1
    guard notes >= Self.notesOfStep, gains[0] + gains[1] > 0 else { return }
    let move = Self.step * (gains[0] - gains[1]) / (gains[0] + gains[1])
    ofSmall = min(max(ofSmall + Int(move.rounded()), Self.least), 10_000 - Self.least)
    (gains, notes) = ([0, 0], 0)
  }
}
