// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// The changes of one transaction. Files that lose their entries are removed after it.
///
/// - Threads: One.
final class WriteTransaction {
  let database: CacheDatabase
  let options: DiskCache.Options
  private let folder: CacheFolder
  private var sequence: Int
  private let firstSequence: Int
  /// Files that no entry has any more when the transaction has ended.
  private(set) var removedFiles: [ValueFile] = []

  /// Begins to change a database, in a transaction that writes.
  init(_ database: CacheDatabase, _ store: CacheStore) throws(SQLiteFailure) {
    self.database = database
    options = store.options
    folder = store.folder
    let statement = try database.statement("SELECT count FROM totals WHERE slot = ?1")
    defer { statement.reset() }
    statement.bind(1, CacheDatabase.sequenceSlot)
    guard try statement.step() else { throw .damage("the totals have no counter of positions") }
    sequence = statement.integer(0)
    firstSequence = sequence
    guard sequence >= 0, sequence < 1 << (CacheQueue.positionBits - 1) else {
      throw .damage("the counter of positions is \(sequence)")
    }
  }

  /// Writes the counter. The last change of the transaction.
  func finish() throws(SQLiteFailure) {
    guard sequence != firstSequence else { return }
    try database.run("UPDATE totals SET count = ?1 WHERE slot = ?2", sequence, CacheDatabase.sequenceSlot)
  }

  /// A position that no entry, value or ghost has had.
  func nextPosition() -> Int {
    sequence += 1
    return sequence
  }

  /// Adds an entry in place of the one that the key has.
  ///
  /// - Parameter bytes: The value, if it goes into the database.
  func put(_ new: DiskEntry, digest: [UInt8], bytes: UnsafeRawBufferPointer?) throws(SQLiteFailure) {
    var entry = new
    var isMain = false
    if let old = try database.entry(DigestedKey(bytes: new.key, digest: digest)) {
      isMain = old.key == new.key && CacheQueue(identifier: old.id)?.isMain == true
      try remove(old)
    } else {
      // A key that was evicted not long ago comes back.
      isMain = try forgetGhost(digest)
    }
    let position = nextPosition()
    if let bytes {
      entry.place = position
      try database.insertValue(bytes, at: position)
    }
    entry.id = CacheQueue(isInline: entry.isInline, isMain: isMain).identifier(position)
    entry.seal = entry.correctSeal
    try database.insert(entry, digest: digest)
  }

  /// Removes an entry and its value.
  func remove(_ entry: DiskEntry) throws(SQLiteFailure) {
    try database.delete(entry)
    // A damaged entry may name another one's file. Its own is swept later.
    if !entry.isInline, entry.isSound {
      removedFiles.append(ValueFile(UInt64(bitPattern: Int64(entry.place)), in: folder))
    }
  }

  /// Removes the entry of a key.
  ///
  /// - Returns: Whether there was one.
  func remove(_ key: DigestedKey) throws(SQLiteFailure) -> Bool {
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
  func updateMetadata(_ metadata: [UInt8], of key: DigestedKey, at time: Int) throws(SQLiteFailure) -> Bool {
    guard var entry = try database.entry(key), entry.key == key.bytes, entry.isSound else { return false }
    entry.metadata = metadata
    entry.stored = time
    entry.seal = entry.correctSeal
    try database.updateMetadata(entry)
    return true
  }

  /// Writes down uses of entries. One that was moved meanwhile has another identifier: its use is lost.
  func note(_ uses: [(id: Int, use: UseNotes.Use)]) throws(SQLiteFailure) {
    // In the order of the table, those of one page together.
    for (id, use) in uses.sorted(by: { $0.id < $1.id }) {
      try database.run(
        "UPDATE entry SET hits = min(\(DiskEntry.maxHits), hits + ?2), used = max(used, ?3) WHERE id = ?1", id,
        use.hits,
        use.time)
    }
  }

  /// Counts the totals anew, if they are not what the entries are.
  ///
  /// - Returns: Whether they were wrong.
  @discardableResult
  func recountTotals() throws(SQLiteFailure) -> Bool {
    guard let counted = try database.countedTotalsIfWrong() else { return false }
    try database.run("DELETE FROM totals WHERE slot >= 0")
    for slot in CacheQueue.slots {
      let sum = counted[slot] ?? CacheTotals.Sum()
      try database.run("INSERT INTO totals VALUES(?1, ?2, ?3)", slot, sum.bytes, sum.count)
    }
    return true
  }

  // MARK: Ghosts

  private func forgetGhost(_ digest: [UInt8]) throws(SQLiteFailure) -> Bool {
    let statement = try database.statement("DELETE FROM ghost WHERE digest = ?1")
    statement.bind(1, digest)
    try statement.run()
    return database.connection.changes > 0
  }

  /// Remembers the key of an entry that is evicted.
  func rememberGhost(of entry: DiskEntry) throws(SQLiteFailure) {
    let statement = try database.statement(
      "INSERT INTO ghost(position, digest) SELECT ?1, digest FROM entry WHERE id = ?2")
    statement.bind(1, nextPosition())
    statement.bind(2, entry.id)
    try statement.run()
  }

  /// Forgets the oldest ghosts: as many positions back as there are entries.
  func limitGhosts(entries: Int) throws(SQLiteFailure) {
    try database.run("DELETE FROM ghost WHERE position <= ?1", sequence - max(entries, 0))
  }
}
