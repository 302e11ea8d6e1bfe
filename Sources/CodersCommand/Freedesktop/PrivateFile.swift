// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoderModel

/// A file of mode 0600 that appears whole or not at all, in folders of mode 0700.
enum PrivateFile {
  /// Writes a file in place of the one that has its name.
  ///
  /// It is not made sure that the bytes are on the disk: after a loss of power, it may be damaged and has to be made again.
  static func write(_ bytes: [UInt8], to path: String) throws(CoderError) {
    let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    try makeFolder(folder)
    let temporary = "\(folder)/.coders-\(getpid())-\(String(UInt64.random(in: 0...UInt64.max), radix: 36)).tmp"
    let descriptor = temporary.withSystemName { open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
    guard descriptor >= 0 else { throw failure(temporary) }
    var isWritten = true
    var reason = errno
    bytes.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count, isWritten {
        let step = Glibc.write(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done)
        if step > 0 { done += step } else { isWritten = step < 0 && errno == EINTR }
      }
      reason = errno
    }
    // A full disk may first be noticed here.
    if close(descriptor) != 0, isWritten { (isWritten, reason) = (false, errno) }
    if isWritten, temporary.withSystemName({ old in path.withSystemName { rename(old, $0) } }) != 0 {
      (isWritten, reason) = (false, errno)
    }
    guard isWritten else {
      _ = temporary.withSystemName { unlink($0) }
      throw failure(path, reason)
    }
  }

  /// Makes a folder and those above it. Folders that are there stay as they are.
  private static func makeFolder(_ path: String) throws(CoderError) {
    guard !path.isEmpty, path.withSystemName({ mkdir($0, 0o700) }) != 0, errno != EEXIST else { return }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/") else { throw failure(path) }
    try makeFolder(String(path[..<slash]))
    guard path.withSystemName({ mkdir($0, 0o700) }) == 0 || errno == EEXIST else { throw failure(path) }
  }

  private static func failure(_ path: String, _ reason: Int32 = errno) -> CoderError {
    CoderError.io(String(cString: strerror(reason)).lowercased()).annotated(file: path)
  }
}
