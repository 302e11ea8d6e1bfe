// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoderModel

/// A file with one value, under a random name that no other value had or will have.
///
/// It is written under its final name: nobody looks for a name before an entry has it, and an entry is made only when the
/// file is complete. So a file that is cut short by the end of the process is one that no entry has.
struct ValueFile: Sendable {
  /// 64 random bits.
  let name: UInt64
  let path: String

  init(_ name: UInt64, in folder: CacheFolder) {
    self.name = name
    let digits = String(name, radix: 16)
    let text = String(repeating: "0", count: 16 - digits.utf8.count) + digits
    path = "\(folder.root)/files/\(text.prefix(2))/\(text)"
  }

  /// The file of a name in a folder of files, or nil for a name that is no file's.
  init?(_ name: String, in folder: CacheFolder) {
    guard name.utf8.count == 16, let number = UInt64(name, radix: 16) else { return nil }
    self.init(number, in: folder)
    guard path.hasSuffix("/\(name)") else { return nil }
  }

  /// Writes a value. It is not synced: a file that loses bytes with the machine's power has not its checksum any more.
  ///
  /// - Throws: ``CoderError/Code/io`` with the system's reason; no file is left then.
  static func write(_ bytes: UnsafeRawBufferPointer, in folder: CacheFolder) throws(CoderError) -> ValueFile {
    let (descriptor, file) = try make(in: folder)
    var done = 0
    while done < bytes.count {
      let step = Glibc.write(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done)
      if step < 0, errno == EINTR { continue }
      guard step > 0 else {
        let error = CacheFolder.failure(file.path)
        close(descriptor)
        file.remove()
        throw error
      }
      done += step
    }
    guard close(descriptor) == 0 else {
      let error = CacheFolder.failure(file.path)
      file.remove()
      throw error
    }
    return file
  }

  private static func make(in folder: CacheFolder) throws(CoderError) -> (descriptor: Int32, file: ValueFile) {
    var attempts = 0
    while true {
      attempts += 1
      let file = ValueFile(UInt64.random(in: 0...UInt64.max), in: folder)
      let descriptor = file.path.withSystemName {
        open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
      }
      if descriptor >= 0 { return (descriptor, file) }
      if errno == ENOENT, attempts < 100 {
        let parent = String(file.path.dropLast(17))
        if parent.withSystemName({ mkdir($0, 0o700) }) == 0 || errno == EEXIST { continue }
        guard errno == ENOENT else { throw CacheFolder.failure(parent) }
        // The folder was removed with all that was in it.
        _ = try CacheFolder(folder.path)
        continue
      }
      guard errno == EEXIST, attempts < 100 else { throw CacheFolder.failure(file.path) }
    }
  }

  /// Reads the value into memory of its own and hashes it on the way.
  ///
  /// It is not mapped: a disk that fails would end the process, and what was verified could still change.
  ///
  /// - Parameter count: The length that it has to have.
  /// - Returns: Nil if there is no such file, or one of another length.
  /// - Throws: ``CoderError/Code/io``, ``CoderError/Code/outOfMemory``.
  func read(count: Int) throws(CoderError) -> (memory: ValueMemory, checksum: UInt64)? {
    let descriptor = path.withSystemName { open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ELOOP { return nil }
      throw CacheFolder.failure(path)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw CacheFolder.failure(path) }
    guard status.st_mode & S_IFMT == S_IFREG, Int(status.st_size) == count else { return nil }
    let memory = try ValueMemory(count: count)
    var checksum = ValueChecksum(memory.bytes)
    var filled = 0
    while filled < count {
      let target = UnsafeMutableRawBufferPointer(rebasing: memory.storage[filled..<min(count, filled + Self.step)])
      let got = Glibc.read(descriptor, target.baseAddress, target.count)
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw CacheFolder.failure(path) }
      guard got > 0 else { return nil }
      filled += got
      checksum.read(upTo: filled)
    }
    return (memory, checksum.finish())
  }

  private static let step = 128 << 10

  /// Removes the file, if it is there.
  func remove() { _ = path.withSystemName { unlink($0) } }
}
