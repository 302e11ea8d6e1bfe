// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// A connection to the database of a cache, with the statements that it uses.
///
/// - Threads: One at a time.
final class CacheDatabase {
  let connection: SQLiteConnection
  private var statements: [String: SQLiteStatement] = [:]
  /// The one of ``withEntry(_:_:)``, which is used most.
  private var lookup: SQLiteStatement?

  /// - Parameter path: A file that exists.
  init(_ path: String, busyTimeout: Int) throws(SQLiteFailure) {
    connection = try Self.openConnection(path, busyTimeout: busyTimeout)
  }

  /// A statement that is prepared at its first use.
  func statement(_ text: String) throws(SQLiteFailure) -> SQLiteStatement {
    if let known = statements[text] { return known }
    let statement = try connection.prepare(text)
    statements[text] = statement
    return statement
  }

  /// Does something in a transaction, which ends with it or leaves nothing behind.
  ///
  /// - Parameter begin: `BEGIN` for one that sees the same state throughout, `BEGIN IMMEDIATE` for one that writes.
  func transaction<Value>(
    _ begin: String = "BEGIN IMMEDIATE", _ body: () throws(SQLiteFailure) -> Value
  ) throws(SQLiteFailure) -> Value {
    try statement(begin).run()
    do throws(SQLiteFailure) {
      let value = try body()
      try statement("COMMIT").run()
      return value
    } catch {
      connection.rollBack()
      throw error
    }
  }

  // MARK: Reading

  private static let columns =
    "entry.id, entry.key, entry.kind, entry.size, entry.checksum, entry.stored, entry.inline, entry.place, "
    + "entry.metadata, entry.seal, entry.hits, entry.used"

  private static let lookupText =
    "SELECT \(columns), value.bytes FROM entry LEFT JOIN value ON value.place = entry.place AND entry.inline = 1 "
    + "WHERE entry.digest = ?1"

  /// The entry of a key, without its value.
  func entry(_ key: DigestedKey) throws(SQLiteFailure) -> DiskEntry? {
    let statement = try statement("SELECT \(Self.columns) FROM entry WHERE digest = ?1")
    defer { statement.reset() }
    statement.bind(1, key.digest)
    return try statement.step() ? Self.entry(statement) : nil
  }

  /// The entry of a key; for one whose value is in the database, `body` gets that too. It sees one state.
  func withEntry<Value>(
    _ key: DigestedKey, _ body: (DiskEntry, UnsafeRawBufferPointer?) throws(CoderError) -> Value
  ) throws(SQLiteFailure) -> Result<Value, CoderError>? {
    let statement: SQLiteStatement
    if let lookup { statement = lookup } else { statement = try self.statement(Self.lookupText) }
    lookup = statement
    defer { statement.reset() }
    statement.bind(1, key.digest)
    guard try statement.step() else { return nil }
    let entry = Self.entry(statement)
    let bytes = entry.isInline && !statement.isNull(12) ? statement.bytes(12) : nil
    return Result { () throws(CoderError) in try body(entry, bytes) }
  }

  /// Entries in the order of their identifiers, after one of them.
  func entries(after id: Int, in range: Range<Int>, count: Int) throws(SQLiteFailure) -> [DiskEntry] {
    let statement = try statement(
      "SELECT \(Self.columns) FROM entry WHERE id > ?1 AND id >= ?2 AND id < ?3 ORDER BY id LIMIT ?4")
    defer { statement.reset() }
    statement.bind(1, id)
    statement.bind(2, range.lowerBound)
    statement.bind(3, range.upperBound)
    statement.bind(4, count)
    var entries: [DiskEntry] = []
    while try statement.step() { entries.append(Self.entry(statement)) }
    return entries
  }

  /// The entry with an identifier.
  func entry(id: Int) throws(SQLiteFailure) -> DiskEntry? {
    let statement = try statement("SELECT \(Self.columns) FROM entry WHERE id = ?1")
    defer { statement.reset() }
    statement.bind(1, id)
    return try statement.step() ? Self.entry(statement) : nil
  }

  /// The value of an entry that has it in the database.
  func withValue<Value>(
    of entry: DiskEntry, _ body: (UnsafeRawBufferPointer?) -> Value
  ) throws(SQLiteFailure) -> Value {
    let statement = try statement("SELECT bytes FROM value WHERE place = ?1")
    defer { statement.reset() }
    statement.bind(1, entry.place)
    return body(try statement.step() ? statement.bytes(0) : nil)
  }

  /// Whether an entry has a file.
  func hasEntry(_ file: ValueFile) throws(SQLiteFailure) -> Bool {
    let statement = try statement("SELECT 1 FROM entry WHERE inline = 0 AND place = ?1")
    defer { statement.reset() }
    statement.bind(1, Int(bitPattern: UInt(file.name)))
    return try statement.step()
  }

  private static func entry(_ row: SQLiteStatement) -> DiskEntry {
    DiskEntry(
      id: row.integer(0), key: Array(row.bytes(1)), kind: row.integer(2), size: row.integer(3),
      checksum: UInt64(bitPattern: Int64(row.integer(4))), stored: row.integer(5), isInline: row.integer(6) == 1,
      place: row.integer(7), metadata: Array(row.bytes(8)), seal: UInt64(bitPattern: Int64(row.integer(9))),
      hits: row.integer(10), used: row.integer(11))
  }

