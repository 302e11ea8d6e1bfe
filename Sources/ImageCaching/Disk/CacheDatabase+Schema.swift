// SPDX-License-Identifier: Apache-2.0

extension CacheDatabase {
  /// The version of the schema, in `user_version`.
  static let version = 3

  /// `entry` has a row for each value, under a number that its key has, and no bytes of the value, so that eviction touches
  /// few pages. Its index has the order of four queues; see ``CacheQueue``. `usage` has the uses of those that were used, a
  /// thousand to a page: noting them in `entry` would write nearly all its pages again and again. `ghost` remembers entries
  /// that were evicted.
  ///
  /// `totals` has the sums of each queue and kind, of the entries up to a position, the *mark*. Newer ones are few, and are
  /// counted when the sums are asked for, so that adding an entry writes no page of `totals`. Triggers keep the sums right
  /// when others go.
  static let schema = [
    """
    CREATE TABLE entry(id INTEGER PRIMARY KEY, rank INTEGER NOT NULL, key BLOB NOT NULL, kind INTEGER NOT NULL, \
    size INTEGER NOT NULL, checksum INTEGER NOT NULL, stored INTEGER NOT NULL, inline INTEGER NOT NULL, \
    place INTEGER NOT NULL, metadata BLOB NOT NULL, seal INTEGER NOT NULL, cost INTEGER NOT NULL)
    """,
    "CREATE INDEX entry_rank ON entry(rank, kind, cost)",
    "CREATE UNIQUE INDEX entry_file ON entry(place) WHERE inline = 0",
    "CREATE TABLE value(place INTEGER PRIMARY KEY, bytes BLOB NOT NULL)",
    "CREATE TABLE usage(id INTEGER PRIMARY KEY, hits INTEGER NOT NULL, used INTEGER NOT NULL)",
    "CREATE TABLE totals(slot INTEGER PRIMARY KEY, bytes INTEGER NOT NULL, count INTEGER NOT NULL)",
    "CREATE TABLE ghost(position INTEGER PRIMARY KEY, id INTEGER NOT NULL)",
    "CREATE INDEX ghost_id ON ghost(id)",
    """
    CREATE TRIGGER entry_removed AFTER DELETE ON entry BEGIN DELETE FROM usage WHERE id = old.id; \
    UPDATE totals SET bytes = bytes - old.cost, count = count - 1 WHERE slot = (old.rank >> 56 << 8) + old.kind \
    AND old.rank & 0xffffffffffffff <= (SELECT count FROM totals WHERE slot = -1); END
    """,
    """
    CREATE TRIGGER entry_changed AFTER UPDATE OF rank, cost, kind ON entry BEGIN \
    UPDATE totals SET bytes = bytes - old.cost, count = count - 1 WHERE slot = (old.rank >> 56 << 8) + old.kind \
    AND old.rank & 0xffffffffffffff <= (SELECT count FROM totals WHERE slot = -1); \
    UPDATE totals SET bytes = bytes + new.cost, count = count + 1 WHERE slot = (new.rank >> 56 << 8) + new.kind \
    AND new.rank & 0xffffffffffffff <= (SELECT count FROM totals WHERE slot = -1); END
    """,
  ]

  /// Opens a database file, which may be empty, and makes its tables if it has none.
  ///
  /// - Throws: Damage for a database whose schema is not this one.
  static func openConnection(_ path: String, busyTimeout: Int) throws(SQLiteFailure) -> SQLiteConnection {
    let connection = try SQLiteConnection(path, busyTimeout: busyTimeout)
    // The size of pages and the reclaiming of free ones are decided before the first table.
    if try connection.integer("PRAGMA user_version") == 0 {
      try connection.execute("PRAGMA page_size = 16384; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL")
      try makeTables(connection)
    }
    try connection.execute(
      """
      PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -4096; \
      PRAGMA mmap_size = \(mappedBytes); PRAGMA wal_autocheckpoint = 2000; PRAGMA journal_size_limit = 33554432; \
      PRAGMA secure_delete = OFF
      """)
    try check(connection)
    return connection
  }

  /// The part of the database that is mapped. A disk that fails in it ends the process, so it is no larger than pays.
  static let mappedBytes = 1 << 30

  private static func makeTables(_ connection: SQLiteConnection) throws(SQLiteFailure) {
    try connection.execute("BEGIN IMMEDIATE")
    do throws(SQLiteFailure) {
      // Another process may have been faster.
      if try connection.integer("PRAGMA user_version") == 0 {
        for statement in schema { try connection.execute(statement) }
        for slot in CacheQueue.slots + [markSlot, sweepSlot] {
          try connection.execute("INSERT INTO totals VALUES(\(slot), 0, 0)")
        }
        try connection.execute("PRAGMA user_version = \(version)")
      }
      try connection.execute("COMMIT")
    } catch {
      connection.rollBack()
      throw error
    }
  }

  /// Whether the tables are those that were made: a changed trigger would do something else.
  private static func check(_ connection: SQLiteConnection) throws(SQLiteFailure) {
    let found = try connection.integer("PRAGMA user_version") ?? 0
    guard found == version else { throw .damage("the schema has version \(found), \(version) is known") }
    let statement = try connection.prepare("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
    defer { statement.reset() }
    for expected in schema {
      guard try statement.step(), statement.bytes(0).elementsEqual(expected.utf8) else {
        throw .damage("a table or trigger is not as it was made")
      }
    }
    guard try !statement.step() else { throw .damage("there are more tables than were made") }
  }

  /// The row of `totals` whose count is the mark: the last position of an entry that is in the sums.
  static let markSlot = -1
  /// The row of `totals` whose count is the time of the last sweep, in seconds since 1970.
  static let sweepSlot = -2
}
