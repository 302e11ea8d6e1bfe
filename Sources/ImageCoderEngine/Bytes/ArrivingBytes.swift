// SPDX-License-Identifier: Apache-2.0

import CHostSystem
import Glibc
import ImageCoderModel
import Synchronization

/// Bytes that arrive over time, and the thread that reads them.
///
/// Two threads take turns, so that nothing here needs a lock: one appends, the other reads and sleeps as soon as it
/// wants more bytes than there are. ``append(_:)`` and ``finish()`` return when the reading thread sleeps or has ended;
/// what it did until then is to be seen by the appending one.
///
/// Waking the reading thread costs as much as decoding some hundred bytes, so bytes that come a few at a time are
/// gathered before it is worth it. Whoever looks at what was made of them calls ``catchUp()`` first and misses nothing.
///
/// A library may be in the middle of a long call when the work is cancelled. The reading thread is left to itself then,
/// with all that it holds: it ends as soon as it looks for bytes or at the cancellation. See ``isLeftAlone``.
final class ArrivingBytes: @unchecked Sendable {
  // Unchecked: the semaphores hand every field from one thread to the other.
  private(set) var count = 0
  /// Whether no byte follows.
  private(set) var isComplete = false
  /// Whether bytes may be gathered. Off as long as the earliest byte counts that is enough for a header.
  var gathers = false {
    didSet { updateQuietEnd() }
  }

  private var memory: UnsafeMutableRawPointer?
  private var capacity = 0
  private let limit: Int
  /// The reading thread sleeps until there are so many bytes.
  private var wanted = 0
  /// Bytes that were there when it went to sleep.
  private var countSeen = 0
  /// Below so many bytes there is nothing to do but to keep them.
  private var quietEnd = 0
  /// Set while the reading thread may be at work.
  private let isAbandoned = Atomic<Bool>(false)
  /// Whether the reading thread was left to itself. Nothing that it writes may be looked at then.
  private(set) var isLeftAlone = false
  private var cancellation: Cancellation?
  private var work: (() -> Void)?
  private var thread: pthread_t?
  private var hasEnded = false

  private let readersTurn = Turn()
  private let appendersTurn = Turn()

  /// So many bytes are worth waking the reading thread, or as many as are this share of what is there already.
  private static let mostGathered = 256 << 10
  private static let gatheredShare = 8
  /// Chunks of so many bytes are no quiet ones: they take a call more, and no time that counts.
  private static let largeChunk = 1 << 10

  /// Behind so many bytes, memory is taken that costs nothing before it is used, in huge pages where the system has them:
  /// to fault small pages, and to copy from block to block, would cost as much as some formats' decoding.
  private static let smallMemory = 1 << 20
  private static let largeMemory = 64 << 20

  /// - Parameter limit: Bytes that are kept at most.
  init(limit: Int) { self.limit = limit }

  deinit { free(memory) }

  /// What there is so far, valid until the next append.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

  /// Whether the reading thread was started, and needs no more bytes.
  var isOver: Bool { isLeftAlone || hasEnded }

  // MARK: The appending thread

