// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

/// The folder of a cache and its database, which may be damaged or replaced at any time.
final class CacheStore: Sendable {
  let folder: CacheFolder
  let options: DiskCache.Options
  let uses = UseNotes()
  private let report: (@Sendable (DiskCache.Event) -> Void)?
  private let current: Lock<CacheGeneration>

  init(
    _ path: String, _ options: DiskCache.Options, report: (@Sendable (DiskCache.Event) -> Void)?
  ) throws(CoderError) {
    try SQLiteConnection.version()
    folder = try CacheFolder(path)
    self.options = options
    self.report = report
    let (folder, busyTimeout) = (folder, options.busyTimeout)
    let opened = try folder.locked { () throws(CoderError) in
      try Self.openNewest(in: folder, after: 0, busyTimeout: busyTimeout)
    }
    current = Lock(opened.generation)
    if let event = opened.event { report?(event) }
  }

  /// Reports what was noticed and dealt with.
  func note(_ event: DiskCache.Event) { report?(event) }

  // MARK: Databases

  /// The database in use.
  var generation: CacheGeneration { current.withLock { $0 } }

  /// The database to write to: another one if somebody has begun anew or removed the folder's contents.
  func generationForWriting() throws(CoderError) -> CacheGeneration {
    let generation = generation
    return generation.isCurrent(in: folder) ? generation : try replacement(of: generation, because: nil)
  }

  /// Reads with a connection; if the database turns out to be damaged, once more with a new one.
  func read<Value>(_ body: (CacheDatabase) throws(SQLiteFailure) -> Value) throws(CoderError) -> Value {
    let generation = generation
    do throws(SQLiteFailure) {
      return try generation.withDatabase(body)
    } catch {
      guard error.isDamage else { throw error.error(folder.path) }
      let other = try replacement(of: generation, because: error)
      return try withoutRecovery { () throws(SQLiteFailure) in try other.withDatabase(body) }
    }
  }

  /// A failure of SQLite as an error of the call.
  func withoutRecovery<Value>(_ body: () throws(SQLiteFailure) -> Value) throws(CoderError) -> Value {
    do throws(SQLiteFailure) { return try body() } catch { throw error.error(folder.path) }
  }

  /// The database after one that is damaged or gone. The first to notice begins an empty one; the others take that.
  ///
  /// - Parameter failure: What shows the damage, or nil if the database was only replaced or removed.
  func replacement(of old: CacheGeneration, because failure: SQLiteFailure?) throws(CoderError) -> CacheGeneration {
    let generation = generation
    guard generation === old else { return generation }
    // The folder may be gone with all that was in it.
    _ = try CacheFolder(folder.path)
    let (folder, busyTimeout) = (folder, options.busyTimeout)
    let opened = try folder.locked { () throws(CoderError) in
      let isDamaged = failure != nil && folder.newestDatabase() == old.number && old.isCurrent(in: folder)
      return isDamaged
        ? try Self.begin(after: old.number, in: folder, busyTimeout: busyTimeout, because: failure)
        : try Self.openNewest(in: folder, after: old.number, busyTimeout: busyTimeout)
    }
    // Another thread of this object may have done the same; both have opened the same file.
    let isFirst = current.withLock { current in
      guard current === old else { return false }
      current = opened.generation
      return true
    }
    if let event = opened.event { note(event) }
    return isFirst ? opened.generation : self.generation
  }

  private typealias Opened = (generation: CacheGeneration, event: DiskCache.Event?)

  /// Opens the newest database, or begins one if there is none or if it is damaged.
  private static func openNewest(
    in folder: CacheFolder, after number: Int, busyTimeout: Int
  ) throws(CoderError) -> Opened {
    let newest = folder.newestDatabase()
    guard newest > 0 else { return try begin(after: number, in: folder, busyTimeout: busyTimeout, because: nil) }
    do throws(SQLiteFailure) {
      return (try CacheGeneration(newest, in: folder, busyTimeout: busyTimeout), nil)
    } catch {
      guard error.isDamage else { throw error.error(folder.database(newest)) }
      return try begin(after: newest, in: folder, busyTimeout: busyTimeout, because: error)
    }
  }

  /// Begins an empty database. The damaged one stays under its name, and those before it are removed.
  private static func begin(
    after number: Int, in folder: CacheFolder, busyTimeout: Int, because failure: SQLiteFailure?
  ) throws(CoderError) -> Opened {
    let next = number + 1
    try CacheGeneration.makeFile(next, in: folder)
    for old in folder.databases() where old < number { folder.removeDatabase(old) }
    do throws(SQLiteFailure) {
      let generation = try CacheGeneration(next, in: folder, busyTimeout: busyTimeout)
      return (
        generation, failure.map { .beganAnew(damaged: folder.database(number), reason: "\($0.message) (\($0.code))") }
      )
    } catch {
      folder.removeDatabase(next)
      throw error.error(folder.database(next))
    }
  }
}

/// Which entries were used, until the next transaction writes it down.
final class UseNotes: Sendable {
  struct Use: Sendable {
    var hits = 0
    /// Seconds since 1970.
    var time = 0
  }

  private let notes = Lock<[Int: Use]>([:])

  /// The most that a write of something else writes down with it.
  static let batch = 256
  /// The most that are kept. Half of them are written down at once: the more, the more share a page.
  static let maxCount = 8192

  /// Notes a use.
  ///
  /// - Returns: Whether there are so many notes that they should be written down.
  func add(_ id: Int, at time: Int) -> Bool {
    notes.withLock { notes in
      guard notes.count < Self.maxCount || notes[id] != nil else { return true }
      notes[id, default: Use()].hits += 1
      notes[id]?.time = time
      return notes.count >= Self.maxCount / 2
    }
  }

  /// Takes some notes.
  func take(_ count: Int) -> [(id: Int, use: Use)] {
    notes.withLock { notes in
      let taken = notes.prefix(count).map { (id: $0.key, use: $0.value) }
      if taken.count == notes.count { notes = [:] } else { for note in taken { notes[note.id] = nil } }
      return taken
    }
  }

  var isEmpty: Bool { notes.withLock { $0.isEmpty } }
}
