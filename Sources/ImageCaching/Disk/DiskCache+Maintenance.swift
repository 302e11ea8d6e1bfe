// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
public import ImageCoderModel
import Synchronization

extension DiskCache {
  /// Entries that a transaction removes or checks.
  private static let step = 256

  /// Removes all entries, or those that meet all conditions, in small steps between which others can write.
  ///
  /// - Parameters:
  ///   - kind: Only entries of this kind.
  ///   - age: Only entries that were written or confirmed at least so many seconds ago.
  ///   - idle: Only entries that were last used at least so many seconds ago. Uses count to the hour.
  /// - Returns: How many were removed.
  /// - Throws: ``CoderError/Code/io``; what was removed until then stays so.
  @discardableResult
  public func removeAll(
    kind: Kind? = nil, olderThan age: Int? = nil, unusedFor idle: Int? = nil
  ) throws(CoderError) -> Int {
    // What is written from now on is left alone, so that this ends.
    let now = options.now()
    let storedUntil = now.subtractingReportingOverflow(max(0, age ?? 0)).partialValue
    let usedUntil = idle.map { now.subtractingReportingOverflow(max(0, $0)).partialValue }
    try flush()
    var (removed, last) = (0, Int.min)
    while true {
      let start = last
      let step = try writer.write { (transaction) throws(SQLiteFailure) in
        let entries = try transaction.database.entries(after: start, count: Self.step)
        let condemned = entries.filter { entry in
          // Of one that is damaged, nothing is known.
          !entry.isSound
            || (kind == nil || kind?.rawValue == entry.kind) && entry.stored <= storedUntil
              && (usedUntil.map { entry.used <= $0 } ?? true)
        }
        for entry in condemned { try transaction.remove(entry) }
        return (removed: condemned.count, last: entries.last?.id)
      }
      removed += step.removed
      guard let next = step.last else { break }
      last = next
    }
    try reclaim()
    return removed
  }

  /// Evicts entries until the cache is within its limits, or within smaller ones, in small steps.
  ///
  /// Writing does this by itself; this is for programs that want the space now.
  ///
  /// - Parameters:
  ///   - bytes: The most bytes of values, metadata and keys, or nil for the limit of the options.
  ///   - count: The most entries, or nil for the limit of the options.
  /// - Returns: How many were evicted.
  /// - Throws: ``CoderError/Code/io``; what was evicted until then stays so.
  @discardableResult
  public func trim(toBytes bytes: Int? = nil, count: Int? = nil) throws(CoderError) -> Int {
    let bytes = max(0, min(bytes ?? .max, options.maxBytes))
    let count = max(0, min(count ?? .max, options.maxCount))
    try flush()
    var evicted = 0
    while true {
      let step = try writer.write { (transaction) throws(SQLiteFailure) in
        try transaction.evict(toBytes: bytes, count: count, steps: CacheWriter.evictionSteps)
      }
      evicted += step.count
      if step.isDone { break }
    }
    try reclaim()
    return evicted
  }

  /// Gives free pages of the database back to the file system, if they are more than a quarter of it.
  private func reclaim() throws(CoderError) {
    while true {
      let isDone = try store.read { (database) throws(SQLiteFailure) in
        let free = try database.connection.integer("PRAGMA freelist_count") ?? 0
        let all = try database.connection.integer("PRAGMA page_count") ?? 0
        guard free > max(Self.step, all / 4) else { return true }
        try database.connection.execute("PRAGMA incremental_vacuum(\(Self.step))")
        return false
      }
      if isDone { break }
    }
    try store.read { (database) throws(SQLiteFailure) in try database.connection.checkpoint() }
  }

  /// Numbers of the cache, from sums that are kept as entries come and go.
  ///
  /// - Throws: ``CoderError/Code/io``.
  public func statistics() throws(CoderError) -> Statistics {
    let totals = try store.read { (database) throws(SQLiteFailure) in try database.totals() }
    var statistics = Statistics()
    let all = totals.sum()
    (statistics.bytes, statistics.count) = (all.bytes, all.count)
    statistics.inlineBytes = totals.sum { queue, _ in queue.isInline }.bytes
    statistics.fileBytes = totals.sum { queue, _ in !queue.isInline }.bytes
    for kind in Kind.allCases {
      let sum = totals.sum { $1 == kind }
      statistics.countByKind[kind] = sum.count
      statistics.bytesByKind[kind] = sum.bytes
    }
    statistics.databaseBytes = store.folder.databaseBytes(store.generation.number)
    statistics.hits = counters.hits.load(ordering: .relaxed)
    statistics.misses = counters.misses.load(ordering: .relaxed)
    return statistics
  }

  // MARK: Sweeping

  /// Seconds between two sweeps.
  private static let sweepInterval = 86_400
  /// Seconds after which a file without an entry is an orphan: until then, its entry may still be on its way.
  static let orphanAge = 3600

  /// Sweeps in the background, once a day for all processes together.
  func beginSweep() {
    let now = options.now()
    do throws(CoderError) {
      let last = try store.read { (database) throws(SQLiteFailure) in try database.totals().swept }
      // A clock that was set back does not put it off for long.
      guard now &- last >= Self.sweepInterval || last > now else { return }
      try writer.write { (transaction) throws(SQLiteFailure) in
        try transaction.database.run(.setSweep, now)
      }
      let isFresh = last == 0
      try ThreadPool.shared.start(for: "a thread that sweeps a cache") { [weak self] in
        do throws(CoderError) {
          // What a database that was set aside has left is in nobody's way for long.
          for folder in 0..<256 { try self?.sweepOrphans(folder, olderThan: isFresh ? 60 : Self.orphanAge) }
          guard let self else { return }
          if let maxAge = options.maxAge { try removeAll(olderThan: maxAge) }
          _ = try writer.write { (transaction) throws(SQLiteFailure) in try transaction.recountTotals() }
          try trim()
        } catch {
          self?.store.note(.failure(error))
        }
      }
    } catch {
      store.note(.failure(error))
    }
  }

  /// Removes files that no entry has.
  ///
  /// - Parameters:
  ///   - number: Which of the 256 folders of files.
  ///   - age: Only files that were last written at least so many seconds ago.
  ///   - isRemoving: Whether they are removed or only counted.
  /// - Returns: How many there were.
  @discardableResult
  package func sweepOrphans(_ number: Int, olderThan age: Int, isRemoving: Bool = true) throws(CoderError) -> Int {
    let digits = String(number, radix: 16)
    let folder = "\(store.folder.root)/files/\(number < 16 ? "0" : "")\(digits)"
    var orphans = 0
    for name in CacheFolder.names(in: folder) {
      guard let file = ValueFile(name, in: store.folder) else { continue }
      var status = stat()
      // By the clock of the file system, which is that of the files.
      guard file.path.withSystemName({ lstat($0, &status) }) == 0, time(nil) &- status.st_mtim.tv_sec >= age else {
        continue
      }
      let isOrphan = try store.read { (database) throws(SQLiteFailure) in try !database.hasEntry(file) }
      guard isOrphan else { continue }
      orphans += 1
      if isRemoving { file.remove() }
    }
    return orphans
  }
}
