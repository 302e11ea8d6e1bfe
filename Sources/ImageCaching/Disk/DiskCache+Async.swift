// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
public import ImageCoderModel
import ImageCoders

// The calls for async code. As those of `CoderRegistry`, they have names of their own, work on threads of the library, and
// block none of the cooperative pool.
extension DiskCache {
  /// Reads a value.
  ///
  /// - Returns: The value, or nil if there is none, or if it was damaged.
  /// - Throws: As ``value(for:)``; ``CoderError/Code/cancelled`` when the task is cancelled before its turn.
  public func load(_ key: String) async throws(CoderError) -> Value? {
    try await inTurn { () throws(CoderError) in try self.value(for: key) }
  }

  /// Whether there is a value.
  ///
  /// - Throws: As ``contains(_:)``; ``CoderError/Code/cancelled`` when the task is cancelled before its turn.
  public func holds(_ key: String) async throws(CoderError) -> Bool {
    try await inTurn { () throws(CoderError) in try self.contains(key) }
  }

  /// Writes a value. Values that several tasks store at the same time are written in one transaction.
  ///
  /// - Returns: Whether the value is kept; see ``put(_:for:kind:metadata:)-([UInt8],_,_,_)``.
  /// - Throws: As that; ``CoderError/Code/cancelled`` when the task is cancelled before its turn.
  @discardableResult
  public func store(
    _ bytes: [UInt8], for key: String, kind: Kind = .original, metadata: [UInt8] = []
  ) async throws(CoderError) -> Bool {
    // The value's file is written by then, and what remains waits for no thread.
    let write = try await inTurn { () throws(CoderError) in
      let key = try Self.numbered(key)
      return try bytes.span.bytes.withUnsafeBytes { (bytes) throws(CoderError) in
        try self.prepare(bytes, key, kind, metadata)
      }
    }
    guard let write else { return false }
    do throws(CoderError) {
      try await writer.write(bytes: bytes.count) { (transaction) throws(SQLiteFailure) in
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
  /// - Throws: As ``updateMetadata(_:for:)``.
  @discardableResult
  public func storeMetadata(_ metadata: [UInt8], for key: String) async throws(CoderError) -> Bool {
    try await writer.write(bytes: metadata.count, try updating(metadata, key))
  }

  /// Removes an entry.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: As ``remove(_:)``.
  @discardableResult
  public func discard(_ key: String) async throws(CoderError) -> Bool {
    let key = try Self.numbered(key)
    return try await writer.write { (transaction) throws(SQLiteFailure) in try transaction.remove(key) }
  }

  /// Removes all entries, or those of a kind or an age.
  ///
  /// - Returns: How many were removed.
  /// - Throws: As ``removeAll(kind:olderThan:unusedFor:)``; ``CoderError/Code/cancelled`` when the task is cancelled before
  ///   its turn.
  @discardableResult
  public func discardAll(
    kind: Kind? = nil, olderThan age: Int? = nil, unusedFor idle: Int? = nil
  ) async throws(CoderError) -> Int {
    try await inTurn { () throws(CoderError) in try self.removeAll(kind: kind, olderThan: age, unusedFor: idle) }
  }

  /// Reading waits for the disk rather than for a processor: it neither takes a turn from decoding nor waits for one.
  private static let queue = WorkQueue(width: 4)

  private func inTurn<Result: Sendable>(
    _ body: @escaping @Sendable () throws(CoderError) -> Result
  ) async throws(CoderError) -> Result {
    try await Self.queue.value(Cancellation(), body)
  }
}
