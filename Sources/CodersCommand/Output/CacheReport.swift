// SPDX-License-Identifier: Apache-2.0

import ImageCaching
import ImageCoders

/// The output of `coders cache`.
struct CacheReport {
  let folder: String
  let action: String
  let removed: Int?
  let verification: DiskCache.Verification?
  /// After what was done.
  let statistics: DiskCache.Statistics

  /// Keys of damaged entries that people are shown.
  private static let shownKeys = 20

  /// The lines for people.
  var lines: [String] {
    var lines: [String] = []
    if let removed { lines.append("removed     \(Self.entries(removed))") }
    if let verification {
      lines.append("checked     \(Self.entries(verification.checkedCount))")
      lines += verification.problems.map { "problem     \($0.printable)" }
      lines += verification.damagedKeys.prefix(Self.shownKeys).map { "damaged     \($0.printable)" }
      if verification.damagedKeys.count > Self.shownKeys {
        lines.append("damaged     \(verification.damagedKeys.count - Self.shownKeys) more")
      }
      if verification.orphanCount > 0 {
        lines.append(
          "orphans     \(verification.orphanCount) files without an entry\(verification.isRepaired ? ", removed" : "")")
      }
      lines.append("result      \(verification.isClean ? "clean" : verification.isRepaired ? "repaired" : "damaged")")
    }
    lines.append("folder      \(folder.printable)")
    lines.append("entries     \(statistics.count), \(statistics.bytes) bytes")
    for kind in DiskCache.Kind.allCases {
      let name = kind.name.padding(to: 10)
      lines.append("  \(name)\(statistics.countByKind[kind] ?? 0), \(statistics.bytesByKind[kind] ?? 0) bytes")
    }
    lines.append("in files    \(statistics.fileBytes) bytes")
    lines.append("database    \(statistics.databaseBytes) bytes")
    return lines
  }

  private static func entries(_ count: Int) -> String { count == 1 ? "1 entry" : "\(count) entries" }

  /// The output with `--json`; `docs/cli.md` documents its keys.
  var json: JSONValue {
    .object([
      "schema": .integer(1), "folder": .text(folder), "action": .text(action),
      "removed": removed.map { .integer($0) } ?? .null, "verification": verification.map(Self.json) ?? .null,
      "entries": .integer(statistics.count), "bytes": .integer(statistics.bytes),
      "fileBytes": .integer(statistics.fileBytes), "databaseBytes": .integer(statistics.databaseBytes),
      "kinds": .list(
        DiskCache.Kind.allCases.map { kind in
          .object([
            "kind": .text(kind.name), "entries": .integer(statistics.countByKind[kind] ?? 0),
            "bytes": .integer(statistics.bytesByKind[kind] ?? 0),
          ])
        }),
    ])
  }

  private static func json(_ verification: DiskCache.Verification) -> JSONValue {
    .object([
      "clean": .boolean(verification.isClean), "repaired": .boolean(verification.isRepaired),
      "checked": .integer(verification.checkedCount), "damaged": .texts(verification.damagedKeys),
      "problems": .texts(verification.problems), "orphans": .integer(verification.orphanCount),
    ])
  }
}

extension String {
  fileprivate func padding(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
