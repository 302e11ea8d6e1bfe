// SPDX-License-Identifier: Apache-2.0

import CIsolation
import Glibc
import ImageCoderEngine
import ImageCoderModel

/// A file's bytes in memory that a worker can read and not change. It is filled from the front, as far as the worker asks
/// or as the bytes arrive: never the file itself, which somebody could cut short.
final class IsolatedSource {
  /// The file descriptor of the memory, or -1 for a small file, which goes with the message.
  let descriptor: Int32
  /// The bytes of a small file.
  let small: [UInt8]
  /// Bytes that are there.
  private(set) var filled = 0

  private unowned let session: HostSession
  private let source: OpenSource
  /// Whether bytes were still to come when it was opened.
  private let isArriving: Bool
  private let map: UnsafeMutableRawPointer?
  /// Address space for the bytes.
  private let reserved: Int
  /// Bytes that the memory has now.
  private var size: Int

  /// What is filled at once, and at least when the worker asks for more.
  private static let step = 1 << 20
  /// A file up to this size is there before it is opened, unless only its header is wanted.
  private static let mostAtOnce = 16 << 20
  /// Bytes that go with a message.
  private static let mostInMessage = 24 << 10

  /// - Parameter isHeaderOnly: Whether little of the file will be looked at.
  init(_ session: HostSession, isHeaderOnly: Bool) throws(CoderError) {
    guard let source = session.source else { throw .invalidArgument("there is no file to open") }
    self.session = session
    self.source = source
    let isGrowing = !source.isComplete
    isArriving = isGrowing
    let limit = session.limits.maxMemory
    size = isGrowing ? 0 : source.size
    if !isGrowing, size <= Self.mostInMessage {
      small = [UInt8](try source.view(at: 0, count: size))
      descriptor = -1
      map = nil
      reserved = 0
      filled = small.count
      return
    }
    small = []
    reserved = Self.pages(isGrowing ? limit : source.size)
    descriptor = isolation_memory(size, isGrowing ? 1 : 0)
    guard descriptor >= 0 else { throw .io("no memory for a worker's file: \(String(cString: strerror(errno)))") }
    if !isGrowing {
      let first = isHeaderOnly || size > Self.mostAtOnce ? min(size, 64 << 10) : size
      do throws(CoderError) { filled = try Self.write(source, to: descriptor, first, session.limits) } catch {
        Glibc.close(descriptor)
        throw error
      }
    }
    let map = mmap(nil, reserved, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0)
    guard let map, map != MAP_FAILED, isolation_close_to_writers(descriptor, isGrowing ? 1 : 0) == 1 else {
      let problem = errno
      if let map, map != MAP_FAILED { munmap(map, reserved) }
      Glibc.close(descriptor)
      throw .io("no memory for a worker's file: \(String(cString: strerror(problem)))")
    }
    self.map = map
    if isGrowing { try update() }
  }

