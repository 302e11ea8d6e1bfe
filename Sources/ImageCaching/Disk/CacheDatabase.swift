// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// A connection to the database of a cache, with the statements that it uses.
///
/// - Threads: One at a time.
final class CacheDatabase {
  let connection: SQLiteConnection
  private var statements = [SQLiteStatement?](repeating: nil, count: CacheStatement.allCases.count)

  /// - Parameter path: A file that exists.
  init(_ path: String, busyTimeout: Int) throws(SQLiteFailure) {
    connection = try Self.openConnection(path, busyTimeout: busyTimeout)
  }

  /// A statement that is prepared at its first use.
  func statement(_ name: CacheStatement) throws(SQLiteFailure) -> SQLiteStatement {
    if let known = statements[name.rawValue] { return known }
    let statement = try connection.prepare(name.text)
    statements[name.rawValue] = statement
    return statement
  }

  /// Runs a statement with numbers for its parameters.
  func run(_ name: CacheStatement, _ parameters: Int...) throws(SQLiteFailure) {
    let statement = try statement(name)
    for (index, parameter) in parameters.enumerated() { statement.bind(Int32(index + 1), parameter) }
    try statement.run()
  }

  /// Does something in a transaction, which ends with it or changes nothing.
  ///
  /// - Parameter begin: `begin` for one that sees the same state throughout, `beginWriting` for one that writes.
  func transaction<Value>(
    _ begin: CacheStatement, _ body: () throws(SQLiteFailure) -> Value
  ) throws(SQLiteFailure) -> Value {
    try run(begin)
    do throws(SQLiteFailure) {
      let value = try body()
      try run(.commit)
      return value
    } catch {
      connection.rollBack()
      throw error
    }
  }

  // MARK: Reading

  /// The entry of a key, without its value. It may be of another key, with the same number.
  func entry(_ key: NumberedKey) throws(SQLiteFailure) -> DiskEntry? { try entry(id: key.id) }

  /// The entry under a number.
  func entry(id: Int) throws(SQLiteFailure) -> DiskEntry? {
    let statement = try statement(.entry)
    defer { statement.reset() }
    statement.bind(1, id)
    return try statement.step() ? Self.entry(statement) : nil
  }

  /// The entry of a key; for one whose value is in the database, `body` gets that too. It sees one state.
  func withEntry<Value>(
    _ key: NumberedKey, _ body: (DiskEntry, UnsafeRawBufferPointer?) throws(CoderError) -> Value
  ) throws(SQLiteFailure) -> Result<Value, CoderError>? {
    let statement = try statement(.lookup)
    defer { statement.reset() }
    statement.bind(1, key.id)
    guard try statement.step() else { return nil }
    let entry = Self.entry(statement)
    let column = CacheStatement.columnCount
    let bytes = entry.isInline && !statement.isNull(column) ? statement.bytes(column) : nil
    return Result { () throws(CoderError) in try body(entry, bytes) }
  }

  /// Entries in the order of their numbers, after one of them.
  func entries(after id: Int, count: Int) throws(SQLiteFailure) -> [DiskEntry] {
    let statement = try statement(.entries)
    defer { statement.reset() }
    statement.bind(1, id)
    statement.bind(2, count)
    var entries: [DiskEntry] = []
    while try statement.step() { entries.append(Self.entry(statement)) }
    return entries
  }

  /// The entry that has been in a queue for longest.
  func oldest(in queue: CacheQueue) throws(SQLiteFailure) -> DiskEntry? {
    let statement = try statement(.oldest)
    defer { statement.reset() }
    statement.bind(1, queue.ranks.lowerBound)
    statement.bind(2, queue.ranks.upperBound)
    return try statement.step() ? Self.entry(statement) : nil
  }

  /// The value of an entry that has it in the database.
  func withValue<Value>(
    of entry: DiskEntry, _ body: (UnsafeRawBufferPointer?) -> Value
  ) throws(SQLiteFailure) -> Value {
    let statement = try statement(.value)
    defer { statement.reset() }
    statement.bind(1, entry.place)
    return body(try statement.step() ? statement.bytes(0) : nil)
  }

  /// Whether an entry has a file.
  func hasEntry(_ file: ValueFile) throws(SQLiteFailure) -> Bool {
    let statement = try statement(.ownerOfFile)
    defer { statement.reset() }
    statement.bind(1, Int(bitPattern: UInt(file.name)))
    return try statement.step()
  }

