// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ImageCoderModel

/// An open source: its size, and views of its bytes.
///
/// - Threads: One at a time.
package final class OpenSource {
  /// Bytes in all, or the largest integer while the file is incomplete.
  package var size: Int {
    guard let incremental else { return arrived == nil ? fixedSize : .max }
    return isComplete ? max(0, min(incremental.count, part.upperBound) - part.lowerBound) : .max
  }
  /// The extension that the source's name has.
  package var fileExtension: String? { given?.fileExtension }
  private let given: ByteSource?
  /// What messages call the source.
  package let name: String
  /// The path of the file that is read, or nil for bytes from elsewhere.
  package let path: String?

  /// A source in memory, or nil for one that is read through a window.
  fileprivate let memory: MemoryBytes?
  /// The parts of a source that is read through a window.
  private let parts: Parts
  private let fixedSize: Int
  /// Says how many bytes there are of a file that arrives, and is not waited for.
  private let arrived: (@Sendable () -> Int)?
  /// The bytes of an incremental decode, or nil.
  private let incremental: IncrementalBytes?
  /// The part of those that this source is.
  private let part: Range<Int>
  /// The largest window over a file, in bytes.
  private let maxWindow: Int
  private var window: UnsafeMutableRawPointer?
  private var windowCapacity = 0
  private var windowRange = 0..<0
  /// How many bytes were read so far of a source that is read through a window.
  package private(set) var bytesRead = 0
  /// How much the next read gets at least, if it goes on where this window ends.
  private var nextWindow = OpenSource.firstWindow

  private enum Parts {
    case none
    case file(FileDescriptor)
    case reader(ByteSource.Filler)
  }

  /// What is read at first is enough to identify a file, and for most headers. What is read after a jump is enough for the
  /// head of a chunk or box; a reader that goes on from there gets more at a time.
  private static let firstWindow = 4 << 10
  private static let jumpWindow = 512
  private static let laterWindow = 64 << 10

  /// A file whose bytes come over time. Views are taken on its reading thread.
  convenience init(_ incremental: IncrementalBytes) { self.init(incremental, part: 0..<Int.max, name: "bytes") }

  /// The first bytes of a file, of which more come. Nothing waits for those.
  ///
  /// - Throws: ``CoderError/Code/outOfMemory``.
  package convenience init(beginning bytes: [UInt8]) throws(CoderError) {
    let incremental = IncrementalBytes(limit: .max)
    try bytes.span.bytes.withUnsafeBytes { (bytes) throws(CoderError) in try incremental.append(bytes) }
    self.init(incremental)
  }

  private init(_ incremental: IncrementalBytes, part: Range<Int>, name: String) {
    self.incremental = incremental
    self.part = part
    self.name = name
    path = nil
    given = nil
    memory = nil
    parts = .none
    fixedSize = 0
    arrived = nil
    maxWindow = 0
  }

  /// A file inside this one, if this one is decoded incrementally; nil for another source.
  func incrementalPart(_ range: Range<Int>) -> OpenSource? {
    incremental.map { OpenSource($0, part: range, name: name) }
  }

  /// Bytes that are kept of a file that arrives; 0 for another source.
  var arrivedBytes: Int { incremental?.count ?? 0 }

  /// Whether bytes of the file may still arrive, or might when it was opened.
  var isIncremental: Bool { incremental != nil || arrived != nil }

  /// Sets what draws a pass when somebody looks at the picture, or nil for nothing.
  ///
  /// - Returns: Whether bytes are still to come, and somebody may look.
  func whenLookedAt(_ draw: (() -> Void)?) -> Bool {
    guard let incremental, draw == nil || !isComplete else { return false }
    incremental.draw = draw
    return true
  }

  /// Whether all bytes are there.
  package var isComplete: Bool {
    incremental.map { $0.isComplete || $0.count >= part.upperBound } ?? (arrived == nil)
  }

  /// Bytes that are there now.
  package var count: Int {
    incremental.map { max(0, min($0.count, part.upperBound) - part.lowerBound) } ?? arrived?() ?? fixedSize
  }

  /// Waits for the last byte of a file that is decoded incrementally.
  package func waitForAll() throws(CoderError) {
    if arrived != nil { throw Self.notThere }
    try incremental?.wait(for: part.upperBound)
  }

  private static var notThere: CoderError { .io("bytes of the file have not arrived") }

  /// The first bytes: `count` of them, or as many as there are now.
  package func prefix(_ count: Int) throws(CoderError) -> UnsafeRawBufferPointer {
    guard let incremental else { return try view(at: 0, count: min(count, arrived?() ?? .max)) }
    return UnsafeRawBufferPointer(rebasing: incremental.bytes.dropFirst(part.lowerBound).prefix(min(count, part.count)))
  }

  /// Opens a source.
  ///
  /// - Parameters:
  ///   - limits: Bound what is held of a file at a time, and of a pipe, which has no size beforehand: `maxMemory`.
  ///   - mayBeImage: What says of a pipe that it is no image; the source is its beginning then.
  /// - Throws: ``CoderError/Code/io`` with the system's reason; ``CoderError/Code/limitExceeded``.
  package init(
    _ source: ByteSource, limits: Limits, mayBeImage: PipeInput.Recognition = { _ in true }
  ) throws(CoderError) {
    incremental = nil
    maxWindow = limits.maxMemory
    part = 0..<Int.max
    name = source.name
    path = source.path
    let bytes: MemoryBytes
    switch source.storage {
    case .memory(let given): bytes = given
    case .reader(let reader, let size):
      memory = nil
      parts = .reader(reader)
      fixedSize = size
      arrived = nil
      given = source
      return
    case .arriving(let reader, let count):
      memory = nil
      parts = .reader(reader)
      fixedSize = 0
      arrived = count
      given = source
      return
    case .standardInput:
      bytes = MemoryBytes(
        try PipeInput.readAll(STDIN_FILENO, limit: limits.maxMemory, mayBeImage: mayBeImage))
    case .file, .descriptor:
      do throws(CoderError) {
        let file = try source.openFile()
        if let size = try file.size() {
          memory = nil
          parts = .file(file)
          fixedSize = size
          arrived = nil
          given = source
          return
        }
        bytes = MemoryBytes(
          try PipeInput.readAll(file.number, limit: limits.maxMemory, mayBeImage: mayBeImage))
      } catch {
        throw error.annotated(file: source.path)
      }
    }
    memory = bytes
    parts = .none
    fixedSize = bytes.bytes.count
    arrived = nil
    given = source
  }

  deinit { free(window) }

  /// Shows the bytes at an offset: exactly `count`, or what is left of the source.
  ///
  /// - Returns: Bytes that are valid until the next view; a view of the whole source is valid as long as the source,
  ///   because every later view lies inside it.
  package func view(at offset: Int, count: Int) throws(CoderError) -> UnsafeRawBufferPointer {
    if let incremental { return try view(of: incremental, at: offset, least: count, most: count) }
    let end = arrived?() ?? fixedSize
    guard offset >= 0, offset < size, count > 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    if arrived != nil, count > end - offset { throw Self.notThere }
    return try view(at: offset, count: count, end: end)
  }

  /// Bytes of a source that is not waited for, which ends at `end`.
  private func view(at offset: Int, count: Int, end: Int) throws(CoderError) -> UnsafeRawBufferPointer {
    let wanted = min(count, end - offset)
    if let memory { return UnsafeRawBufferPointer(rebasing: memory.bytes[offset..<(offset + wanted)]) }
    if offset < windowRange.lowerBound || offset + wanted > windowRange.upperBound {
      try load(at: offset, count: wanted, end: end)
    }
    guard let window else { throw .io("no window over the file") }
    return UnsafeRawBufferPointer(start: window + (offset - windowRange.lowerBound), count: wanted)
  }

  /// Shows bytes at an offset: between `least` and `most`, or what is left. Fewer than `most` are shown
  /// only of a file that is incomplete.
  package func view(at offset: Int, least: Int, most: Int) throws(CoderError) -> UnsafeRawBufferPointer {
    if let arrived {
      let end = arrived()
      guard offset >= 0, most > 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
      guard offset < end, least <= end - offset else { throw Self.notThere }
      return try view(at: offset, count: most, end: end)
    }
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

  /// Whether a view of `count` bytes finds them in memory.
  func holds(_ count: Int, at offset: Int) -> Bool {
    if memory != nil { return true }
    return windowRange.contains(offset) && count <= windowRange.upperBound - offset
  }

  /// A copy of all bytes.
  ///
  /// - Throws: ``CoderError/Code/limitExceeded`` for more than `maxMemory`, ``CoderError/Code/outOfMemory``,
  ///   ``CoderError/Code/io``.
  package func contents() throws(CoderError) -> [UInt8] {
    // The view does not keep the source alive.
    try withExtendedLifetime(self) { () throws(CoderError) in
      let bytes = try view(at: 0, count: .max)
      guard bytes.count <= maxWindow || incremental != nil else {
        throw .limitExceeded(.maxMemory, found: bytes.count, allowed: maxWindow, what: "a file, in bytes, of")
      }
      return try ArrayMemory.copy(bytes, for: "file contents")
    }
  }

  private func load(at offset: Int, count: Int, end: Int) throws(CoderError) {
    let length = min(max(count, leastRead(at: offset)), end - offset)
    // What is there already is not read again: a view that grows costs its new bytes.
    let kept = windowRange.contains(offset) ? min(length, windowRange.upperBound - offset) : 0
    if let window, kept > 0, offset > windowRange.lowerBound {
      memmove(window, window + (offset - windowRange.lowerBound), kept)
    }
    windowRange = 0..<0
    if length > windowCapacity {
      guard length <= maxWindow || length <= Self.laterWindow else {
        throw .limitExceeded(
          .maxMemory, found: length, allowed: maxWindow, what: "a part of the file, in bytes, of")
      }
      if kept == 0 {
        free(window)
        (window, windowCapacity) = (nil, 0)
      }
      let fresh = realloc(window, length)
      guard let fresh else { throw .outOfMemory(bytes: length, for: "file contents") }
      window = fresh
      windowCapacity = length
    }
    guard let window else { throw .io("no window over the file") }
    nextWindow = min(length * 4, Self.laterWindow)
    let filled = kept + (try read(into: window + kept, at: offset + kept, count: length - kept))
    bytesRead += filled - kept
    guard filled == length else {
      throw .io("the file became shorter while it was read: \(offset + filled) of \(end) bytes are left")
    }
    windowRange = offset..<(offset + length)
  }

  /// How much is read at least at an offset. A walk from chunk to chunk jumps, and needs only their heads; each call of a
  /// caller's reader may be a request over a network.
  private func leastRead(at offset: Int) -> Int {
    if case .reader = parts, windowCapacity > 0 { return Self.laterWindow }
    let goesOn = windowRange.contains(offset) || offset == windowRange.upperBound
    return goesOn ? nextWindow : windowCapacity > 0 ? Self.jumpWindow : Self.firstWindow
  }

  private func read(into target: UnsafeMutableRawPointer, at offset: Int, count: Int) throws(CoderError) -> Int {
    switch parts {
    case .none: return 0
    case .file(let file): return try file.read(into: target, at: offset, count: count)
    case .reader(let fill):
      try fill(UnsafeMutableRawBufferPointer(start: target, count: count), offset)
      return count
    }
  }
}

extension OpenSource: RecognizableBytes {
  package var knownSize: Int? { isComplete ? size : nil }

  /// Does not wait for bytes that are still to come.
  package func bytes(at offset: Int, count: Int) throws(CoderError) -> UnsafeRawBufferPointer {
    guard isIncremental, !isComplete else { return try view(at: offset, count: count) }
    let (end, overflow) = offset.addingReportingOverflow(count)
    guard offset >= 0, !overflow else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(rebasing: try prefix(end).dropFirst(offset))
  }
}

extension ByteSource {
  fileprivate func openFile() throws(CoderError) -> FileDescriptor {
    switch storage {
    case .file(let path): try FileDescriptor(path: path)
    case .descriptor(let file): file
    case .memory, .reader, .arriving, .standardInput: throw .io("is no file")
    }
  }

  /// A source that can be opened more than once: the bytes of a pipe, which come only once, in memory.
  ///
  /// - Parameter mayBeImage: As for ``OpenSource/init(_:limits:mayBeImage:)``.
  package func rereadable(_ limits: Limits, mayBeImage: PipeInput.Recognition) throws(CoderError) -> ByteSource {
    if case .memory = storage { return self }
    guard let memory = try OpenSource(self, limits: limits, mayBeImage: mayBeImage).memory else { return self }
    var held = ByteSource(storage: .memory(memory), name: name)
    held.fileExtension = fileExtension
    return held
  }
}
