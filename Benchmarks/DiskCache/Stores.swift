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

/// A file for each value, renamed into its place. Nothing is synced, so that after a loss of power a file can be cut short
/// or have other bytes: only with a checksum does it promise as much as ours.
struct PlainFiles: Store {
  let name: String
  private let folder: String
  private let isVerified: Bool

  init(_ folder: String, isVerified: Bool) {
    self.folder = folder
    self.isVerified = isVerified
    name = isVerified ? "verified" : "files"
    mkdir(folder, 0o700)
    for number in 0..<256 { mkdir("\(folder)/\(number)", 0o700) }
  }

  private func path(_ number: Int) -> String { "\(folder)/\(number % 256)/\(number)" }

  func put(_ number: Int, _ bytes: ArraySlice<UInt8>) throws {
    let descriptor = open("\(folder)/new", O_CREAT | O_TRUNC | O_WRONLY, 0o600)
    let written = bytes.withUnsafeBytes { bytes in
      guard isVerified else { return write(descriptor, bytes.baseAddress, bytes.count) }
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
  }

  func get(_ number: Int) throws -> Int {
    let descriptor = open(path(number), O_RDONLY)
    defer { close(descriptor) }
    var status = stat()
    guard descriptor >= 0, fstat(descriptor, &status) == 0 else { return -1 }
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(8, Int(status.st_size)), alignment: 16)
    defer { copy.deallocate() }
    let count = read(descriptor, copy.baseAddress, Int(status.st_size))
    guard isVerified else { return count }
    let value = UnsafeRawBufferPointer(rebasing: copy[8..<max(8, count)])
    return ValueChecksum.of(value) == copy.load(as: UInt64.self) ? value.count : -1
  }
}
