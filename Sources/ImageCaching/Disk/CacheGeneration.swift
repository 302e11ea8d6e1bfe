// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoderModel

/// One database file of a folder and the connections to it. When it is damaged, another with the next number follows.
final class CacheGeneration: Sendable {
  /// A connection that no thread uses.
  private struct Idle: @unchecked Sendable {
    // Unchecked: the thread that takes it out of the list is the only one that has it.
    let database: CacheDatabase
  }

  let number: Int
  private let path: String
  private let inode: UInt
  private let busyTimeout: Int
  private let idle: Lock<[Idle]>

  /// More are closed after use.
  private static let maxIdle = 8

  /// Opens a database, and makes its tables if it has none.
  ///
  /// - Parameter number: One whose file exists.
  init(_ number: Int, in folder: CacheFolder, busyTimeout: Int) throws(SQLiteFailure) {
    self.number = number
    self.busyTimeout = busyTimeout
    path = folder.database(number)
    inode = Self.inode(path) ?? 0
    idle = Lock([Idle(database: try CacheDatabase(path, busyTimeout: busyTimeout))])
  }

  /// Makes the file of a new database, empty. The others that SQLite makes take its mode.
  static func makeFile(_ number: Int, in folder: CacheFolder) throws(CoderError) {
    let path = folder.database(number)
    // A file that exists is never opened here: closing it would give up the locks that connections of this process have.
    let descriptor = path.withSystemName { open($0, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600) }
    guard descriptor >= 0 else { throw CacheFolder.failure(path) }
    close(descriptor)
  }

  /// Uses a connection.
  func withDatabase<Value>(
    _ body: (CacheDatabase) throws(SQLiteFailure) -> Value
  ) throws(SQLiteFailure) -> Value {
    let taken = idle.withLock { $0.popLast() }
    let database: CacheDatabase
    if let taken { database = taken.database } else { database = try CacheDatabase(path, busyTimeout: busyTimeout) }
    // After a failure it is closed: the file may be another by now.
    let value = try body(database)
    let returned = Idle(database: database)
    idle.withLock { if $0.count < Self.maxIdle { $0.append(returned) } }
    return value
  }

  /// Whether the file is still the one that was opened, and no other process has begun anew.
  func isCurrent(in folder: CacheFolder) -> Bool {
    Self.inode(path) == inode && folder.database(number + 1).withSystemName { access($0, F_OK) } != 0
  }

  private static func inode(_ path: String) -> UInt? {
    var status = stat()
    return path.withSystemName { stat($0, &status) } == 0 ? UInt(status.st_ino) : nil
  }
}
