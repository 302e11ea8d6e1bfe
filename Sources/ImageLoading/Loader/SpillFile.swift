// SPDX-License-Identifier: Apache-2.0
#if Loading
  import Glibc

  /// A file without a name, for bytes that memory has no room for. It is gone when it is released, and when the process ends.
  final class SpillFile: Sendable {
    let descriptor: Int32

    /// - Throws: ``LoadingError/Code/io`` with the system's reason.
    init(in folder: String) throws(LoadingError) {
      var name = Array("\(folder)/loading.XXXXXX".utf8CString)
      let descriptor = mkstemp(&name)
      guard descriptor >= 0 else { throw Self.failure("make a temporary file in \(folder)") }
      unlink(name)
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Writes bytes at an offset.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(LoadingError) {
      var done = 0
      while done < bytes.count {
        let count = pwrite(
          descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw Self.failure("write to a temporary file") }
        done += count
      }
    }

    /// Reads bytes at an offset, all that are asked for.
    func read(_ range: Range<Int>) throws(LoadingError) -> [UInt8] {
      var result = [UInt8](repeating: 0, count: range.count)
      var done = 0
      while done < range.count {
        let count = result.withUnsafeMutableBytes { bytes in
          pread(descriptor, bytes.baseAddress.map { $0 + done }, range.count - done, off_t(range.lowerBound + done))
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw Self.failure("read a temporary file") }
        done += count
      }
      return result
    }

    private static func failure(_ what: String) -> LoadingError {
      LoadingError(.io, "cannot \(what): \(String(cString: strerror(errno)))")
    }
  }
#endif
