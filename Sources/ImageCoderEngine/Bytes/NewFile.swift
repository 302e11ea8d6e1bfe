// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ImageCoderModel

/// A file that appears whole or not at all.
///
/// Bytes go to a temporary file in the same directory, which takes the target's name when ``commit()`` is called.
/// Without that nothing remains, and a file that had the name before is untouched. A link is followed to its
/// target; a device or a pipe, which cannot be replaced, is written as it is.
///
/// - Threads: One at a time.
package final class NewFile {
  private static let bufferSize = 256 << 10

  private let path: String
  private let temporary: TemporaryName?
  private var descriptor: Int32
  /// Bytes that are not written yet, in memory of `bufferSize` bytes.
  private let buffer: UnsafeMutableRawPointer
  private var buffered = 0
  /// Bytes before those of the buffer.
  private var written = 0

  /// Bytes that were appended.
  package var count: Int { written + buffered }

  /// Makes the temporary file.
  ///
  /// - Throws: ``CoderError/Code/io`` with the system's reason; ``CoderError/Code/outOfMemory``.
  package init(_ path: String) throws(CoderError) {
    guard let buffer = malloc(Self.bufferSize) else {
      throw CoderError.outOfMemory(bytes: Self.bufferSize, for: "a buffer of the file").annotated(file: path)
    }
    var isMade = false
    defer { if !isMade { free(buffer) } }
    var status = stat()
    let exists = path.withSystemName { stat($0, &status) } == 0
    if exists, status.st_mode & S_IFMT == S_IFDIR { throw CoderError.io("is a directory").annotated(file: path) }
    if exists, status.st_mode & S_IFMT != S_IFREG {
      descriptor = path.withSystemName { open($0, O_WRONLY | O_CLOEXEC) }
      guard descriptor >= 0 else { throw Self.failure(path) }
      (self.path, temporary) = (path, nil)
    } else {
      let target = exists ? Self.resolved(path) : path
      self.path = target
      let made = try Self.makeTemporary(beside: target)
      (descriptor, temporary) = made
      if exists { fchmod(descriptor, status.st_mode & 0o777) }
    }
    self.buffer = buffer
    isMade = true
  }

  deinit {
    free(buffer)
    if descriptor >= 0 { close(descriptor) }
    if let temporary, descriptor != Self.committed { unlink(temporary.path) }
  }

  /// Appends bytes.
  package func append(_ bytes: UnsafeRawBufferPointer) throws(CoderError) {
    if buffered + bytes.count > Self.bufferSize { try flush() }
    guard bytes.count < Self.bufferSize else {
      try write(bytes)
      written += bytes.count
      return
    }
    if let base = bytes.baseAddress { (buffer + buffered).copyMemory(from: base, byteCount: bytes.count) }
    buffered += bytes.count
  }

  /// Replaces bytes that were appended before.
  ///
  /// - Throws: ``CoderError/Code/io``, also for a pipe, which cannot be written again.
  package func patch(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(CoderError) {
    precondition(offset >= 0 && offset + bytes.count <= count, "\(bytes.count) bytes at \(offset) of \(count)")
    if offset >= written {
      if let base = bytes.baseAddress { (buffer + (offset - written)).copyMemory(from: base, byteCount: bytes.count) }
      return
    }
    try flush()
    var done = 0
    while done < bytes.count {
      let step = pwrite(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
      if step < 0, errno == EINTR { continue }
      guard step > 0 else { throw Self.failure(path) }
      done += step
    }
  }

  /// Gives the file its name.
  ///
  /// - Throws: ``CoderError/Code/io``; the file that had the name is still there then.
  package func commit() throws(CoderError) {
    try flush()
    // Else a machine that loses power may find the new name with no bytes in it.
    if temporary != nil, fdatasync(descriptor) != 0, errno != EINVAL, errno != ENOSYS { throw Self.failure(path) }
    let open = descriptor
    descriptor = Self.closed
    // A full disk may first be noticed here.
    guard close(open) == 0 else { throw Self.failure(path) }
    guard let temporary else { return }
    guard path.withSystemName({ rename(temporary.path, $0) }) == 0 else { throw Self.failure(path) }
    descriptor = Self.committed
  }

  /// Writes a whole file.
  package static func write(_ bytes: [UInt8], to path: String) throws(CoderError) {
    let file = try NewFile(path)
    try bytes.span.bytes.withUnsafeBytes { (bytes) throws(CoderError) in try file.append(bytes) }
    try file.commit()
  }

  private static let closed: Int32 = -1
  private static let committed: Int32 = -2

  private func flush() throws(CoderError) {
    guard buffered > 0 else { return }
    try write(UnsafeRawBufferPointer(start: buffer, count: buffered))
    written += buffered
    buffered = 0
  }

  private func write(_ bytes: UnsafeRawBufferPointer) throws(CoderError) {
    var done = 0
    while done < bytes.count {
      let step = Glibc.write(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done)
      if step < 0, errno == EINTR { continue }
      guard step > 0 else { throw Self.failure(path) }
      done += step
    }
  }

  private static func makeTemporary(
    beside path: String
  ) throws(CoderError) -> (descriptor: Int32, name: TemporaryName) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    var attempt = 0
    while true {
      attempt += 1
      // Not mkstemp: its mode of 0600 would have to be widened by the umask, which can be read only by changing it.
      let candidate = TemporaryName(
        "\(folder).coders-\(getpid())-\(String(UInt64.random(in: 0...UInt64.max), radix: 36)).tmp")
      let descriptor = open(candidate.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
      if descriptor >= 0 { return (descriptor, candidate) }
      guard errno == EEXIST, attempt < 100 else { throw failure(path) }
    }
  }

  /// The target of a path after following links.
  private static func resolved(_ path: String) -> String {
    guard let real = path.withSystemName({ realpath($0, nil) }) else { return path }
    defer { free(real) }
    return SystemName.string(pointer: real)
  }

  private static func failure(_ path: String) -> CoderError {
    CoderError.io(String(cString: strerror(errno)).lowercased()).annotated(file: path)
  }
}
