// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

extension DiskCache {
  /// Entries that are read before others can write.
  private static let step = 64
  /// Problems of the database that are listed, at most.
  private static let maxProblems = 10

  /// Reads every value and compares it with its checksum, and checks the database. Others may use the cache meanwhile.
  ///
  /// - Parameter repair: Whether to remove what is damaged and what no entry has, and to count totals anew. A database with
  ///   a damaged structure is set aside, and an empty one begun.
  /// - Throws: ``CoderError/Code/io``.
  public func verify(repair: Bool = false) throws(CoderError) -> Verification {
    var found = Verification()
    found.isRepaired = repair
    let generation = store.generation
    do throws(SQLiteFailure) {
      found.problems = try generation.withDatabase { (database) throws(SQLiteFailure) in try Self.structure(database) }
      if !found.problems.isEmpty { throw .damage(found.problems[0]) }
      try verifyEntries(of: generation, &found)
      try verifyTotals(of: generation, &found)
    } catch {
      guard error.isDamage else { throw error.error(folder) }
      if found.problems.isEmpty { found.problems = [error.message] }
      if repair { _ = try store.replacement(of: generation, because: error) }
      return found
    }
    for number in 0..<256 { found.orphanCount += try sweepOrphans(number, olderThan: 60, isRemoving: repair) }
    if repair {
      try writer.write { (transaction) throws(SQLiteFailure) in
        try transaction.recountTotals()
        try transaction.database.connection.execute(Self.removeLostValues)
      }
    }
    return found
  }

  private static func structure(_ database: CacheDatabase) throws(SQLiteFailure) -> [String] {
    let statement = try database.connection.prepare("PRAGMA integrity_check(\(maxProblems))")
    defer { statement.reset() }
    var problems: [String] = []
    while try statement.step() { problems.append(String(decoding: statement.bytes(0), as: UTF8.self)) }
    return problems == ["ok"] ? [] : problems
  }

  // MARK: Entries

  private func verifyEntries(
    of generation: CacheGeneration, _ found: inout Verification
  ) throws(SQLiteFailure) {
    var last = Int.min
    while true {
      let start = last
      let entries = try generation.withDatabase { (database) throws(SQLiteFailure) in
        try database.entries(after: start, count: Self.step)
      }
      guard let end = entries.last?.id else { return }
      last = end
      for entry in entries {
        found.checkedCount += 1
        guard try !isSound(entry, in: generation) else { continue }
        // Another process may have replaced or removed it meanwhile.
        let isThere = try generation.withDatabase { (database) throws(SQLiteFailure) in
          try database.entry(id: entry.id).map { $0.seal == entry.seal && $0.place == entry.place } ?? false
        }
        guard isThere else { continue }
        found.damagedKeys.append(String(validating: entry.key, as: UTF8.self) ?? "?")
        guard found.isRepaired else { continue }
        do throws(CoderError) {
          try writer.write { (transaction) throws(SQLiteFailure) in try transaction.removeDamaged(entry) }
        } catch {
          throw SQLiteFailure(code: 10, message: error.message)
        }
      }
    }
  }

  private func isSound(_ entry: DiskEntry, in generation: CacheGeneration) throws(SQLiteFailure) -> Bool {
    guard entry.isSound else { return false }
    guard entry.isInline else {
      do throws(CoderError) {
        let file = ValueFile(UInt64(bitPattern: Int64(entry.place)), in: store.folder)
        return try file.read(count: entry.size).map { $0.checksum == entry.checksum } ?? false
      } catch {
        throw SQLiteFailure(code: 10, message: error.message)
      }
    }
    return try generation.withDatabase { (database) throws(SQLiteFailure) in
      try database.withValue(of: entry) { bytes in
        bytes.map { $0.count == entry.size && ValueChecksum.of($0) == entry.checksum } ?? false
      }
    }
  }

  // MARK: Totals

  private static let lostValues = "FROM value WHERE place NOT IN (SELECT place FROM entry WHERE inline = 1)"
  private static let removeLostValues = "DELETE \(lostValues)"

  private func verifyTotals(of generation: CacheGeneration, _ found: inout Verification) throws(SQLiteFailure) {
    let (isWrong, lost) = try generation.withDatabase { (database) throws(SQLiteFailure) in
      // One state of the database, whatever others write.
      try database.transaction(.begin) { () throws(SQLiteFailure) in
        (
          try database.countedTotalsIfWrong() != nil,
          try database.connection.integer("SELECT count(*) \(Self.lostValues)") ?? 0
        )
      }
    }
    if isWrong { found.problems.append("the totals are not the sums of the entries") }
    if lost > 0 { found.problems.append("\(lost) values have no entry") }
  }
}
