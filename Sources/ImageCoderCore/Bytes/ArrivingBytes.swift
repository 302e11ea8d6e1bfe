// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Bytes that arrive over time, and the thread that reads them.
///
/// Two threads take turns, so that nothing here needs a lock: one appends, the other reads and sleeps as soon as it
/// wants more bytes than there are. ``append(_:)`` and ``finish()`` return when the reading thread sleeps or has ended;
/// what it did until then is to be seen by the appending one.
final class ArrivingBytes: @unchecked Sendable {
  // Unchecked: the semaphores hand every field from one thread to the other.
  private(set) var count = 0
  /// Whether no byte follows.
  private(set) var isComplete = false

  private var memory: UnsafeMutableRawPointer?
  private var capacity = 0
  /// The reading thread sleeps until there are so many bytes.
  private var wanted = 0
  private var isAbandoned = false
  private var work: (() -> Void)?
  private var thread: pthread_t?
  private var hasEnded = false

  private let readersTurn = Turn()
  private let appendersTurn = Turn()

  init() {}

  deinit { free(memory) }

  /// What there is so far, valid until the next append.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

  // MARK: The appending thread

  /// Starts the reading thread and returns when it sleeps or has ended.
  ///
  /// - Throws: ``CoderError/Code/outOfMemory`` when the machine has no more threads.
  func start(_ body: @escaping () -> Void) throws(CoderError) {
    work = body
    var thread = pthread_t()
    let started = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        let bytes = Unmanaged<ArrivingBytes>.fromOpaque(context).takeUnretainedValue()
        bytes.work?()
        bytes.hasEnded = true
        bytes.appendersTurn.begin()
        return nil
      }, Unmanaged.passUnretained(self).toOpaque())
    guard started == 0 else { throw .outOfMemory(bytes: 0, for: "a thread that reads arriving bytes") }
    self.thread = thread
    appendersTurn.wait()
    joinWhenEnded()
  }

  /// Adds bytes, and lets the reading thread go on when they are what it waits for.
  func append(_ chunk: UnsafeRawBufferPointer) throws(CoderError) {
    guard let start = chunk.baseAddress, !chunk.isEmpty else { return }
    if count + chunk.count > capacity {
      let grown = max(capacity * 2, count + chunk.count, 4 << 10)
      guard let larger = realloc(memory, grown) else { throw .outOfMemory(bytes: grown, for: "arriving bytes") }
      memory = larger
      capacity = grown
    }
    (memory.unsafelyUnwrapped + count).copyMemory(from: start, byteCount: chunk.count)
    count += chunk.count
    if count >= wanted { letTheReaderGoOn() }
  }

  /// Says that no byte follows, and returns when the reading thread has ended.
  func finish() {
    isComplete = true
    letTheReaderGoOn()
  }

  /// Ends the reading thread, whatever it waits for.
  func abandon() {
    isAbandoned = true
    isComplete = true
    letTheReaderGoOn()
  }

  private func letTheReaderGoOn() {
    guard thread != nil, !hasEnded else { return }
    readersTurn.begin()
    appendersTurn.wait()
    joinWhenEnded()
  }

  private func joinWhenEnded() {
    guard hasEnded, let ended = thread else { return }
    pthread_join(ended, nil)
    thread = nil
    work = nil
  }

  // MARK: The reading thread

  /// Sleeps until there are so many bytes, or all.
  ///
  /// - Throws: ``CoderError/Code/cancelled`` when nobody wants the result any more.
  func wait(for bytes: Int) throws(CoderError) {
    while count < bytes, !isComplete {
      wanted = bytes
      appendersTurn.begin()
      readersTurn.wait()
    }
    if isAbandoned { throw .cancelled }
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
}