  /// Writes the first bytes into memory that is new. Pages that are written so are neither cleared nor mapped before.
  ///
  /// - Returns: How many there are.
  private static func write(
    _ source: OpenSource, to descriptor: Int32, _ end: Int, _ limits: Limits
  ) throws(CoderError) -> Int {
    try limits.check(memory: end)
    var filled = 0
    while filled < end {
      let bytes = try source.view(at: filled, count: min(end - filled, step))
      guard !bytes.isEmpty else { break }
      let written = pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(filled))
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw .outOfMemory(bytes: end, for: "a worker's file") }
      filled += written
    }
    return filled
  }

  /// Memory with these bytes.
  static func memory(with bytes: UnsafeRawBufferPointer) throws(CoderError) -> Int32 {
    let descriptor = isolation_memory(bytes.count, 0)
    guard descriptor >= 0 else { throw .io("no memory for a worker: \(String(cString: strerror(errno)))") }
    let map = mmap(nil, pages(bytes.count), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    guard let map, map != MAP_FAILED else {
      Glibc.close(descriptor)
      throw .outOfMemory(bytes: bytes.count, for: "what a worker gets")
    }
    if let start = bytes.baseAddress { map.copyMemory(from: start, byteCount: bytes.count) }
    _ = isolation_close_to_writers(descriptor, 0)
    munmap(map, pages(bytes.count))
    return descriptor
  }

  /// Gives back what ``memory(with:)`` returned.
  static func close(_ memory: Int32) { Glibc.close(memory) }

  deinit {
    guard let map else { return }
    munmap(map, reserved)
    Glibc.close(descriptor)
  }

  private static func pages(_ bytes: Int) -> Int { max(4096, (bytes + 4095) & ~4095) }

  /// The size that the plugin sees.
  var shownSize: UInt64 { source.isComplete ? UInt64(source.size) : .max }

  /// Puts the file into a request that begins with it.
  ///
  /// - Returns: The payload: the limits, and the bytes of a small file.
  func describe(in request: inout Worker.Request) -> [UInt8] {
    request.message.longs.0 = shownSize
    request.message.longs.1 = UInt64(filled)
    request.message.words.2 = UInt32(small.count)
    request.descriptor = descriptor
    return withUnsafeBytes(of: session.limits.raw) { [UInt8]($0) } + small
  }

  /// The answer for a worker that needs bytes.
  func answer(_ message: isolation_message, _ pause: inout Worker.Pause) -> Worker.Response {
    var answer = isolation_message()
    answer.words.0 = pause.during {
      provide(at: message.longs.0, least: message.longs.1, most: message.longs.2)
    }
    answer.longs.0 = UInt64(filled)
    answer.longs.1 = shownSize
    return .answer(answer)
  }

  /// The answer for a worker that asks for a file beside this one: whether it may have it is decided here alone, and it gets
  /// a copy.
  func answer(sibling name: UnsafeRawBufferPointer) -> Worker.Response {
    var answer = isolation_message()
    do throws(CoderError) {
      guard let sibling = try session.sibling(named: [UInt8](name)) else {
        answer.words.0 = InterfaceStatus.notPresent
        return .answer(answer)
      }
      answer.longs.0 = UInt64(sibling.bytes.count)
      return .handOver(answer, memory: try Self.memory(with: sibling.bytes))
    } catch {
      session.record(error)
      answer.words.0 = error.code.rawValue
      return .answer(answer)
    }
  }

  /// Takes what has arrived since.
  func update() throws(CoderError) {
    guard isArriving else { return }
    let count = source.count
    session.updateSize()
    guard count > filled else { return }
    try grow(to: count)
    try fill(to: count)
  }

  private func grow(to count: Int) throws(CoderError) {
    guard count > size else { return }
    guard count <= reserved else {
      throw .limitExceeded(
        .maxMemory, found: count, allowed: session.limits.maxMemory, what: "a file size in bytes of")
    }
    guard ftruncate(descriptor, off_t(count)) == 0 else {
      throw .outOfMemory(bytes: count, for: "a worker's file")
    }
    size = count
  }

  /// Copies bytes that are there.
  private func fill(to end: Int) throws(CoderError) {
    if !isArriving { try session.limits.check(memory: end) }
    while filled < end {
      let bytes = try source.view(at: filled, count: min(end - filled, Self.step))
      guard let map, let base = bytes.baseAddress, !bytes.isEmpty else { return }
      (map + filled).copyMemory(from: base, byteCount: bytes.count)
      filled += bytes.count
    }
  }

  /// Answers a worker that needs bytes; waits for those that are still to arrive.
  ///
  /// - Returns: The status for the plugin. A reason is with the session.
  private func provide(at offset: UInt64, least: UInt64, most: UInt64) -> UInt32 {
    do throws(CoderError) {
      if isArriving {
        _ = try session.view.view(
          at: Int(clamping: offset), least: Int(clamping: least), most: Int(clamping: most))
        try update()
      } else {
        let (end, overflows) = offset.addingReportingOverflow(most)
        let wanted = overflows ? size : Int(clamping: min(end, UInt64(size)))
        try fill(to: min(size, max(wanted, min(filled + Self.step, size))))
      }
      return 0
    } catch {
      session.record(error)
      return error.code.rawValue
    }
  }
}
