// SPDX-License-Identifier: Apache-2.0

import Glibc
public import ImageCoderModel

extension DiskCache {
  /// What an entry is.
  public enum Kind: Int, Sendable, CaseIterable {
    /// A file as its server sent it.
    case original = 0
    /// What was made of a file: a thumbnail, a picture that was changed.
    case processed = 1

    /// The kind's name, as `coders cache` prints it.
    public var name: String {
      switch self {
      case .original: "original"
      case .processed: "processed"
      }
    }
  }

  /// How much a cache keeps, and how. Several processes on one folder should have the same options: each trims by its own.
  public struct Options: Sendable {
    /// Bytes of all values, metadata and keys. What the file system and the database add is not counted.
    public var maxBytes = 512 << 20

    /// Entries.
    public var maxCount = 1_000_000

    /// Seconds after which an entry that was neither written nor confirmed by ``DiskCache/updateMetadata(_:for:)`` is
    /// a miss, or nil for no such limit.
    public var maxAge: Int?

    /// Bytes of the largest value that is kept. A larger one is not written, and one that is found is a miss.
    public var maxValueBytes = 128 << 20

    /// Bytes that the file system keeps free for others: below that, entries are evicted, and nothing is written if
    /// that is not enough.
    public var minFreeBytes = 256 << 20

    /// Values of at most so many bytes are in the database, larger ones in files of their own. At most 1 MiB.
    public var maxInlineBytes = 64 << 10

    /// Milliseconds for which a call waits while another process writes.
    public var busyTimeout = 10_000

    /// Seconds since 1970.
    package var now: @Sendable () -> Int = { time(nil) }

    /// Whether files that no entry has are swept in the background, once a day.
    package var isSwept = true

    /// Bytes that are free on the file system of a folder.
    package var freeBytes: @Sendable (String) throws(CoderError) -> Int = { (folder) throws(CoderError) in
      try CacheFolder.freeBytes(folder)
    }

    /// Makes the standard options.
    public init() {}
  }

  /// What a cache has noticed and dealt with. Nothing of it is an error of a call.
  public enum Event: Sendable, Equatable {
    /// The database was damaged. It was set aside under this path, and an empty one was begun.
    case beganAnew(damaged: String, reason: String)
    /// An entry was damaged, or its file was gone. It was removed and counts as a miss.
    case removedEntry(key: String, reason: String)
    /// Something in the background failed; the next call will try it again.
    case failure(CoderError)
  }

  /// Numbers of a cache.
  public struct Statistics: Sendable, Equatable {
    /// Entries.
    public var count = 0
    /// Bytes of all values, metadata and keys.
    public var bytes = 0
    /// Entries of each kind.
    public var countByKind: [Kind: Int] = [:]
    /// Bytes of each kind.
    public var bytesByKind: [Kind: Int] = [:]
    /// Bytes of the entries whose values are in the database.
    public var inlineBytes = 0
    /// Bytes of the entries whose values are in files.
    public var fileBytes = 0
    /// Bytes of the database with its write-ahead log. Deleted entries leave room in it, which new ones use.
    public var databaseBytes = 0
    /// Values that this object has found since it was made.
    public var hits = 0
    /// Values that this object has not found since it was made.
    public var misses = 0
  }

  /// What ``DiskCache/verify(repair:)`` has found.
  public struct Verification: Sendable, Equatable {
    /// Entries that were read and compared with their checksums.
    public var checkedCount = 0
    /// Keys of entries that are damaged or have no file; those with unreadable keys are `?`.
    public var damagedKeys: [String] = []
    /// Files that no entry has: what a killed process leaves. They are no fault, and are swept in the background.
    public var orphanCount = 0
    /// What else is wrong: with the database's structure, or with its totals.
    public var problems: [String] = []
    /// Whether it was asked to repair: damaged entries and orphans are removed, totals counted anew.
    public var isRepaired = false

    /// Whether nothing was wrong.
    public var isClean: Bool { damagedKeys.isEmpty && problems.isEmpty }
  }
}
