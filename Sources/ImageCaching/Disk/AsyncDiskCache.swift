// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
public import ImageCoderModel
import ImageCoders

extension DiskCache {
  /// The same calls for async code: `cache.async.value(for:)` beside `cache.value(for:)`.
  public var async: AsyncDiskCache { AsyncDiskCache(cache: self) }
}

/// The calls of a disk cache for async code, with the names and arguments of the synchronous ones.
///
/// They work on threads of the library, and block none of the cooperative pool.
public struct AsyncDiskCache: Sendable {
  let cache: DiskCache

  /// Reads a value.
  ///
  /// - Returns: The value, or nil if there is none, or if it was damaged.
  /// - Throws: As ``DiskCache/value(for:)``; ``CoderError/Code/cancelled`` when the task is cancelled before its turn.
  public func value(for key: String) async throws(CoderError) -> DiskCache.Value? {
    try await inTurn { [cache] () throws(CoderError) in try cache.value(for: key) }
  }

  /// Whether there is a value.
  ///
  /// - Throws: As ``DiskCache/contains(_:)``; ``CoderError/Code/cancelled`` when the task is cancelled before its turn.
  public func contains(_ key: String) async throws(CoderError) -> Bool {
    try await inTurn { [cache] () throws(CoderError) in try cache.contains(key) }
  }

  /// Writes a value. Values that several tasks store at the same time are written in one transaction.
  ///
  /// - Returns: Whether the value is kept; see ``DiskCache/put(_:for:kind:metadata:)-([UInt8],_,_,_)``.
  /// - Throws: As that; ``CoderError/Code/cancelled`` when the task is cancelled before its turn.
  @discardableResult
  public func put(
    _ bytes: [UInt8], for key: String, kind: DiskCache.Kind = .original, metadata: [UInt8] = []
  ) async throws(CoderError) -> Bool {
    // The value's file is written by then, and what remains waits for no thread.
    let write = try await inTurn { [cache] () throws(CoderError) in
      let key = try DiskCache.numbered(key)
      return try bytes.span.bytes.withUnsafeBytes { (bytes) throws(CoderError) in
        try cache.prepare(bytes, key, kind, metadata)
      }
    }
    guard let write else { return false }
    do throws(CoderError) {
      try await cache.writer.write(bytes: bytes.count) { (transaction) throws(SQLiteFailure) in
        try bytes.span.bytes.withUnsafeBytes { (bytes) throws(SQLiteFailure) in
          try write.body(bytes)(transaction)
        }
      }
    } catch {
      write.file?.remove()
      throw error
    }
    return true
  }

  /// Replaces what is stored beside a value, and confirms the entry.
  ///
  /// - Returns: Whether there is such an entry.
  /// - Throws: As ``DiskCache/updateMetadata(_:for:)``.
  @discardableResult
  public func updateMetadata(_ metadata: [UInt8], for key: String) async throws(CoderError) -> Bool {
    try await cache.writer.write(bytes: metadata.count, try cache.updating(metadata, key))
  }

  /// Removes an entry.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: As ``DiskCache/remove(_:)``.
  @discardableResult
  public func remove(_ key: String) async throws(CoderError) -> Bool {
    let key = try DiskCache.numbered(key)
    return try await cache.writer.write { (transaction) throws(SQLiteFailure) in try transaction.remove(key) }
  }

  /// Removes all entries, or those of a kind or an age.
  ///
  /// - Returns: How many were removed.
  /// - Throws: As ``DiskCache/removeAll(kind:olderThan:unusedFor:)``; ``CoderError/Code/cancelled`` when the task is
  ///   cancelled before its turn.
  @discardableResult
  public func removeAll(
    kind: DiskCache.Kind? = nil, olderThan age: Int? = nil, unusedFor idle: Int? = nil
  ) async throws(CoderError) -> Int {
    try await inTurn { [cache] () throws(CoderError) in try cache.removeAll(kind: kind, olderThan: age, unusedFor: idle)
    }
  }

  /// Reading waits for the disk rather than for a processor: it neither takes a turn from decoding nor waits for one.
  private static let queue = WorkQueue(width: 4)

  private func inTurn<Result: Sendable>(
    _ body: @escaping @Sendable () throws(CoderError) -> Result
  ) async throws(CoderError) -> Result {
    try await Self.queue.value(Cancellation(), kind: .continues, body)
  }
}
