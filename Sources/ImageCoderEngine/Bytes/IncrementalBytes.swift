// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderModel
import Synchronization

/// The bytes of an incremental decode, and the thread that reads them.
///
/// Two threads take turns, so that nothing here needs a lock: one appends, the other reads, and sleeps as soon as it
/// wants more bytes than there are. ``append(_:)`` and ``finish()`` return when the reader sleeps or has ended; what it
/// did until then is visible to the appender.
///
/// Waking the reader costs as much as decoding some hundred bytes, so small chunks are buffered until there are enough.
/// Code that reads the result calls ``deliver()`` first, so that all bytes are taken into account.
///
/// A reader that sleeps may be asked for its thread: see ``ReaderSlots``. It leaves then, unless the appender holds it at
/// the moment (``hold(_:)``), and ``hasLeft`` says so; another one can be started later.
///
/// A library may be in the middle of a long call when the work is cancelled. The reader thread is abandoned then: it
/// ends as soon as it asks for bytes or looks at the cancellation, and its memory goes with it. See
/// ``isReaderAbandoned``.
final class IncrementalBytes: @unchecked Sendable {
  // Unchecked: the semaphores hand every field from one thread to the other.
  private(set) var count = 0
  /// Whether no byte follows.
  private(set) var isComplete = false
  /// Whether small chunks are buffered. Off until there is a header, whose earliest byte counts.
  var buffersChunks = false {
    didSet { updateBufferedEnd() }
  }

  private var memory: UnsafeMutableRawPointer?
  private var capacity = 0
  private let limit: Int
  /// The reader sleeps until there are so many bytes.
  private var wanted = 0
  /// Bytes that were there when it went to sleep.
  private var countSeen = 0
  /// As long as fewer bytes than these are there, a chunk is only copied.
  private var bufferedEnd = 0
  /// Tells the reader to end.
  private let isStopped = Atomic<Bool>(false)
  /// Whether the reader was abandoned. Nothing that it writes may be looked at then.
  private(set) var isReaderAbandoned = false
  private var cancellation: Cancellation?
  private var isStarted = false
  private var hasEnded = false
  /// Whether the reader gave its thread to another one before it had ended.
  private(set) var hasLeft = false

  /// Draws what there is of the picture. Set and called by the reader.
  var draw: (() -> Void)? {
    didSet { isDrawn = false }
  }
  private var isDrawingWanted = false
  /// Whether the reader has had no bytes since it drew last: another pass would show the same.
  private var isDrawn = false

  /// Where the reader is.
  private enum Turn {
    static let working: UInt8 = 0
    static let asleep: UInt8 = 1
    /// Asleep, and the appender looks at what it has made.
    static let held: UInt8 = 2
    /// It ends, and wants nothing but that.
    static let left: UInt8 = 3
  }

  private let turn = Atomic<UInt8>(Turn.working)
  private let isAskedToLeave = Atomic<Bool>(false)
  private let asleepSince = Atomic<Int>(0)
  /// Called by the reader before it leaves.
  private var leaving: @Sendable () -> Void = {}
  private var holds = 0

  private var readersTurn = Semaphore()
  private var appendersTurn = Semaphore()

  /// So many new bytes are enough to wake the reader, or as many as are this share of what is there already.
  private static let mostBuffered = 256 << 10
  private static let bufferedShare = 8
  /// Chunks of so many bytes are never only copied: they take one more call, which is nothing beside their size.
  private static let largeChunk = 1 << 10

  /// For more bytes than this, memory is taken that costs nothing before it is used, in huge pages where the system has
  /// them: to fault small pages, and to copy from block to block, would cost as much as some formats' decoding.
  private static let smallMemory = 1 << 20
  private static let largeMemory = 64 << 20

  /// - Parameter limit: Bytes that are kept at most.
  init(limit: Int) { self.limit = limit }

  deinit { free(memory) }

  /// What there is so far, valid until the next append.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

  /// Whether the reader needs no more bytes.
  var isOver: Bool { isReaderAbandoned || hasEnded }

  // MARK: The appender

