// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

/// Writes of a cache, those of several threads and tasks in one transaction.
///
/// A write that finds no other one begins a transaction on its own thread; those that come meanwhile wait for it and share
/// the next. So each is on its way to the disk when its call returns, and a single one waits for nothing.
final class CacheWriter: Sendable {
  typealias Body = @Sendable (WriteTransaction) throws(SQLiteFailure) -> Void

  private struct Write: Sendable {
    let bytes: Int
    let body: Body
    let completion: @Sendable (CoderError?) -> Void
  }

  private struct State {
    var waiting: [Write] = []
    var isWriting = false
  }

  private let store: CacheStore
  private let state = Lock(State())

  /// Bounds of a transaction: others wait while it runs.
  private static let (maxWrites, maxBytes) = (64, 4 << 20)
  /// Entries that eviction looks at in a transaction.
  static let evictionSteps = 128

  init(_ store: CacheStore) { self.store = store }

  /// Makes a change and waits for it.
  ///
  /// - Parameters:
  ///   - bytes: About how many it writes.
  ///   - body: May be called twice, for different databases.
  /// - Throws: ``CoderError/Code/io``; nothing is changed then.
  func write<Value: Sendable>(
    bytes: Int = 0, _ body: @escaping @Sendable (WriteTransaction) throws(SQLiteFailure) -> Value
  ) throws(CoderError) -> Value {
    let answer = Answer<Value>()
    let reply = Reply<Value> { answer.give($0) }
    // This thread is free for its caller when its own change is made.
    if submit(reply.write(bytes, body)) { lead() }
    return try answer.wait()
  }

  /// Makes a change on a thread of the library.
  ///
  /// - Throws: As the other.
  func write<Value: Sendable>(
    bytes: Int = 0, _ body: @escaping @Sendable (WriteTransaction) throws(SQLiteFailure) -> Value
  ) async throws(CoderError) -> Value {
    let result: Result<Value, CoderError> = await withCheckedContinuation { continuation in
      let reply = Reply<Value> { continuation.resume(returning: $0) }
      if submit(reply.write(bytes, body)) { leadElsewhere() }
    }
    return try result.get()
  }

  /// What a thread waits for.
  private final class Answer<Value: Sendable>: Sendable {
    private let result = Lock<Result<Value, CoderError>>(.failure(.cancelled))
    private let semaphore = Semaphore()

    func give(_ value: Result<Value, CoderError>) {
      result.withLock { $0 = value }
      semaphore.signal()
    }

    func wait() throws(CoderError) -> Value {
      semaphore.wait()
      return try result.withLock { $0 }.get()
    }
  }

  /// Joins a body's value and the end of its transaction.
  private final class Reply<Value: Sendable>: Sendable {
    private let value = Lock<Value?>(nil)
    private let tell: @Sendable (Result<Value, CoderError>) -> Void

    init(_ tell: @escaping @Sendable (Result<Value, CoderError>) -> Void) { self.tell = tell }

    func write(
      _ bytes: Int, _ body: @escaping @Sendable (WriteTransaction) throws(SQLiteFailure) -> Value
    ) -> Write {
      Write(bytes: bytes) { (transaction) throws(SQLiteFailure) in
        let value = try body(transaction)
        self.value.withLock { $0 = value }
      } completion: { error in
        let value = self.value.withLock { $0 }
        self.tell(value.map { value in error.map { .failure($0) } ?? .success(value) } ?? .failure(error ?? .cancelled))
      }
    }
  }

  // MARK: The thread that writes

  /// - Returns: Whether the caller has to lead.
  private func submit(_ write: Write) -> Bool {
    state.withLock { state in
      state.waiting.append(write)
      defer { state.isWriting = true }
      return !state.isWriting
    }
  }

  private func lead() {
    run(nextBatch())
    // Those who have come meanwhile do not hold this thread.
    let isOver = state.withLock { state in
      state.isWriting = !state.waiting.isEmpty
      return !state.isWriting
    }
    if !isOver { leadElsewhere() }
  }

  private func leadElsewhere() {
    do throws(CoderError) {
      try ThreadPool.shared.start(for: "a thread that writes a cache") { self.leadToEnd() }
    } catch {
      // Without another thread the caller's has to do.
      leadToEnd()
    }
  }

  private func leadToEnd() {
    while true {
      run(nextBatch())
      let isOver = state.withLock { state in
        state.isWriting = !state.waiting.isEmpty
        return !state.isWriting
      }
      if isOver { return }
    }
  }

  private func nextBatch() -> [Write] {
    state.withLock { state in
      var bytes = 0
      let count =
        state.waiting.prefix(Self.maxWrites).prefix { write in
          defer { bytes += write.bytes }
          return bytes == 0 || bytes + write.bytes <= Self.maxBytes
        }.count
      defer { state.waiting.removeFirst(count) }
      return Array(state.waiting.prefix(count))
    }
  }

  private func run(_ batch: [Write]) {
    let failure = attempt(batch)
    for write in batch { write.completion(failure) }
  }

  /// Runs a transaction; if the database turns out to be damaged, once more in a new one.
  private func attempt(_ batch: [Write]) -> CoderError? {
    do throws(CoderError) {
      let generation = try store.generationForWriting()
      do throws(SQLiteFailure) {
        try transact(batch, generation)
      } catch {
        guard error.isDamage else { throw error.error(store.folder.path) }
        let other = try store.replacement(of: generation, because: error)
        try store.withoutRecovery { () throws(SQLiteFailure) in try transact(batch, other) }
      }
      return nil
    } catch {
      return error
    }
  }

  private func transact(_ batch: [Write], _ generation: CacheGeneration) throws(SQLiteFailure) {
    let store = store
    let files = try generation.withDatabase { (database) throws(SQLiteFailure) in
      try database.transaction(.beginWriting) { () throws(SQLiteFailure) in
        let transaction = try WriteTransaction(database, store)
        try transaction.note(store.uses.take(UseNotes.batch))
        for write in batch { try write.body(transaction) }
        _ = try transaction.evict(
          toBytes: store.options.maxBytes, count: store.options.maxCount, steps: Self.evictionSteps)
        try transaction.finish()
        return transaction.removedFiles
      }
    }
    // A row without a file would be a miss; a file without a row is only in the way.
    for file in files { file.remove() }
  }
}