  private static func entry(_ row: SQLiteStatement) -> DiskEntry {
    DiskEntry(
      id: row.integer(0), rank: row.integer(1), key: Array(row.bytes(2)), kind: row.integer(3), size: row.integer(4),
      checksum: UInt64(bitPattern: Int64(row.integer(5))), stored: row.integer(6), isInline: row.integer(7) == 1,
      place: row.integer(8), metadata: Array(row.bytes(9)), seal: UInt64(bitPattern: Int64(row.integer(10))),
      // Without a row in `usage` there was no use since it was stored.
      hits: row.integer(11), used: row.isNull(12) ? row.integer(6) : row.integer(12))
  }

  /// The totals.
  func totals() throws(SQLiteFailure) -> CacheTotals {
    var totals = CacheTotals()
    let statement = try statement(.totals)
    do {
      defer { statement.reset() }
      while try statement.step() {
        totals.read(slot: statement.integer(0), bytes: statement.integer(1), count: statement.integer(2))
      }
    }
    guard (0..<CacheQueue.maxPosition).contains(totals.mark) else {
      throw .damage("the totals end at the position \(totals.mark)")
    }
    let newer = try self.statement(.newerThanMark)
    for queue in CacheQueue.all {
      defer { newer.reset() }
      newer.bind(1, queue.rank(totals.mark))
      newer.bind(2, queue.ranks.upperBound)
      while try newer.step() { totals.add(rank: newer.integer(0), kind: newer.integer(1), cost: newer.integer(2)) }
    }
    return totals
  }

  /// The sums of the entries as they are, or nil if the totals say the same. Walks through all entries.
  func countedTotalsIfWrong() throws(SQLiteFailure) -> [Int: CacheTotals.Sum]? {
    let statement = try statement(.counted)
    defer { statement.reset() }
    var counted: [Int: CacheTotals.Sum] = [:]
    while try statement.step() {
      counted[statement.integer(0)] = CacheTotals.Sum(bytes: statement.integer(1), count: statement.integer(2))
    }
    let known = try totals().sums.filter { $0.value != CacheTotals.Sum() }
    return known == counted ? nil : counted
  }

  // MARK: Writing, in a transaction

  /// Adds an entry. Its number and its rank must be free.
  func insert(_ entry: DiskEntry) throws(SQLiteFailure) {
    let statement = try statement(.addEntry)
    statement.bind(1, entry.id)
    statement.bind(2, entry.rank)
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
    try statement.run()
  }

  /// Adds a value.
  func insertValue(_ bytes: UnsafeRawBufferPointer, at place: Int) throws(SQLiteFailure) {
    let statement = try statement(.addValue)
    statement.bind(1, place)
    statement.bind(2, unowned: bytes)
    try statement.run()
  }

  /// Removes an entry, and its value if that is in the database.
  func delete(_ entry: DiskEntry) throws(SQLiteFailure) {
    if entry.isInline { try run(.removeValue, entry.place) }
    try run(.removeEntry, entry.id)
  }

  /// Writes a new seal, time and metadata.
  func updateMetadata(_ entry: DiskEntry) throws(SQLiteFailure) {
    let statement = try statement(.updateMetadata)
    statement.bind(1, entry.id)
    statement.bind(2, entry.metadata)
    statement.bind(3, entry.stored)
    statement.bind(4, Int(bitPattern: UInt(entry.seal)))
    statement.bind(5, entry.cost)
    try statement.run()
  }
}

/// The rows of `totals`.
struct CacheTotals: Sendable, Equatable {
  struct Sum: Sendable, Equatable {
    var bytes = 0
    var count = 0

    /// Adds an entry. Damaged ones may have any cost.
    mutating func add(_ cost: Int) {
      bytes = bytes.addingReportingOverflow(cost).partialValue
      count = count.addingReportingOverflow(1).partialValue
    }
  }

  /// By the queue's number and the kind.
  private(set) var sums: [Int: Sum] = [:]
  /// The position up to which the rows of `totals` have the entries.
  private(set) var mark = 0
  /// The rows that lack entries after the mark.
  private(set) var incomplete: Set<Int> = []
  /// The last position that was given out.
  private(set) var sequence = 0
  /// When files were last swept, in seconds since 1970.
  private(set) var swept = 0

  /// Takes a row of `totals`.
  mutating func read(slot: Int, bytes: Int, count: Int) {
    switch slot {
    case CacheDatabase.markSlot: (mark, sequence) = (count, count)
    case CacheDatabase.sweepSlot: swept = count
    default: sums[slot] = Sum(bytes: bytes, count: count)
    }
  }

  /// Adds an entry after the mark.
  mutating func add(rank: Int, kind: Int, cost: Int) {
    sequence = max(sequence, rank & (CacheQueue.maxPosition - 1))
    let slot = ((rank >> CacheQueue.positionBits) << 8) + kind
    sums[slot, default: Sum()].add(cost)
    incomplete.insert(slot)
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