  /// Starts the reader and returns when it sleeps or has ended.
  ///
  /// - Parameters:
  ///   - cancellation: After it, the reader is not waited for any more, however long it works on.
  ///   - leaving: Called by the reader before it gives its thread to another one.
  /// - Returns: Whether it was started. It is not while readers of other files have all threads and more bytes may come.
  /// - Throws: ``CoderError/Code/outOfMemory`` when the machine has no more threads.
  func start(
    _ cancellation: Cancellation?, leaving: @escaping @Sendable () -> Void, _ body: @escaping @Sendable () -> Void
  ) throws(CoderError) -> Bool {
    // What is asked of an earlier reader is not asked of this one.
    (readersTurn, appendersTurn) = (Semaphore(), Semaphore())
    // With all bytes there, it never waits.
    let slot = isComplete ? nil : ReaderSlots.shared.take(holder)
    guard slot != nil || isComplete else { return false }
    self.cancellation = cancellation
    self.leaving = leaving
    hasLeft = false
    wanted = 0
    countSeen = 0
    (draw, isDrawingWanted) = (nil, false)
    isAskedToLeave.store(false, ordering: .relaxed)
    turn.store(Turn.working, ordering: .relaxed)
    do throws(CoderError) {
      try ThreadPool.shared.start(for: "a thread that reads an incomplete file") { [self] in
        body()
        if let slot { ReaderSlots.shared.give(slot) }
        if turn.load(ordering: .relaxed) != Turn.left { hasEnded = true }
        appendersTurn.signal()
      }
    } catch {
      if let slot { ReaderSlots.shared.give(slot) }
      throw error
    }
    isStarted = true
    waitForReader()
    if holds > 0 { takeTurn() }
    return true
  }

  private var holder: ReaderSlots.Holder {
    ReaderSlots.Holder { [weak self] in
      guard let self, turn.load(ordering: .relaxed) == Turn.asleep else { return nil }
      return asleepSince.load(ordering: .relaxed)
    } askToLeave: { [weak self, readersTurn] in
      self?.isAskedToLeave.store(true, ordering: .releasing)
      readersTurn.signal()
    }
  }

