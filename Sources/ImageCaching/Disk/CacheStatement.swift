// SPDX-License-Identifier: Apache-2.0

/// A statement that is used often: a connection prepares it once.
enum CacheStatement: Int, CaseIterable {
  case begin, beginWriting, commit
  case lookup, entry, entries, oldest, value, ownerOfFile, totals, newerThanMark, counted
  case addEntry, addValue, removeEntry, removeValue, updateMetadata, move, setHits, noteUse
  case setTotal, setMark, setSweep, removeTotals
  case addGhost, removeGhost, removeOldGhosts

  /// What ``CacheDatabase`` makes a ``DiskEntry`` of, and how many columns that are.
  private static let columns =
    "entry.id, entry.rank, entry.key, entry.kind, entry.size, entry.checksum, entry.stored, entry.inline, entry.place, "
    + "entry.metadata, entry.seal, usage.hits, usage.used"
  static let columnCount: Int32 = 13
  private static let entryTable = "entry LEFT JOIN usage ON usage.id = entry.id"

  var text: String {
    switch self {
    case .begin: "BEGIN"
    case .beginWriting: "BEGIN IMMEDIATE"
    case .commit: "COMMIT"
    case .lookup:
      "SELECT \(Self.columns), value.bytes FROM \(Self.entryTable) "
        + "LEFT JOIN value ON value.place = entry.place AND entry.inline = 1 WHERE entry.id = ?1"
    case .entry: "SELECT \(Self.columns) FROM \(Self.entryTable) WHERE entry.id = ?1"
    case .entries: "SELECT \(Self.columns) FROM \(Self.entryTable) WHERE entry.id > ?1 ORDER BY entry.id LIMIT ?2"
    case .oldest:
      "SELECT \(Self.columns) FROM \(Self.entryTable) WHERE entry.rank >= ?1 AND entry.rank < ?2 "
        + "ORDER BY entry.rank LIMIT 1"
    case .value: "SELECT bytes FROM value WHERE place = ?1"
    case .ownerOfFile: "SELECT 1 FROM entry WHERE inline = 0 AND place = ?1"
    case .totals: "SELECT slot, bytes, count FROM totals"
    case .newerThanMark: "SELECT rank, kind, cost FROM entry WHERE rank > ?1 AND rank < ?2"
    case .counted: "SELECT (rank >> 56 << 8) + kind AS slot, sum(cost), count(*) FROM entry GROUP BY slot ORDER BY slot"
    case .addEntry:
      "INSERT INTO entry(id, rank, key, kind, size, checksum, stored, inline, place, metadata, seal, cost) "
        + "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"
    case .addValue: "INSERT INTO value(place, bytes) VALUES(?1, ?2)"
    case .removeEntry: "DELETE FROM entry WHERE id = ?1"
    case .removeValue: "DELETE FROM value WHERE place = ?1"
    case .updateMetadata: "UPDATE entry SET metadata = ?2, stored = ?3, seal = ?4, cost = ?5 WHERE id = ?1"
    case .move: "UPDATE entry SET rank = ?2 WHERE id = ?1"
    case .setHits: "UPDATE usage SET hits = ?2 WHERE id = ?1"
    case .noteUse:
      "INSERT INTO usage(id, hits, used) SELECT ?1, min(\(DiskEntry.maxHits), ?2), ?3 "
        + "WHERE EXISTS (SELECT 1 FROM entry WHERE id = ?1) ON CONFLICT(id) DO UPDATE SET "
        + "hits = min(\(DiskEntry.maxHits), hits + ?2), used = max(used, ?3)"
    case .setTotal: "INSERT OR REPLACE INTO totals VALUES(?1, ?2, ?3)"
    case .setMark: "INSERT OR REPLACE INTO totals VALUES(\(CacheDatabase.markSlot), 0, ?1)"
    case .setSweep: "INSERT OR REPLACE INTO totals VALUES(\(CacheDatabase.sweepSlot), 0, ?1)"
    case .removeTotals: "DELETE FROM totals WHERE slot >= 0"
    case .addGhost: "INSERT INTO ghost(position, id) VALUES(?1, ?2)"
    case .removeGhost: "DELETE FROM ghost WHERE id = ?1"
    case .removeOldGhosts: "DELETE FROM ghost WHERE position <= ?1"
    }
  }
}