  /// Starts the reading thread and returns when it sleeps or has ended.
  ///
  /// - Parameter cancellation: After it, the reading thread is not waited for any more, however long it works on.
  /// - Throws: ``CoderError/Code/outOfMemory`` when the machine has no more threads.
  func start(_ cancellation: Cancellation?, _ body: @escaping () -> Void) throws(CoderError) {
    work = body
    self.cancellation = cancellation
    var thread = pthread_t()
    let context = Unmanaged.passRetained(self)
    let started = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        // The thread may be the last to hold this.
        let bytes = Unmanaged<ArrivingBytes>.fromOpaque(context).takeRetainedValue()
        bytes.work?()
        bytes.work = nil
        bytes.hasEnded = true
        bytes.appendersTurn.begin()
        return nil
      }, context.toOpaque())
    guard started == 0 else {
      context.release()
      throw .outOfMemory(bytes: 0, for: "a thread that reads arriving bytes")
    }
    self.thread = thread
    waitForTheReader()
  }

  /// Adds a few bytes that neither fill the memory nor end the reading thread's sleep.
  ///
  /// - Returns: Whether they are; otherwise nothing was done.
  @inline(__always)
  func appendQuietly(_ chunk: UnsafeRawBufferPointer) -> Bool {
    let end = count &+ chunk.count
    guard end < quietEnd, chunk.count < Self.largeChunk, let start = chunk.baseAddress, let memory else { return false }
    let target = memory + count
    if chunk.count == 1 {
      target.storeBytes(of: start.load(as: UInt8.self), as: UInt8.self)
    } else {
      target.copyMemory(from: start, byteCount: chunk.count)
    }
    count = end
    return true
  }

  /// Adds bytes, and lets the reading thread go on when they are what it waits for and enough to be worth it. When it
  /// has ended, nobody needs them.
  ///
  /// - Throws: ``CoderError/Code/limitExceeded``; ``CoderError/Code/outOfMemory``.
  func append(_ chunk: UnsafeRawBufferPointer) throws(CoderError) {
    guard let start = chunk.baseAddress, !chunk.isEmpty, !isOver else { return }
    guard chunk.count <= limit - count else {
      throw .limitExceeded(.maxMemory, found: count + chunk.count, allowed: limit, what: "arriving bytes of")
    }
    if count + chunk.count > capacity { try grow(to: count + chunk.count) }
    (memory.unsafelyUnwrapped + count).copyMemory(from: start, byteCount: chunk.count)
    count += chunk.count
    if count >= wanted, count >= worthWaking {
      letTheReaderGoOn()
    } else {
      updateQuietEnd()
    }
  }

  /// Takes memory for at least so many bytes: twice as much each time, or once for most files that are not small.
  private func grow(to needed: Int) throws(CoderError) {
    let isLarge = needed > Self.smallMemory
    let grown = min(max(capacity * 2, needed, isLarge ? Self.largeMemory : 4 << 10), limit)
    guard let larger = isLarge ? PixelMemory.allocate(grown) : realloc(memory, grown) else {
      throw .outOfMemory(bytes: grown, for: "arriving bytes")
    }
    if isLarge {
      if let memory { larger.copyMemory(from: memory, byteCount: count) }
      free(memory)
    }
    memory = larger
    capacity = grown
  }

  /// Lets the reading thread have what was gathered.
  func catchUp() {
    if !isLeftAlone, count >= wanted, count > countSeen { letTheReaderGoOn() }
  }

  /// Says that no byte follows, and returns when the reading thread has ended.
  func finish() {
    guard !isLeftAlone else { return }
    isComplete = true
    letTheReaderGoOn()
  }

  /// Ends the reading thread, whatever it waits for.
  func abandon() {
    guard !isLeftAlone else { return }
    isAbandoned.store(true, ordering: .relaxed)
    isComplete = true
    letTheReaderGoOn()
  }

  private func letTheReaderGoOn() {
    quietEnd = 0
    guard thread != nil, !isOver else { return }
    readersTurn.begin()
    waitForTheReader()
  }

  private func waitForTheReader() {
    guard appendersTurn.wait(unless: cancellation) else { return leaveTheReaderAlone() }
    countSeen = count
    updateQuietEnd()
    guard hasEnded, let ended = thread else { return }
    pthread_join(ended, nil)
    thread = nil
  }

  private func leaveTheReaderAlone() {
    isLeftAlone = true
    isAbandoned.store(true, ordering: .relaxed)
    if let thread { pthread_detach(thread) }
    thread = nil
    // It may have gone to sleep just now.
    readersTurn.begin()
  }

  /// Bytes that are enough to wake the reading thread for, if it has use for them.
  private var worthWaking: Int {
    guard gathers else { return wanted }
    return max(wanted, countSeen + min(Self.mostGathered, count / Self.gatheredShare))
  }

  private func updateQuietEnd() {
    let isAsleep = thread != nil && !isOver && !isComplete
    // `wanted` may be all bytes, which is the largest integer.
    quietEnd = isAsleep ? min(capacity + 1, worthWaking) : 0
  }

  // MARK: The reading thread

  /// Sleeps until there are so many bytes, or all.
  ///
  /// - Throws: ``CoderError/Code/cancelled`` when nobody wants the result any more.
  func wait(for bytes: Int) throws(CoderError) {
    while !isAbandoned.load(ordering: .relaxed), count < bytes, !isComplete {
      wanted = bytes
      appendersTurn.begin()
      readersTurn.wait()
    }
    if isAbandoned.load(ordering: .relaxed) { throw .cancelled }
  }
}

/// A semaphore that one thread waits for and the other gives.
private final class Turn: @unchecked Sendable {
  // A semaphore may not move in memory.
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() {
    semaphore.initialize(to: sem_t())
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func begin() { sem_post(semaphore) }

  func wait() { while sem_wait(semaphore) != 0 {} }

  /// Nanoseconds between looks at a cancellation, and looks that are given to whoever sees it by itself.
  private static let interval = 10_000_000
  private static let patience = 3

  /// Waits, but not for long once the work is cancelled.
  ///
  /// - Returns: Whether the turn was given.
  func wait(unless cancellation: Cancellation?) -> Bool {
    guard let cancellation else {
      wait()
      return true
    }
    var looks = 0
    while true {
      if chostsystem_wait(semaphore, Self.interval) != 0 { return true }
      guard cancellation.isCancelled else { continue }
      looks += 1
      if looks > Self.patience { return false }
    }
  }
}