  /// Keeps the reader where it is while `body` looks at what it has made, or starts it.
  func hold<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    if holds == 0 { takeTurn() }
    holds += 1
    defer {
      holds -= 1
      if holds == 0 { giveTurn() }
    }
    return try body()
  }

  private var hasReader: Bool { isStarted && !isOver }

  private func takeTurn() {
    guard hasReader else { return }
    if !turn.compareExchange(expected: Turn.asleep, desired: Turn.held, ordering: .acquiring).exchanged { endReader() }
  }

  private func giveTurn() {
    guard hasReader else { return }
    turn.store(Turn.asleep, ordering: .releasing)
    // It may have been asked meanwhile, and have gone back to sleep.
    if isAskedToLeave.load(ordering: .acquiring) { readersTurn.signal() }
  }

  /// Waits for the end of a reader that leaves.
  private func endReader() {
    appendersTurn.wait()
    isStarted = false
    hasLeft = true
    updateBufferedEnd()
  }

  /// Adds a few bytes that neither fill the memory nor end the reader's sleep.
  ///
  /// - Returns: Whether they were added; otherwise nothing was done.
  @inline(__always)
  func appendWithoutWaking(_ chunk: UnsafeRawBufferPointer) -> Bool {
    let end = count &+ chunk.count
    guard end < bufferedEnd, chunk.count < Self.largeChunk, let start = chunk.baseAddress, let memory else {
      return false
    }
    let target = memory + count
    if chunk.count == 1 {
      target.storeBytes(of: start.load(as: UInt8.self), as: UInt8.self)
    } else {
      target.copyMemory(from: start, byteCount: chunk.count)
    }
    count = end
    return true
  }

  /// Adds bytes, and wakes the reader when they are what it waits for and enough to be worth it. After it has ended,
  /// nobody needs them.
  ///
  /// - Throws: ``CoderError/Code/limitExceeded``; ``CoderError/Code/outOfMemory``.
  func append(_ chunk: UnsafeRawBufferPointer) throws(CoderError) {
    guard let start = chunk.baseAddress, !chunk.isEmpty, !isOver else { return }
    guard chunk.count <= limit - count else {
      throw .limitExceeded(.maxMemory, found: count + chunk.count, allowed: limit, what: "a file size in bytes of")
    }
    if count + chunk.count > capacity { try grow(to: count + chunk.count) }
    (memory.unsafelyUnwrapped + count).copyMemory(from: start, byteCount: chunk.count)
    count += chunk.count
    if count >= wanted, count >= wakingCount {
      wakeReader()
    } else {
      updateBufferedEnd()
    }
  }

  /// Takes memory for at least so many bytes: twice as much each time, or once for most files that are not small.
  private func grow(to needed: Int) throws(CoderError) {
    let isLarge = needed > Self.smallMemory
    let grown = min(max(capacity * 2, needed, isLarge ? Self.largeMemory : 4 << 10), limit)
    guard let larger = isLarge ? PixelMemory.allocate(grown) : realloc(memory, grown) else {
      throw .outOfMemory(bytes: grown, for: "the bytes of an incomplete file")
    }
    if isLarge {
      if let memory { larger.copyMemory(from: memory, byteCount: count) }
      free(memory)
    }
    memory = larger
    capacity = grown
  }

  /// Lets the reader have what was buffered.
  func deliver() {
    if !isReaderAbandoned, count >= wanted, count > countSeen { wakeReader() }
  }

  /// Has the reader draw what there is, if that is more than its rows. Called while it is held.
  func drawPass() {
    guard hasReader, draw != nil, !isDrawn, !isComplete else { return }
    isDrawingWanted = true
    wakeReader()
  }

  /// Says that no byte follows, and returns when the reader has ended.
  func finish() {
    guard !isReaderAbandoned else { return }
    isComplete = true
    wakeReader()
  }

  /// Ends the reader, whatever it waits for.
  func stop() {
    guard !isReaderAbandoned else { return }
    isStopped.store(true, ordering: .relaxed)
    isComplete = true
    wakeReader()
  }

  private func wakeReader() {
    bufferedEnd = 0
    guard hasReader else { return }
    if holds > 0 {
      turn.store(Turn.working, ordering: .releasing)
    } else {
      let isAsleep = turn.compareExchange(
        expected: Turn.asleep, desired: Turn.working, ordering: .acquiringAndReleasing)
      guard isAsleep.exchanged else { return endReader() }
    }
    readersTurn.signal()
    waitForReader()
    if holds > 0 { takeTurn() }
  }

  private func waitForReader() {
    guard waitForTurn() else { return abandonReader() }
    countSeen = count
    updateBufferedEnd()
  }

  /// Nanoseconds between looks at a cancellation, and looks that the reader gets to see it by itself.
  private static let interval = 10_000_000
  private static let patience = 3

  /// Waits until the reader sleeps or has ended, but not for long once the work is cancelled.
  ///
  /// - Returns: Whether the reader sleeps or has ended.
  private func waitForTurn() -> Bool {
    guard let cancellation else {
      appendersTurn.wait()
      return true
    }
    var looks = 0
    while true {
      if appendersTurn.wait(atMost: Self.interval) { return true }
      guard cancellation.isCancelled else { continue }
      looks += 1
      if looks > Self.patience { return false }
    }
  }

  private func abandonReader() {
    isReaderAbandoned = true
    isStopped.store(true, ordering: .relaxed)
    // It may have gone to sleep just now.
    readersTurn.signal()
  }

  /// Bytes that are enough to wake the reader, if it has use for them.
  private var wakingCount: Int {
    guard buffersChunks else { return wanted }
    return max(wanted, countSeen + min(Self.mostBuffered, count / Self.bufferedShare))
  }

  private func updateBufferedEnd() {
    let isAsleep = isStarted && !isOver && !isComplete
    // `wanted` may be all bytes, which is the largest integer.
    bufferedEnd = isAsleep ? min(capacity + 1, wakingCount) : 0
  }

  // MARK: The reader

  /// Sleeps until there are so many bytes, or all.
  ///
  /// - Throws: ``CoderError/Code/cancelled`` when nobody wants the result any more.
  func wait(for bytes: Int) throws(CoderError) {
    guard turn.load(ordering: .relaxed) != Turn.left else { throw .cancelled }
    while !isStopped.load(ordering: .relaxed), count < bytes, !isComplete {
      wanted = bytes
      asleepSince.store(ReaderSlots.shared.now(), ordering: .relaxed)
      turn.store(Turn.asleep, ordering: .releasing)
      appendersTurn.signal()
      try sleep()
      if isDrawingWanted {
        isDrawingWanted = false
        drawOnce()
      }
    }
    isDrawn = false
    if isStopped.load(ordering: .relaxed) { throw .cancelled }
  }

  private func drawOnce() {
    guard !isDrawn else { return }
    isDrawn = true
    draw?()
  }

  /// Sleeps until it is the reader's turn, or somebody needs its thread more.
  private func sleep() throws(CoderError) {
    while true {
      readersTurn.wait()
      if isStopped.load(ordering: .relaxed) || turn.load(ordering: .acquiring) == Turn.working { return }
      guard isAskedToLeave.load(ordering: .acquiring) else { continue }
      let isAsleep = turn.compareExchange(expected: Turn.asleep, desired: Turn.left, ordering: .acquiringAndReleasing)
      guard isAsleep.exchanged else { continue }
      // It may be looked at later.
      drawOnce()
      leaving()
      throw .cancelled
    }
  }
}
