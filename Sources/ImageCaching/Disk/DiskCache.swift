// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
public import ImageCoderModel
import ImageCoders

/// Values under keys in a folder: files as servers sent them, and what was made of them.
///
/// Several objects and several processes may use one folder at the same time. Each value has its length and a checksum,
/// which are verified on every read: what was changed, cut or half written counts as a miss and is removed, never returned.
///
///     let cache = try DiskCache(folder: folder)
///     try cache.put(bytes, for: "https://example.org/photo.webp", metadata: headers)
///     if let value = try cache.value(for: "https://example.org/photo.webp") {
///       let image = try registry.decode(value.source)
///     }
///
/// **What a write promises.** When ``put(_:for:kind:metadata:)-([UInt8],_,_,_)`` returns, every object and process sees the
/// value, and the end of the process, however it comes, does not lose it. A machine that loses power may lose what was
/// written last, but nothing else. A reader sees the old value or the new one, whole.
///
/// - Threads: Any, any number at the same time. After `fork`, a child makes an object of its own.
public final class DiskCache: Sendable {
  /// The folder's path without links.
  public let folder: String
  /// How much is kept, and how.
  public let options: Options

  let store: CacheStore
  let writer: CacheWriter
  /// Uses since the object was made.
  let counters = Counters()

  /// `$XDG_CACHE_HOME/coders`, or `~/.cache/coders`; nil for a user without a home. It is what `coders cache` uses.
  public static var defaultFolder: String? { defaultFolder(environment: PluginSearchPath.secureEnvironment) }

  package static func defaultFolder(environment: (String) -> String?) -> String? {
    if let home = environment("XDG_CACHE_HOME"), home.hasPrefix("/") { return "\(home)/coders" }
    if let home = environment("HOME"), home.hasPrefix("/") { return "\(home)/.cache/coders" }
    return nil
  }

  /// Opens a cache, and makes its folder if there is none.
  ///
  /// That takes well under 10 milliseconds, however many entries there are. A damaged database is set aside, and an empty
  /// one begun.
  ///
  /// - Parameters:
  ///   - folder: For this cache alone. It is made with mode 0700, files in it have 0600.
  ///   - onEvent: Called with what was noticed and dealt with, on the thread that noticed it.
  /// - Throws: ``CoderError/Code/io`` with the system's reason; also if users other than this one and root can write to the
  ///   folder or replace it. ``CoderError/Code/unsupported`` for a folder on a network file system, where SQLite's
  ///   write-ahead log cannot work. ``CoderError/Code/libraryFailure`` if the machine has no SQLite (Debian package libsqlite3-0).
  ///   ``CoderError/Code/invalidArgument`` for options that are negative or too large.
  public init(
    folder: String, options: Options = Options(), onEvent: (@Sendable (Event) -> Void)? = nil
  ) throws(CoderError) {
    try Self.check(options)
    self.options = options
    store = try CacheStore(folder, options, report: onEvent)
    self.folder = store.folder.path
    writer = CacheWriter(store)
    if options.isSwept { beginSweep() }
  }

  deinit {
    guard !store.uses.isEmpty else { return }
    do throws(CoderError) { try flush() } catch { store.note(.failure(error)) }
  }

  private static func check(_ options: Options) throws(CoderError) {
    let values = [
      ("maxBytes", options.maxBytes, Int.max), ("maxCount", options.maxCount, .max),
      ("maxAge", options.maxAge ?? 0, .max),
      ("maxValueBytes", options.maxValueBytes, .max), ("minFreeBytes", options.minFreeBytes, .max),
      ("maxInlineBytes", options.maxInlineBytes, 1 << 20), ("busyTimeout", options.busyTimeout, 3_600_000),
    ]
    for (name, value, most) in values where !(0...most).contains(value) {
      throw .invalidArgument("\(name) is \(value); 0 to \(most) are allowed")
    }
  }

  /// Reads a value.
  ///
  /// - Returns: The value, or nil if there is none, if it is too old, or if it was damaged.
  /// - Throws: ``CoderError/Code/io`` if the folder cannot be read; ``CoderError/Code/outOfMemory``.
  public func value(for key: String) throws(CoderError) -> Value? {
    let value = try find(try Self.numbered(key))
    counters.note(isHit: value != nil)
    return value
  }

  /// Whether there is a value, by its entry alone: the value is not read, and may turn out to be damaged.
  ///
  /// - Throws: ``CoderError/Code/io`` if the folder cannot be read.
  public func contains(_ key: String) throws(CoderError) -> Bool {
    let key = try Self.numbered(key)
    return try store.read { (database) throws(SQLiteFailure) in
      guard let entry = try database.entry(key), entry.key == key.bytes else { return false }
      return self.problem(of: entry) == nil
    }
  }

  /// Writes a value, in place of the one that the key had.
  ///
  /// - Parameters:
  ///   - key: At most 64 KiB of UTF-8. It is stored and compared whole.
  ///   - metadata: A few bytes that belong to the value and are read with it, such as headers: at most 1 MiB.
  /// - Returns: Whether the value is kept. It is not if it is larger than ``Options/maxValueBytes`` or
  ///   ``Options/maxBytes``, or if the disk has less free space than ``Options/minFreeBytes``; then an old value is removed.
  /// - Throws: ``CoderError/Code/io`` if it cannot be written: the old value is still there then.
  ///   ``CoderError/Code/invalidArgument`` for a key or metadata that is too long.
  @discardableResult
  public func put(
    _ bytes: UnsafeRawBufferPointer, for key: String, kind: Kind = .original, metadata: [UInt8] = []
  ) throws(CoderError) -> Bool {
    let key = try Self.numbered(key)
    guard let write = try prepare(bytes, key, kind, metadata) else { return false }
    do throws(CoderError) {
      try writer.write(bytes: bytes.count, write.body(bytes))
    } catch {
      write.file?.remove()
      throw error
    }
    return true
  }

  /// Writes a value, in place of the one that the key had.
  ///
  /// - Returns: As ``put(_:for:kind:metadata:)-(UnsafeRawBufferPointer,_,_,_)``.
  /// - Throws: As that.
  @discardableResult
  public func put(
    _ bytes: [UInt8], for key: String, kind: Kind = .original, metadata: [UInt8] = []
  ) throws(CoderError) -> Bool {
    try bytes.span.bytes.withUnsafeBytes { (bytes) throws(CoderError) in
      try put(bytes, for: key, kind: kind, metadata: metadata)
    }
  }

  /// Replaces what is stored beside a value, and confirms the entry: its age begins anew. For a server's answer that a file
  /// has not changed.
  ///
  /// - Returns: Whether there is such an entry.
  /// - Throws: ``CoderError/Code/io``; ``CoderError/Code/invalidArgument`` for more than 1 MiB.
  @discardableResult
  public func updateMetadata(_ metadata: [UInt8], for key: String) throws(CoderError) -> Bool {
    try writer.write(bytes: metadata.count, try updating(metadata, key))
  }

  /// Removes an entry.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: ``CoderError/Code/io``.
  @discardableResult
  public func remove(_ key: String) throws(CoderError) -> Bool {
    let key = try Self.numbered(key)
    return try writer.write { (transaction) throws(SQLiteFailure) in try transaction.remove(key) }
  }

  /// Writes down which entries were used, which otherwise happens with the next write.
  ///
  /// - Throws: ``CoderError/Code/io``.
  public func flush() throws(CoderError) {
    let uses = store.uses
    guard !uses.isEmpty else { return }
    try writer.write { (transaction) throws(SQLiteFailure) in try transaction.note(uses.take(UseNotes.maxCount)) }
  }
}
