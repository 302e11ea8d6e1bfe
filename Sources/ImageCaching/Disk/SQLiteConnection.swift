// SPDX-License-Identifier: Apache-2.0

import CSQLite
package import ImageCoderModel

/// Why a call of SQLite failed.
struct SQLiteFailure: Error {
  /// The primary result code.
  let code: Int32
  let message: String

  /// Whether the database is damaged, rather than busy, full or out of reach.
  ///
  /// Besides SQLITE_CORRUPT (11) and SQLITE_NOTADB (26), that is what no statement here causes in a sound one: SQLITE_ERROR
  /// (1), SQLITE_READONLY (8) for a version of the format that is not known, SQLITE_TOOBIG (18), SQLITE_CONSTRAINT (19),
  /// SQLITE_MISMATCH (20) and SQLITE_FORMAT (24).
  var isDamage: Bool { [1, 8, 11, 18, 19, 20, 24, 26].contains(code) }

  /// A database whose contents cannot be what this library wrote.
  static func damage(_ message: String) -> SQLiteFailure {
    SQLiteFailure(code: Int32(CSQLITE_CORRUPT), message: message)
  }

  /// The failure as an error of a call.
  func error(_ path: String) -> CoderError {
    let isBusy = code == Int32(CSQLITE_BUSY)
    let message =
      isBusy
      ? "another process has kept the cache locked for longer than the busy timeout"
      : "SQLite failed with code \(code): \(self.message)"
    return CoderError.io(message).annotated(file: path)
  }
}

/// An open database.
///
/// - Threads: One at a time.
package final class SQLiteConnection {
  private let handle: OpaquePointer

  /// The library's version, such as 3040001, loaded when it is first asked for.
  ///
  /// - Throws: ``CoderError/Code/libraryFailure`` if there is none.
  @discardableResult
  package static func version() throws(CoderError) -> Int {
    let version = Int(csqlite_load())
    guard version > 0 else {
      throw .libraryFailure(
        "the cache on disk needs SQLite 3.31 or later (libsqlite3.so.0), which is in the Debian package libsqlite3-0")
    }
    return version
  }

  /// Opens a file that exists. The library has to be loaded.
  init(_ path: String, busyTimeout milliseconds: Int) throws(SQLiteFailure) {
    var opened: OpaquePointer?
    let code = path.withSystemName { csqlite_open($0, &opened) }
    guard let opened, code == Int32(CSQLITE_OK) else {
      let message = opened.map { String(cString: csqlite_message($0)) } ?? "out of memory"
      if let opened { csqlite_close(opened) }
      throw SQLiteFailure(code: code, message: message)
    }
    handle = opened
    csqlite_set_defensive(handle)
    csqlite_set_busy_timeout(handle, Int32(clamping: milliseconds))
  }

  deinit { csqlite_close(handle) }

  /// Runs statements that return nothing.
  func execute(_ statements: String) throws(SQLiteFailure) {
    try check(csqlite_execute(handle, statements))
  }

  /// Prepares a statement.
  func prepare(_ text: String) throws(SQLiteFailure) -> SQLiteStatement {
    var statement: OpaquePointer?
    try check(csqlite_prepare(handle, text, &statement))
    guard let statement else { throw SQLiteFailure(code: 1, message: "an empty statement") }
    return SQLiteStatement(statement, of: self)
  }

  /// The first column of the first row.
  func integer(_ query: String) throws(SQLiteFailure) -> Int? {
    let statement = try prepare(query)
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : nil
  }

  /// Rows that the last statement changed.
  var changes: Int { Int(csqlite_changes(handle)) }

  /// Ends a transaction that failed. Some failures have ended it already.
  func rollBack() {
    if csqlite_is_in_autocommit(handle) == 0 { csqlite_execute(handle, "ROLLBACK") }
  }

  /// Copies the write-ahead log into the database and empties it, unless somebody else uses it for longer than the busy timeout.
  func checkpoint() throws(SQLiteFailure) {
    let code = csqlite_checkpoint(handle)
    if code != Int32(CSQLITE_BUSY) { try check(code) }
  }

  func check(_ code: Int32) throws(SQLiteFailure) {
    guard code != Int32(CSQLITE_OK) else { return }
    throw SQLiteFailure(code: code, message: String(cString: csqlite_message(handle)))
  }
}

/// A statement that is used often.
///
/// - Threads: One at a time, as its connection.
final class SQLiteStatement {
  private let handle: OpaquePointer
  /// Stays open until its last statement is gone.
  private let connection: SQLiteConnection
  /// The first failure of binding a parameter, which the next step reports.
  private var bindingFailure: Int32 = 0

  fileprivate init(_ handle: OpaquePointer, of connection: SQLiteConnection) {
    self.handle = handle
    self.connection = connection
  }

  deinit { csqlite_finalize(handle) }

  /// Binds a parameter, counted from 1.
  func bind(_ index: Int32, _ value: Int) { note(csqlite_bind_integer(handle, index, Int64(value))) }

  /// Binds bytes, which are copied.
  func bind(_ index: Int32, _ bytes: [UInt8]) {
    bytes.withUnsafeBytes { note(csqlite_bind_bytes(handle, index, $0.baseAddress, Int64($0.count), 1)) }
  }

  /// Binds bytes, which have to stay until the statement is reset.
  func bind(_ index: Int32, unowned bytes: UnsafeRawBufferPointer) {
    note(csqlite_bind_bytes(handle, index, bytes.baseAddress, Int64(bytes.count), 0))
  }

  private func note(_ code: Int32) { if bindingFailure == 0 { bindingFailure = code } }

  /// Goes to the next row.
  ///
  /// - Returns: Whether there is one.
  func step() throws(SQLiteFailure) -> Bool {
    if bindingFailure != 0 {
      defer { bindingFailure = 0 }
      throw SQLiteFailure(code: bindingFailure, message: "a parameter cannot be bound")
    }
    let code = csqlite_step(handle)
    if code == Int32(CSQLITE_ROW) { return true }
    if code == Int32(CSQLITE_DONE) { return false }
    try connection.check(code)
    return false
  }

  /// Runs the statement to its end and makes it ready for the next use.
  func run() throws(SQLiteFailure) {
    defer { reset() }
    while try step() {}
  }

  /// Makes the statement ready for the next use. What failed was reported by the step.
  func reset() { csqlite_reset(handle) }

  /// A column of the row, counted from 0.
  func integer(_ column: Int32) -> Int { Int(csqlite_column_integer(handle, column)) }

  func isNull(_ column: Int32) -> Bool { csqlite_column_type(handle, column) == Int32(CSQLITE_NULL) }

  /// Bytes of a column of the row, valid until the next step or reset.
  func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    var count: Int64 = 0
    let start = csqlite_column_bytes(handle, column, &count)
    return UnsafeRawBufferPointer(start: start, count: Int(count))
  }
}
