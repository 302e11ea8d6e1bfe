// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// The changes of one transaction. Files that lose their entries are removed after it.
///
/// - Threads: One.
final class WriteTransaction {
  let database: CacheDatabase
  let options: DiskCache.Options
  private let folder: CacheFolder
  /// The last position that was given out.
  private var sequence: Int
  private var mark: Int
  /// Whether the mark moves to the end: an entry that goes must not leave its position to another one.
  var isMarking = false
  /// What there is, and what was removed or replaced since.
  private(set) var atMost: CacheTotals.Sum
  /// Files that no entry has any more when the transaction has ended.
  private(set) var removedFiles: [ValueFile] = []

  /// Begins to change a database, in a transaction that writes.
  init(_ database: CacheDatabase, _ store: CacheStore) throws(SQLiteFailure) {
    self.database = database
    options = store.options
    folder = store.folder
    let totals = try database.totals()
    (mark, sequence, atMost) = (totals.mark, totals.sequence, totals.sum())
    guard sequence < CacheQueue.maxPosition / 2 else { throw .damage("an entry has the position \(sequence)") }
  }

  /// The most positions after the mark. Counting so many entries costs less than writing a page of `totals`.
  private static let maxUnmarked = 32

  /// Moves the mark, if it is time. The last change of the transaction.
  func finish() throws(SQLiteFailure) {
    guard isMarking || sequence - mark > Self.maxUnmarked else { return }
    let totals = try database.totals()
    try moveMark(totals.sums.filter { totals.incomplete.contains($0.key) })
  }

  /// Moves the mark to the end, with the sums that are others then.
  private func moveMark(_ sums: [Int: CacheTotals.Sum]) throws(SQLiteFailure) {
    for (slot, sum) in sums {
      try database.run(.setTotal, slot, sum.bytes, sum.count)
    }
    try database.run(.setMark, sequence)
    mark = sequence
  }

  /// A position that no entry, value or ghost has had.
  func nextPosition() -> Int {
    sequence += 1
    return sequence
  }

  /// Adds an entry in place of the one that has its number.
  ///
  /// - Parameter bytes: The value, if it goes into the database.
  func put(_ new: DiskEntry, bytes: UnsafeRawBufferPointer?) throws(SQLiteFailure) {
    var entry = new
    var isMain = false
    if let old = try database.entry(id: new.id) {
      isMain = old.key == new.key && CacheQueue(rank: old.rank)?.isMain == true
      try remove(old)
    } else {
      // A key that was evicted not long ago comes back.
      try database.run(.removeGhost, new.id)
      isMain = database.connection.changes > 0
    }
    let position = nextPosition()
    if let bytes {
      entry.place = position
      try database.insertValue(bytes, at: position)
    }
    entry.rank = CacheQueue(isInline: entry.isInline, isMain: isMain).rank(position)
    entry.seal = entry.correctSeal
    try database.insert(entry)
    atMost.add(entry.cost)
  }

  /// Removes an entry and its value.
  func remove(_ entry: DiskEntry) throws(SQLiteFailure) {
    isMarking = true
    try database.delete(entry)
    // A damaged entry may name another one's file. Its own is swept later.
    if !entry.isInline, entry.isSound {
      removedFiles.append(ValueFile(UInt64(bitPattern: Int64(entry.place)), in: folder))
    }
  }

  /// Removes the entry of a key.
  ///
  /// - Returns: Whether there was one.
  func remove(_ key: NumberedKey) throws(SQLiteFailure) -> Bool {
    guard let entry = try database.entry(key), entry.key == key.bytes else { return false }
    try remove(entry)
    return true
  }

  /// Removes an entry that is damaged, unless it was replaced meanwhile.
  func removeDamaged(_ entry: DiskEntry) throws(SQLiteFailure) {
    guard let found = try database.entry(id: entry.id), found.place == entry.place, found.seal == entry.seal else {
      return
    }
    try remove(found)
  }

  /// Replaces the metadata of a key's entry, and confirms it.
  ///
  /// - Returns: Whether there was one.
  func updateMetadata(_ metadata: [UInt8], of key: NumberedKey, at time: Int) throws(SQLiteFailure) -> Bool {
    guard var entry = try database.entry(key), entry.key == key.bytes, entry.isSound else { return false }
    entry.metadata = metadata
    entry.stored = time
    entry.seal = entry.correctSeal
    try database.updateMetadata(entry)
    atMost.add(entry.cost)
    return true
  }

  /// Writes down uses of entries that are still there.
  func note(_ uses: [(id: Int, use: UseNotes.Use)]) throws(SQLiteFailure) {
    // In the order of the table, those of one page together.
    for (id, use) in uses.sorted(by: { $0.id < $1.id }) { try database.run(.noteUse, id, use.hits, use.time) }
  }

  /// Counts the totals anew, if they are not what the entries are.
  ///
  /// - Returns: Whether they were wrong.
  @discardableResult
  func recountTotals() throws(SQLiteFailure) -> Bool {
    guard let counted = try database.countedTotalsIfWrong() else { return false }
    try database.run(.removeTotals)
    let none = CacheQueue.slots.map { ($0, CacheTotals.Sum()) }
    try moveMark(counted.merging(none) { counted, _ in counted })
    return true
  }

  // MARK: Ghosts

  /// Remembers an entry that is evicted.
  func rememberGhost(of entry: DiskEntry) throws(SQLiteFailure) {
    try database.run(.addGhost, nextPosition(), entry.id)
  }

  /// Forgets the oldest ghosts: as many positions back as there are entries.
  func limitGhosts(entries: Int) throws(SQLiteFailure) {
    try database.run(.removeOldGhosts, sequence - max(entries, 0))
  }
}