  /// The totals.
  func totals() throws(SQLiteFailure) -> CacheTotals {
    let statement = try statement("SELECT slot, bytes, count FROM totals")
    defer { statement.reset() }
    var totals = CacheTotals()
    while try statement.step() {
      totals.add(slot: statement.integer(0), bytes: statement.integer(1), count: statement.integer(2))
    }
    return totals
  }

  /// The sums of the entries as they are, or nil if the totals say the same. Walks through all entries.
  func countedTotalsIfWrong() throws(SQLiteFailure) -> [Int: CacheTotals.Sum]? {
    let statement = try statement(
      "SELECT (id >> 56 << 8) + kind AS slot, sum(cost), count(*) FROM entry GROUP BY slot ORDER BY slot")
    defer { statement.reset() }
    var counted: [Int: CacheTotals.Sum] = [:]
    while try statement.step() {
      counted[statement.integer(0)] = CacheTotals.Sum(bytes: statement.integer(1), count: statement.integer(2))
    }
    let known = try totals().sums.filter { $0.value != CacheTotals.Sum() }
    return known == counted ? nil : counted
  }

  // MARK: Writing, in a transaction

  /// Adds an entry. The queue must have an identifier for it.
  func insert(_ entry: DiskEntry, digest: [UInt8]) throws(SQLiteFailure) {
    let statement = try statement(
      """
      INSERT INTO entry(id, digest, key, kind, size, checksum, stored, inline, place, metadata, seal, cost, hits, used) \
      VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
      """)
    statement.bind(1, entry.id)
    statement.bind(2, digest)
    statement.bind(3, entry.key)
    statement.bind(4, entry.kind)
    statement.bind(5, entry.size)
    statement.bind(6, Int(bitPattern: UInt(entry.checksum)))
    statement.bind(7, entry.stored)
    statement.bind(8, entry.isInline ? 1 : 0)
    statement.bind(9, entry.place)
    statement.bind(10, entry.metadata)
    statement.bind(11, Int(bitPattern: UInt(entry.seal)))
    statement.bind(12, entry.cost)
    statement.bind(13, entry.hits)
    statement.bind(14, entry.used)
    try statement.run()
  }

  /// Adds a value.
  func insertValue(_ bytes: UnsafeRawBufferPointer, at place: Int) throws(SQLiteFailure) {
    let statement = try statement("INSERT INTO value(place, bytes) VALUES(?1, ?2)")
    statement.bind(1, place)
    statement.bind(2, unowned: bytes)
    try statement.run()
  }

  /// Removes an entry, and its value if that is in the database.
  func delete(_ entry: DiskEntry) throws(SQLiteFailure) {
    if entry.isInline { try run("DELETE FROM value WHERE place = ?1", entry.place) }
    try run("DELETE FROM entry WHERE id = ?1", entry.id)
  }

  /// Writes a new seal, time and metadata.
  func updateMetadata(_ entry: DiskEntry) throws(SQLiteFailure) {
    let statement = try statement("UPDATE entry SET metadata = ?2, stored = ?3, seal = ?4, cost = ?5 WHERE id = ?1")
    statement.bind(1, entry.id)
    statement.bind(2, entry.metadata)
    statement.bind(3, entry.stored)
    statement.bind(4, Int(bitPattern: UInt(entry.seal)))
    statement.bind(5, entry.cost)
    try statement.run()
  }

  /// Runs a statement with numbers for its parameters.
  func run(_ text: String, _ parameters: Int...) throws(SQLiteFailure) {
    let statement = try statement(text)
    for (index, parameter) in parameters.enumerated() { statement.bind(Int32(index + 1), parameter) }
    try statement.run()
  }
}

/// The rows of `totals`.
struct CacheTotals: Sendable, Equatable {
  struct Sum: Sendable, Equatable {
    var bytes = 0
    var count = 0
  }

  /// By the queue's number and the kind.
  private(set) var sums: [Int: Sum] = [:]
  /// The last position that was given out.
  private(set) var sequence = 0
  /// When files were last swept, in seconds since 1970.
  private(set) var swept = 0

  mutating func add(slot: Int, bytes: Int, count: Int) {
    switch slot {
    case CacheDatabase.sequenceSlot: sequence = count
    case CacheDatabase.sweepSlot: swept = count
    default: sums[slot] = Sum(bytes: bytes, count: count)
    }
  }

  /// The sum of the slots that meet a condition. Damaged totals may be any numbers.
  func sum(_ isIncluded: (_ queue: CacheQueue, _ kind: DiskCache.Kind) -> Bool = { _, _ in true }) -> Sum {
    var sum = Sum()
    for queue in CacheQueue.all {
      for kind in DiskCache.Kind.allCases where isIncluded(queue, kind) {
        guard let slot = sums[queue.slot(kind.rawValue)] else { continue }
        sum.bytes = sum.bytes.addingReportingOverflow(slot.bytes).partialValue
        sum.count = sum.count.addingReportingOverflow(slot.count).partialValue
      }
    }
    return sum
  }
}
