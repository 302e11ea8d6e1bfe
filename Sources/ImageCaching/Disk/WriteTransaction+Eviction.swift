// SPDX-License-Identifier: Apache-2.0

extension WriteTransaction {
  /// What eviction did.
  struct Eviction: Sendable {
    var count = 0
    /// Whether the cache is within the bounds.
    var isDone = false
  }

  /// The share of the bytes, in percent, that values in the database may have when there is not enough room for all.
  static let inlineShare = 30
  /// The share of a class, in percent, that entries on probation have.
  static let probationShare = 10

  /// Evicts entries until the cache is within bounds: S3-FIFO in each of the two classes.
  ///
  /// - Parameter steps: Entries to look at, at most.
  func evict(toBytes bytes: Int, count: Int, steps: Int) throws(SQLiteFailure) -> Eviction {
    var eviction = Eviction()
    guard atMost.bytes > bytes || atMost.count > count else {
      eviction.isDone = true
      return eviction
    }
    var sums = try QueueSums(database.totals())
    var remaining = steps
    while sums.all.bytes > bytes || sums.all.count > count {
      guard remaining > 0 else { return eviction }
      remaining -= 1
      guard let isInline = sums.classToShrink(isOverBytes: sums.all.bytes > bytes, allowed: bytes) else { break }
      if try shrink(isInline: isInline, &sums) { eviction.count += 1 }
    }
    if eviction.count > 0 { try limitGhosts(entries: sums.all.count) }
    eviction.isDone = true
    return eviction
  }

  /// Looks at the oldest entry of a class.
  ///
  /// - Returns: Whether it was evicted.
  private func shrink(isInline: Bool, _ sums: inout QueueSums) throws(SQLiteFailure) -> Bool {
    let probation = CacheQueue(isInline: isInline, isMain: false)
    let main = CacheQueue(isInline: isInline, isMain: true)
    let queue = sums.isProbationOver(isInline: isInline) ? probation : main
    guard let entry = try database.oldest(in: queue) else {
      // The totals say that there are some.
      try recountTotals()
      sums = try QueueSums(database.totals())
      return false
    }
    sums.subtract(entry, from: queue)
    guard entry.hits > 0 else {
      if !queue.isMain { try rememberGhost(of: entry) }
      try remove(entry)
      return true
    }
    // An entry that was used on probation goes to main; in main, it goes round again with one use fewer.
    isMarking = true
    try database.run(.move, entry.id, main.rank(nextPosition()))
    try database.run(.setHits, entry.id, queue.isMain ? min(entry.hits, DiskEntry.maxHits) - 1 : 0)
    sums.add(entry, to: main)
    return false
  }
}

/// The sums of the four queues during eviction.
private struct QueueSums {
  private var sums: [CacheTotals.Sum]

  init(_ totals: CacheTotals) {
    sums = CacheQueue.all.map { queue in totals.sum { other, _ in other == queue } }
  }

  var all: CacheTotals.Sum { sum(sums) }

  private func sum(_ some: some Sequence<CacheTotals.Sum>) -> CacheTotals.Sum {
    some.reduce(into: CacheTotals.Sum()) { result, sum in
      result.bytes = result.bytes.addingReportingOverflow(sum.bytes).partialValue
      result.count = result.count.addingReportingOverflow(sum.count).partialValue
    }
  }

  private func ofClass(isInline: Bool) -> CacheTotals.Sum { sum(sums[isInline ? 0..<2 : 2..<4]) }

  /// Which class gives an entry: the one that has more than its share, or nil if there are no entries.
  func classToShrink(isOverBytes: Bool, allowed: Int) -> Bool? {
    let (inline, files) = (ofClass(isInline: true), ofClass(isInline: false))
    guard inline.count > 0 || files.count > 0 else { return nil }
    guard inline.count > 0 else { return false }
    guard files.count > 0 else { return true }
    return isOverBytes ? inline.bytes > allowed / 100 * WriteTransaction.inlineShare : inline.count > files.count
  }

  func isProbationOver(isInline: Bool) -> Bool {
    let probation = sums[isInline ? 0 : 2]
    guard probation.count > 0 else { return false }
    return sums[isInline ? 1 : 3].count <= 0
      || probation.bytes > ofClass(isInline: isInline).bytes / 100 * WriteTransaction.probationShare
  }

  mutating func subtract(_ entry: DiskEntry, from queue: CacheQueue) {
    sums[queue.number].bytes = sums[queue.number].bytes.subtractingReportingOverflow(entry.cost).partialValue
    sums[queue.number].count = sums[queue.number].count.subtractingReportingOverflow(1).partialValue
  }

  mutating func add(_ entry: DiskEntry, to queue: CacheQueue) {
    sums[queue.number].add(entry.cost)
  }
}
