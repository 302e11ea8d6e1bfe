// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders

/// A file that appears whole or not at all.
///
/// Bytes go to a temporary file in the same directory, which takes the target's name when all are written. After an
/// error nothing is left behind, and a file that had the name before is untouched.
struct OutputFile {
  private let path: String

  /// - Parameter path: `-` for standard output.
  init(_ path: String) { self.path = path }

  /// Writes the file.
  ///
  /// - Throws: ``CoderError/Code/io`` with the system's reason.
  func write(_ bytes: [UInt8], to console: Console) throws(CoderError) {
    guard path != "-" else {
      bytes.withUnsafeBytes { console.write($0) }
      return
    }
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      guard status.st_mode & S_IFMT != S_IFDIR else { throw .io("is a directory") }
      // A device or a pipe cannot be replaced, and is written as it is.
      return try writeInPlace(bytes)
    }
    let (descriptor, temporary) = try makeTemporary()
    do throws(CoderError) {
      try Self.fill(descriptor, bytes)
      guard rename(temporary, path) == 0 else { throw Self.failure() }
    } catch {
      unlink(temporary)
      throw error
    }
  }

  private func makeTemporary() throws(CoderError) -> (descriptor: Int32, path: String) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    var attempt = 0
    while true {
      attempt += 1
      // Not mkstemp: its mode of 0600 would have to be widened by the umask, which can be read only by changing it.
      let candidate = "\(folder).coders-\(getpid())-\(String(UInt64.random(in: 0...UInt64.max), radix: 36)).tmp"
      let descriptor = open(candidate, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
      if descriptor >= 0 { return (descriptor, candidate) }
      guard errno == EEXIST, attempt < 100 else { throw Self.failure() }
    }
  }

  private func writeInPlace(_ bytes: [UInt8]) throws(CoderError) {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.failure() }
    try Self.fill(descriptor, bytes)
  }

  /// Writes all bytes and closes, which may be when a full disk is first noticed.
  private static func fill(_ descriptor: Int32, _ bytes: [UInt8]) throws(CoderError) {
    var done = 0
    while done < bytes.count {
      let written = bytes.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress.map { $0 + done }, bytes.count - done)
      }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else {
        let error = failure()
        close(descriptor)
        throw error
      }
      done += written
    }
    guard close(descriptor) == 0 else { throw failure() }
  }

  private static func failure() -> CoderError { .io(String(cString: strerror(errno)).lowercased()) }
}
