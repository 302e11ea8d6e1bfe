// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// Why a file must not be used.
struct FileProblem: Error, Equatable {
  enum Kind {
    /// There is nothing at the path.
    case missing
    /// It cannot be read, or is no regular file.
    case unreadable
    case tooLarge
    /// Others could change it or put another file in its place.
    case permission
  }

  let kind: Kind
  let message: String
}

/// Files that decide which code runs: manifests, libraries, settings.
///
/// Only regular files are opened: a FIFO would block the thread that opens it, and opening a device may do anything.
package enum TrustedFile {
  /// The bytes of a small file.
  ///
  /// - Parameter known: What is at the path, if somebody looked just now.
  static func contents(of path: String, maxBytes: Int, known: stat? = nil) throws(FileProblem) -> [UInt8] {
    try check(path, known: known)
    // The file may have been replaced since: the descriptor tells what was opened.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(errno, path) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure(errno, path) }
    try check(status, path)
    // One byte more than the file has: if it does not come, this was the end.
    let size = Int(status.st_size)
    var room = min(size, maxBytes) + 1
    var bytes: [UInt8] = []
    while true {
      let piece = try piece(of: descriptor, atMost: room, path)
      if bytes.isEmpty { bytes = piece } else { bytes += piece }
      guard bytes.count <= maxBytes else {
        throw FileProblem(kind: .tooLarge, message: "\(path) has more than \(maxBytes) bytes")
      }
      if piece.isEmpty || (bytes.count == size && piece.count < room) { return bytes }
      room = 16 << 10
    }
  }

  private static func piece(of descriptor: Int32, atMost count: Int, _ path: String) throws(FileProblem) -> [UInt8] {
    var problem: Int32?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, got in
      var result: Int
      repeat { result = read(descriptor, buffer.baseAddress, count) } while result < 0 && errno == EINTR
      if result < 0 { problem = errno }
      got = max(0, result)
    }
    if let problem { throw failure(problem, path) }
    return bytes
  }

  /// Checks what is at a path: a regular file that only root and the current user can write to.
  ///
  /// - Parameter known: What is there, if somebody looked just now.
  static func check(_ path: String, known: stat? = nil) throws(FileProblem) {
    if let known { return try check(known, path) }
    var status = stat()
    guard stat(path, &status) == 0 else { throw failure(errno, path) }
    try check(status, path)
  }

  private static func check(_ status: stat, _ path: String) throws(FileProblem) {
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw FileProblem(kind: .unreadable, message: "\(path) is \(kind(status)); a regular file is needed")
    }
    if let problem = writers(of: status, path) { throw FileProblem(kind: .permission, message: problem) }
  }

  /// Who else can write to a file or a directory, or nil.
  package static func writers(of status: stat, _ path: String) -> String? {
    guard status.st_uid == 0 || status.st_uid == geteuid() else {
      return "\(path) belongs to user \(status.st_uid), who is neither root nor the current user"
    }
    guard status.st_mode & S_IWOTH == 0 else { return "\(path) can be written by everybody" }
    let isOwnGroup = status.st_gid == 0 || status.st_gid == getegid()
    guard status.st_mode & S_IWGRP == 0 || isOwnGroup else { return "\(path) can be written by group \(status.st_gid)" }
    return nil
  }

  static func failure(_ code: Int32, _ path: String) -> FileProblem {
    if code == ENOENT, let link = linkToNothing(path) {
      return FileProblem(kind: .unreadable, message: "\(path): \(link) is a link to nothing")
    }
    return FileProblem(
      kind: code == ENOENT || code == ENOTDIR ? .missing : .unreadable,
      message: "\(path): \(String(cString: strerror(code)).lowercased())")
  }

  /// The link because of which there is nothing at a path, or nil: somebody put it there, and meant a file.
  private static func linkToNothing(_ path: String) -> String? {
    var place = path
    var status = stat()
    while lstat(place, &status) != 0 {
      guard let parent = PluginSearchPath.parent(of: place) else { return nil }
      place = parent
    }
    return status.st_mode & S_IFMT == S_IFLNK && stat(place, &status) != 0 ? place : nil
  }

  private static func kind(_ status: stat) -> String {
    switch status.st_mode & S_IFMT {
    case S_IFDIR: "a directory"
    case S_IFIFO: "a FIFO"
    case S_IFSOCK: "a socket"
    case S_IFCHR, S_IFBLK: "a device"
    default: "no regular file"
    }
  }
}
