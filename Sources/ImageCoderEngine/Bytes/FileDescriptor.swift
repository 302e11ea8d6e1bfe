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
    guard number >= 0 else {
      let failure = Self.failure()
      let isURL = ["https://", "http://", "file://", "data:"].contains { path.lowercased().hasPrefix($0) }
      throw isURL ? .io("\(failure.message); this is a URL, and not the path of a file") : failure
    }
  }

  /// Opens a folder, for files in it.
  ///
  /// - Throws: ``CoderError/Code/io`` with the system's reason.
  init(folder path: String) throws(CoderError) {
    // O_PATH, which Glibc hides from Swift: a folder whose names may not be listed will do.
    number = path.withSystemName { open($0, 0o10000000 | O_DIRECTORY | O_CLOEXEC) }
    guard number >= 0 else { throw Self.failure() }
  }

  /// Opens a regular file of a folder to read it.
  ///
  /// - Parameter name: Of a file in the folder, without a slash.
  /// - Returns: Nil if there is none of that name that is a regular file; a link is none.
  /// - Throws: ``CoderError/Code/io`` with the system's reason.
  init?(regularFile name: [UInt8], in folder: FileDescriptor) throws(CoderError) {
    number = (name + [0]).withUnsafeBytes { bytes in
      let name = bytes.assumingMemoryBound(to: CChar.self).baseAddress.unsafelyUnwrapped
      var status = stat()
      // To open a device may do something; and a pipe would be waited for.
      guard fstatat(folder.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return -1 }
      guard status.st_mode & S_IFMT == S_IFREG else {
        errno = ENOENT
        return -1
      }
      return openat(folder.number, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    }
    guard number >= 0 else {
      if errno == ENOENT || errno == ELOOP { return nil }
      throw Self.failure()
    }
  }

  /// The status of a regular file, or nil for another one.
  ///
  /// - Throws: ``CoderError/Code/io`` with the system's reason.
  func status() throws(CoderError) -> stat? {
    var status = stat()
    guard fstat(number, &status) == 0 else { throw Self.failure() }
    return status.st_mode & S_IFMT == S_IFREG ? status : nil
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
