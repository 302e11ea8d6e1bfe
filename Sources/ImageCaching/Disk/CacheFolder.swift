// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Glibc
import ImageCoderEngine
import ImageCoderModel
import ImageCoders

/// The folder of a cache and what lies in it.
///
/// All of a cache is in the subfolder `v1`, so that a later format may have another and neither sweeps the other's files:
///
///     v1/lock             held while a database is begun
///     v1/cache-1.sqlite   the database, with its write-ahead log; the highest number is the one in use
///     v1/files/3f/…       values that are too large for the database, under random names
package struct CacheFolder: Sendable {
  /// The folder that was named, without links.
  let path: String
  /// The subfolder of this format.
  let root: String

  /// Makes the folder if there is none, and checks who can write to it.
  init(_ named: String) throws(CoderError) {
    try Self.makeFolders(named)
    path = try Self.checked(named)
    root = "\(path)/v1"
    guard mkdir(root) else { throw Self.failure(root) }
    _ = try Self.checked(root)
    if let system = try Self.networkFileSystem(root) {
      throw .unsupported(
        "\(path) is on a network file system (\(system)), where the database's write-ahead log cannot work; "
          + "choose a folder on a disk of this machine")
    }
    guard mkdir("\(root)/files") else { throw Self.failure("\(root)/files") }
  }

  /// The path of a database.
  func database(_ number: Int) -> String { "\(root)/cache-\(number).sqlite" }

  /// The highest number of a database, or 0 if there is none.
  func newestDatabase() -> Int { databases().max() ?? 0 }

  /// The numbers of all databases.
  func databases() -> [Int] {
    Self.names(in: root).compactMap { name in
      guard name.hasPrefix("cache-"), name.hasSuffix(".sqlite") else { return nil }
      return Int(name.dropFirst("cache-".count).dropLast(".sqlite".count))
    }
  }

  /// Removes a database that is no longer in use. Processes that have it open keep what they have.
  func removeDatabase(_ number: Int) {
    for suffix in ["-shm", "-wal", ""] { unlink(database(number) + suffix) }
  }

  /// Bytes of a database with its write-ahead log.
  func databaseBytes(_ number: Int) -> Int {
    ["", "-wal"].reduce(0) { sum, suffix in
      var status = stat()
      return (database(number) + suffix).withSystemName { stat($0, &status) } == 0 ? sum + Int(status.st_size) : sum
    }
  }

  /// Bytes of the file system that programs of users may still write.
  ///
  /// - Parameter path: A file or folder on it.
  static func freeBytes(_ path: String) throws(CoderError) -> Int {
    var status = statvfs()
    guard path.withSystemName({ statvfs($0, &status) }) == 0 else { throw failure(path) }
    let (bytes, isTooLarge) = Int(clamping: status.f_bavail).multipliedReportingOverflow(
      by: Int(clamping: status.f_frsize))
    return isTooLarge ? .max : bytes
  }

  /// Does something while no other process does such a thing in this folder.
  func locked<Value>(_ body: () throws(CoderError) -> Value) throws(CoderError) -> Value {
    let descriptor = "\(root)/lock".withSystemName { open($0, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600) }
    guard descriptor >= 0 else { throw Self.failure("\(root)/lock") }
    // Closing the file gives the lock back.
    defer { close(descriptor) }
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else { throw Self.failure("\(root)/lock") }
    }
    return try body()
  }

  // MARK: Names

  /// The names in a folder, or none if it cannot be read.
  package static func names(in folder: String) -> [String] {
    guard let stream = folder.withSystemName({ opendir($0) }) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { SystemName.string($0.prefix { $0 != 0 }) }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// What a system call says.
  static func failure(_ path: String) -> CoderError {
    CoderError.io(String(cString: strerror(errno)).lowercased()).annotated(file: path)
  }

  // MARK: Checks

  private static func makeFolders(_ path: String) throws(CoderError) {
    guard !path.isEmpty else { throw .invalidArgument("the path of the cache's folder is empty") }
    var made = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      made += "/\(part)"
      guard CacheFolder.mkdir(made) else { throw failure(made) }
    }
  }

  /// Makes a folder for this user alone.
  ///
  /// - Returns: Whether there is one, or something else under this name; if not, `errno` says why.
  private static func mkdir(_ path: String) -> Bool {
    if path.withSystemName({ Glibc.mkdir($0, 0o700) }) == 0 || errno == EEXIST { return true }
    // On a system that is mounted read-only, EROFS comes before EEXIST.
    let reason = errno
    let exists = path.withSystemName { access($0, F_OK) } == 0
    errno = reason
    return exists
  }

  private func mkdir(_ path: String) -> Bool { Self.mkdir(path) }

  /// The path without links, if only root and this user can change what lies there.
  private static func checked(_ path: String) throws(CoderError) -> String {
    let walk = PathWalk(path)
    var status = stat()
    guard path.withSystemName({ stat($0, &status) }) == 0 else { throw failure(path) }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw CoderError.io("is no folder; a cache needs one for itself").annotated(file: path)
    }
    if let problem = TrustedFile.writers(of: status, path) ?? walk.problem {
      throw CoderError.io("\(problem); a cache needs a folder that nobody else can change").annotated(file: path)
    }
    guard let resolved = walk.resolved else { throw CoderError.io("cannot be followed").annotated(file: path) }
    return resolved
  }

  /// The name of a network file system, or nil for a folder on a disk of this machine.
  private static func networkFileSystem(_ path: String) throws(CoderError) -> String? {
    var type: UInt32 = 0
    guard path.withSystemName({ csqlite_file_system_type($0, &type) }) == 1 else { throw failure(path) }
    return networkFileSystem(type: type)
  }

  /// - Parameter type: As in `statfs(2)`. FUSE is none of them: it is mostly of this machine.
  package static func networkFileSystem(type: UInt32) -> String? {
    switch type {
    case 0x6969: "NFS"
    case 0x517B, 0xFF53_4D42, 0xFE53_4D42: "SMB"
    case 0x5346_414F: "AFS"
    case 0x00C3_6400: "Ceph"
    case 0x0102_1997: "9P"
    case 0x7375_7245: "Coda"
    case 0x0BD0_0BD0: "Lustre"
    case 0x0116_1970: "GFS2"
    case 0x7461_636F: "OCFS2"
    case 0x786F_4256: "a folder shared by VirtualBox"
    default: nil
    }
  }
}
