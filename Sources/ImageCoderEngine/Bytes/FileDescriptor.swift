// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderModel

/// An open file of the system, closed when nobody uses it any more.
final class FileDescriptor: Sendable {
  let number: Int32

  /// Opens a file to read it.
  ///
  /// - Throws: ``CoderError/Code/io`` with the system's reason.
  init(path: String) throws(CoderError) {
    number = path.withSystemName { open($0, O_RDONLY | O_CLOEXEC) }
    guard number >= 0 else { throw Self.failure() }
  }

  /// - Throws: ``CoderError/Code/io`` with the system's reason.
  init(duplicating other: Int32) throws(CoderError) {
    number = fcntl(other, F_DUPFD_CLOEXEC, 0)
    guard number >= 0 else { throw Self.failure() }
  }

  deinit { if number >= 0 { close(number) } }

  /// The file's size, or nil for what has none: a pipe, a device.
  ///
  /// - Throws: ``CoderError/Code/io`` for a directory.
  func size() throws(CoderError) -> Int? {
    var status = stat()
    guard fstat(number, &status) == 0 else { throw Self.failure() }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return Int(status.st_size)
    case S_IFDIR: throw .io("is a directory, a file is needed")
    default: return nil
    }
  }

  /// Reads bytes at an offset; fewer than `count` only where the file ends.
  func read(into target: UnsafeMutableRawPointer, at offset: Int, count: Int) throws(CoderError) -> Int {
    var filled = 0
    while filled < count {
      let got = pread(number, target + filled, count - filled, offset + filled)
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw Self.failure() }
      guard got > 0 else { break }
      filled += got
    }
    return filled
  }

  static func failure() -> CoderError { .io(String(cString: strerror(errno)).lowercased()) }
}
