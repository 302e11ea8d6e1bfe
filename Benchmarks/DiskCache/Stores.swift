// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Glibc
import ImageCaching
import ImageCoderEngine

/// Values under numbers.
protocol Store {
  var name: String { get }
  func put(_ number: Int, _ bytes: ArraySlice<UInt8>) throws
  /// Reads a value into memory of its own and returns its length.
  func get(_ number: Int) throws -> Int
}

/// Ours.
struct OwnStore: Store {
  let name = "own"
  private let cache: DiskCache

  init(_ cache: DiskCache) { self.cache = cache }

  func put(_ number: Int, _ bytes: ArraySlice<UInt8>) throws {
    try bytes.withUnsafeBytes { _ = try cache.put($0, for: "https://example.org/\(number)") }
  }

  func get(_ number: Int) throws -> Int { try cache.value(for: "https://example.org/\(number)")?.count ?? -1 }
}

/// A table of keys and values, with the same settings: no checksum, no totals, no limits.
final class PlainSQLite: Store {
  let name = "sqlite"
  private let insertion: OpaquePointer
  private let query: OpaquePointer

  init(_ path: String) throws {
    guard csqlite_load() > 0 else { fatalError("there is no SQLite") }
    close(open(path, O_CREAT | O_RDWR, 0o600))
    var connection: OpaquePointer?
    guard csqlite_open(path, &connection) == 0, let connection else { fatalError("cannot open \(path)") }
    csqlite_execute(
      connection,
      """
      PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA mmap_size = 268435456;
      CREATE TABLE item(key BLOB PRIMARY KEY, value BLOB NOT NULL)
      """)
    func prepared(_ text: String) -> OpaquePointer {
      var statement: OpaquePointer?
      guard csqlite_prepare(connection, text, &statement) == 0, let statement else {
        fatalError("cannot prepare \(text)")
      }
      return statement
    }
    insertion = prepared("INSERT OR REPLACE INTO item VALUES(?1, ?2)")
    query = prepared("SELECT value FROM item WHERE key = ?1")
  }

  private func bind(_ statement: OpaquePointer, _ number: Int) {
    var key = "https://example.org/\(number)"
    key.withUTF8 { _ = csqlite_bind_bytes(statement, 1, $0.baseAddress, Int64($0.count), 1) }
  }

  func put(_ number: Int, _ bytes: ArraySlice<UInt8>) throws {
    bind(insertion, number)
    bytes.withUnsafeBytes {
      csqlite_bind_bytes(insertion, 2, $0.baseAddress, Int64($0.count), 0)
      guard csqlite_step(insertion) == CSQLITE_DONE else { fatalError("cannot insert") }
      csqlite_reset(insertion)
    }
  }

  func get(_ number: Int) throws -> Int {
    bind(query, number)
    defer { csqlite_reset(query) }
    guard csqlite_step(query) == CSQLITE_ROW else { return -1 }
    var count: Int64 = 0
    let bytes = csqlite_column_bytes(query, 0, &count)
    let copy = malloc(max(1, Int(count)))
    defer { free(copy) }
    if let copy, let bytes { copy.copyMemory(from: bytes, byteCount: Int(count)) }
    return Int(count)
  }
}

/// A file for each value, renamed into its place.
///
/// Plainly used, nothing is synced: after a loss of power all files of the last half minute can be cut short or have other
/// bytes, and nobody knows. With `isSafe` they promise what ours does: a checksum in front of the value, and values up to
/// 64 KiB are synced as often as our log is copied into the database, which is after 2000 pages, or about 400 of them.
final class PlainFiles: Store {
  let name: String
  private let folder: String
  private let isSafe: Bool
  private var unsynced: [String] = []

  init(_ folder: String, isSafe: Bool) {
    self.folder = folder
    self.isSafe = isSafe
    name = isSafe ? "safe" : "files"
    mkdir(folder, 0o700)
    for number in 0..<256 { mkdir("\(folder)/\(number)", 0o700) }
  }

  private func path(_ number: Int) -> String { "\(folder)/\(number % 256)/\(number)" }

  func put(_ number: Int, _ bytes: ArraySlice<UInt8>) throws {
    let descriptor = open("\(folder)/new", O_CREAT | O_TRUNC | O_WRONLY, 0o600)
    let written = bytes.withUnsafeBytes { bytes in
      guard isSafe else { return write(descriptor, bytes.baseAddress, bytes.count) }
      var checksum = ValueChecksum.of(bytes)
      return withUnsafeMutableBytes(of: &checksum) { head in
        let parts = [
          iovec(iov_base: head.baseAddress, iov_len: head.count),
          iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count),
        ]
        return writev(descriptor, parts, 2) - head.count
      }
    }
    close(descriptor)
    guard written == bytes.count, rename("\(folder)/new", path(number)) == 0 else { fatalError("cannot write") }
    guard isSafe, bytes.count <= 64 << 10 else { return }
    unsynced.append(path(number))
    if unsynced.count == 400 { sync() }
  }

  private func sync() {
    for path in unsynced {
      let descriptor = open(path, O_RDONLY)
      guard fdatasync(descriptor) == 0 else { fatalError("cannot sync") }
      close(descriptor)
    }
    unsynced = []
  }

  func get(_ number: Int) throws -> Int {
    let descriptor = open(path(number), O_RDONLY)
    defer { close(descriptor) }
    var status = stat()
    guard descriptor >= 0, fstat(descriptor, &status) == 0 else { return -1 }
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(8, Int(status.st_size)), alignment: 16)
    defer { copy.deallocate() }
    let count = read(descriptor, copy.baseAddress, Int(status.st_size))
    guard isSafe else { return count }
    let value = UnsafeRawBufferPointer(rebasing: copy[8..<max(8, count)])
    return ValueChecksum.of(value) == copy.load(as: UInt64.self) ? value.count : -1
  }
}
