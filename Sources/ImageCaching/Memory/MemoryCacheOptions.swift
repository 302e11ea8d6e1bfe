// SPDX-License-Identifier: Apache-2.0

/// How much a ``MemoryCache`` keeps.
public struct MemoryCacheOptions: Sendable {
  /// Bytes of all values, or nil for what the arbiter gives; without an arbiter, nil is the memory that a process may take
  /// for pictures (``MemoryArbiter/budget``).
  public var maxBytes: Int?

  /// Values, or nil for no such limit.
  public var maxCount: Int?

  /// How long after it was put in a value may be found, or nil for no such limit.
  public var maxAge: Duration?

  /// From how many bytes on a value counts as large.
  public var splitBytes = 2 << 20

  /// How the cache's memory compares with that of frames of animations, which have 4, and of other caches.
  public var weight = 4

  /// Makes the standard options.
  public init() {}
}

/// What has happened in a ``MemoryCache``.
public struct MemoryCacheStatistics: Sendable, Equatable {
  /// How often a value was found.
  public var hits = 0
  /// How often none was.
  public var misses = 0
  /// How many values had to go for a limit or when memory was short.
  public var evictions = 0
  /// How many values were too old.
  public var expirations = 0
  /// How many values there are.
  public var count = 0
  /// The bytes of all values.
  public var bytes = 0
  /// The bytes of those that count as large.
  public var largeBytes = 0
  /// The time that it would have taken to make the values again that were found.
  public var savedTime = Duration.zero
}
