// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ImageCoderModel

/// An open source: its size, and views of its bytes.
///
/// - Threads: One at a time.
package final class OpenSource {
  /// Bytes in all, or the largest integer while the file is incomplete.
  package var size: Int {
    guard let incremental else { return fixedSize }
    return isComplete ? max(0, min(incremental.count, part.upperBound) - part.lowerBound) : .max
  }
  /// The extension that the source's name has.
  package let fileExtension: String?
  /// What messages call the source.
  package let name: String
  /// The path of the file that is read, or nil for bytes from elsewhere.
  package let path: String?

  /// A source in memory, or nil for one that is read through a window.
  fileprivate let memory: MemoryBytes?
  private let descriptor: Int32
  private let fixedSize: Int
  /// The bytes of an incremental decode, or nil.
  private let incremental: IncrementalBytes?
  /// The part of those that this source is.
  private let part: Range<Int>
  private var window: UnsafeMutableRawPointer?
  private var windowCapacity = 0
  private var windowRange = 0..<0

  /// What is read at first is enough to identify a file and most headers; a reader that goes on gets more at a time.
  private static let firstWindow = 4 << 10
  private static let laterWindow = 64 << 10

  /// A file whose bytes come over time. Views are taken on its reading thread.
  convenience init(_ incremental: IncrementalBytes) { self.init(incremental, part: 0..<Int.max, name: "bytes") }

  private init(_ incremental: IncrementalBytes, part: Range<Int>, name: String) {
    self.incremental = incremental
    self.part = part
    self.name = name
    path = nil
    fileExtension = nil
    memory = nil
    descriptor = -1
    fixedSize = 0
  }

  /// A file inside this one, if this one is decoded incrementally; nil for another source.
  func incrementalPart(_ range: Range<Int>) -> OpenSource? {
    incremental.map { OpenSource($0, part: range, name: name) }
  }

  /// Whether the file is decoded incrementally.
  var isIncremental: Bool { incremental != nil }

  /// Whether all bytes are there.
  package var isComplete: Bool { incremental.map { $0.isComplete || $0.count >= part.upperBound } ?? true }

  /// Waits for the last byte of a file that is decoded incrementally.
  package func waitForAll() throws(CoderError) { try incremental?.wait(for: part.upperBound) }

  /// The first bytes: `count` of them, or as many as there are now.
  package func prefix(_ count: Int) throws(CoderError) -> UnsafeRawBufferPointer {
    guard let incremental else { return try view(at: 0, count: count) }
    return UnsafeRawBufferPointer(rebasing: incremental.bytes.dropFirst(part.lowerBound).prefix(min(count, part.count)))
  }

  /// Opens a source.
  ///
  /// - Parameter limits: Bound what is read of a pipe, which has no size beforehand: `maxMemory`.
  /// - Throws: ``CoderError/Code/io`` with the system's reason; ``CoderError/Code/limitExceeded``.
  package init(_ source: ByteSource, limits: Limits) throws(CoderError) {
    incremental = nil
    part = 0..<Int.max
    fileExtension = source.fileExtension
    name = source.name
    path = source.path
    switch source.storage {
    case .memory(let bytes):
      memory = bytes
      fixedSize = bytes.bytes.count
      descriptor = -1
    case .standardInput:
      let bytes = try Self.readToEnd(STDIN_FILENO, name: "-", limits: limits)
      memory = bytes
      fixedSize = bytes.bytes.count
      descriptor = -1
    case .file(let path):
      let opened = path.withCString { open($0, O_RDONLY | O_CLOEXEC) }
      guard opened >= 0 else { throw Self.failure(errno).inFile(path) }
      var status = stat()
      guard fstat(opened, &status) == 0 else {
        let reason = errno
        close(opened)
        throw Self.failure(reason).inFile(path)
      }
      switch status.st_mode & S_IFMT {
      case S_IFREG:
        memory = nil
        fixedSize = Int(status.st_size)
        descriptor = opened
      case S_IFDIR:
        close(opened)
        throw CoderError.io("is a directory, a file is needed").inFile(path)
      default:
        defer { close(opened) }
        let bytes = try Self.readToEnd(opened, name: path, limits: limits)
        memory = bytes
        fixedSize = bytes.bytes.count
        descriptor = -1
      }
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    free(window)
  }

  /// Shows the bytes at an offset: exactly `count`, or what is left of the source.
  ///
  /// - Returns: Bytes that are valid until the next view; a view of the whole source is valid as long as the source,
  ///   because every later view lies inside it.
  package func view(at offset: Int, count: Int) throws(CoderError) -> UnsafeRawBufferPointer {
    if let incremental { return try view(of: incremental, at: offset, least: count, most: count) }
    guard offset >= 0, offset < size, count > 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    let wanted = min(count, size - offset)
    if let memory { return UnsafeRawBufferPointer(rebasing: memory.bytes[offset..<(offset + wanted)]) }
    if offset < windowRange.lowerBound || offset + wanted > windowRange.upperBound {
      try load(at: offset, count: wanted)
    }
    guard let window else { throw .io("no window over the file") }
    return UnsafeRawBufferPointer(start: window + (offset - windowRange.lowerBound), count: wanted)
  }

  /// Shows bytes at an offset: between `least` and `most`, or what is left. Fewer than `most` are shown
  /// only of a file that is incomplete.
  package func view(at offset: Int, least: Int, most: Int) throws(CoderError) -> UnsafeRawBufferPointer {
    guard let incremental else { return try view(at: offset, count: most) }
    return try view(of: incremental, at: offset, least: least, most: most)
  }

  private func view(
    of incremental: IncrementalBytes, at offset: Int, least: Int, most: Int
  ) throws(CoderError) -> UnsafeRawBufferPointer {
    guard offset >= 0, offset < part.count, most > 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    let start = part.lowerBound + offset
    let (end, overflow) = start.addingReportingOverflow(least)
    // A view of the whole source stays valid: after the last byte the memory does not move any more.
    let isWhole = offset == 0 && least >= part.count
    try incremental.wait(for: overflow || isWhole ? .max : min(end, part.upperBound))
    let bytes = incremental.bytes.prefix(part.upperBound)
    guard start < bytes.count else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(rebasing: bytes[start..<(start + min(most, bytes.count - start))])
  }

  /// A copy of all bytes.
  package func contents() throws(CoderError) -> [UInt8] {
    // The view does not keep the source alive.
    try withExtendedLifetime(self) { () throws(CoderError) in [UInt8](try view(at: 0, count: .max)) }
  }

  private func load(at offset: Int, count: Int) throws(CoderError) {
    let smallest = windowCapacity == 0 ? Self.firstWindow : Self.laterWindow
    let length = min(max(count, smallest), size - offset)
    if length > windowCapacity {
      let fresh = malloc(length)
      guard let fresh else { throw .outOfMemory(bytes: length, for: "file contents") }
      free(window)
      window = fresh
      windowCapacity = length
    }
    guard let window else { throw .io("no window over the file") }
    windowRange = 0..<0
    var filled = 0
    while filled < length {
      let got = pread(descriptor, window + filled, length - filled, offset + filled)
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw Self.failure(errno) }
      guard got > 0 else {
        throw .io("the file became shorter while it was read: \(offset + filled) of \(size) bytes are left")
      }
      filled += got
    }
    windowRange = offset..<(offset + length)
  }

  private static func readToEnd(_ descriptor: Int32, name: String, limits: Limits) throws(CoderError) -> MemoryBytes {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let got = read(descriptor, &chunk, chunk.count)
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw failure(errno) }
      guard got > 0 else { return MemoryBytes(bytes) }
      guard bytes.count + got <= limits.maxMemory else {
        throw .limitExceeded(
          .maxMemory, found: bytes.count + got, allowed: limits.maxMemory, what: "input of a pipe, in bytes, of")
      }
      bytes.append(contentsOf: chunk[..<got])
    }
  }

  private static func failure(_ code: Int32) -> CoderError { .io(String(cString: strerror(code)).lowercased()) }
}

extension ByteSource {
  /// A source that can be opened more than once: the bytes of a pipe, which come only once, in memory.
  package func rereadable(_ limits: Limits) throws(CoderError) -> ByteSource {
    if case .memory = storage { return self }
    guard let memory = try OpenSource(self, limits: limits).memory else { return self }
    return ByteSource(storage: .memory(memory), fileExtension: fileExtension)
  }
}
