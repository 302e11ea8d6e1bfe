// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import Synchronization

/// Uses of a cache since the object was made.
final class Counters: Sendable {
  let hits = Atomic<Int>(0)
  let misses = Atomic<Int>(0)
  /// Bytes that were put since free space was last looked at.
  let unchecked = Atomic<Int>(.max / 2)

  func note(isHit: Bool) {
    if isHit { hits.add(1, ordering: .relaxed) } else { misses.add(1, ordering: .relaxed) }
  }
}

extension DiskCache {
  /// What a look at an entry has shown.
  private enum Found {
    case nothing
    case value(DiskEntry, Value)
    /// The value is in a file.
    case file(DiskEntry)
    case damaged(DiskEntry, String)
  }

  /// The most bytes of a key.
  static let maxKeyBytes = 64 << 10
  /// The most bytes beside a value.
  static let maxMetadataBytes = 1 << 20

  static func numbered(_ key: String) throws(CoderError) -> NumberedKey {
    let numbered = NumberedKey(key)
    guard numbered.bytes.count <= maxKeyBytes else {
      throw .invalidArgument("a key of \(numbered.bytes.count) bytes; at most \(maxKeyBytes) are allowed")
    }
    return numbered
  }

  /// Reads and verifies a value.
  func find(_ key: NumberedKey) throws(CoderError) -> Value? {
    // The entry may be replaced between a look at it and one at its file, but hardly ever twice.
    for _ in 0..<4 {
      switch try look(key) {
      case .nothing: return nil
      case .value(let entry, let value):
        try noteUse(entry)
        return value
      case .damaged(let entry, let reason):
        try removeDamaged(entry, reason)
        return nil
      case .file(let entry):
        let file = ValueFile(UInt64(bitPattern: Int64(entry.place)), in: store.folder)
        let read = try file.read(count: entry.size)
        if let read, read.checksum == entry.checksum {
          try noteUse(entry)
          return Self.value(entry, read.memory)
        }
        let isSame = try store.read { (database) throws(SQLiteFailure) in
          try database.entry(key).map { $0.id == entry.id && $0.place == entry.place } ?? false
        }
        if isSame {
          try removeDamaged(entry, read == nil ? "its file is gone or has another length" : Self.wrongChecksum)
          return nil
        }
      }
    }
    return nil
  }

  static let wrongChecksum = "the value has not its checksum"

  private func look(_ key: NumberedKey) throws(CoderError) -> Found {
    let found = try store.read { (database) throws(SQLiteFailure) in
      try database.withEntry(key) { (entry, bytes) throws(CoderError) in
        guard entry.key == key.bytes else { return entry.isSound ? Found.nothing : .damaged(entry, Self.wrongSeal) }
        if let problem = self.problem(of: entry) { return .damaged(entry, problem) }
        guard entry.isInline else { return .file(entry) }
        guard let bytes, bytes.count == entry.size else { return .damaged(entry, "the value has another length") }
        let memory = try ValueMemory(count: entry.size)
        memory.storage.copyMemory(from: bytes)
        guard ValueChecksum.of(memory.bytes) == entry.checksum else { return .damaged(entry, Self.wrongChecksum) }
        return .value(entry, Self.value(entry, memory))
      }
    }
    return try found?.get() ?? .nothing
  }

  static let wrongSeal = "the entry has not its checksum"
  private static let isOld = "it is older than the limit"

  /// Why an entry does not count, or nil.
  func problem(of entry: DiskEntry) -> String? {
    guard entry.isSound else { return Self.wrongSeal }
    if let maxAge = options.maxAge, options.now() &- entry.stored > maxAge { return Self.isOld }
    guard entry.size <= options.maxValueBytes else { return "its value is larger than the limit" }
    return nil
  }

  private static func value(_ entry: DiskEntry, _ memory: ValueMemory) -> Value {
    // The seal says that the kind is one.
    Value(
      kind: Kind(rawValue: entry.kind) ?? .original, metadata: entry.metadata, storedAt: entry.stored, memory: memory)
  }

  private func noteUse(_ entry: DiskEntry) throws(CoderError) {
    let now = options.now()
    guard entry.hits < DiskEntry.maxHits || now &- entry.used > DiskEntry.useResolution else { return }
    if store.uses.add(entry.id, at: now) { try flush() }
  }

  /// Removes an entry that must not be served.
  private func removeDamaged(_ entry: DiskEntry, _ reason: String) throws(CoderError) {
    try writer.write { (transaction) throws(SQLiteFailure) in try transaction.removeDamaged(entry) }
    guard reason != Self.isOld else { return }
    store.note(.removedEntry(key: String(decoding: entry.key, as: UTF8.self), reason: reason))
  }
}
