// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoderModel
import Synchronization

/// Threads for work that takes long and never suspends: as many as there are processors, started with the first job.
final class DecodingThreads: Sendable {
  private static let shared = DecodingThreads()

  private struct Semaphore: @unchecked Sendable {
    // A semaphore may not move in memory, so it lives in a block of its own for the life of the process.
    let raw = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
  }

  private let jobs = Mutex<[@Sendable () -> Void]>([])
  private let waiting = Semaphore()

  private init() {
    waiting.raw.initialize(to: sem_t())
    sem_init(waiting.raw, 0, 0)
    for _ in 0..<WorkQueue.processors {
      var thread = pthread_t()
      let started = pthread_create(
        &thread, nil,
        { context in
          guard let context else { return nil }
          Unmanaged<DecodingThreads>.fromOpaque(context).takeUnretainedValue().work()
          return nil
        }, Unmanaged.passUnretained(self).toOpaque())
      if started == 0 { pthread_detach(thread) }
    }
  }

  /// Runs a job and waits for it without a thread of the caller's.
  static func run<Value: Sendable>(
    _ cancellation: Cancellation, _ body: @escaping @Sendable () throws(CoderError) -> Value
  ) async throws(CoderError) -> Value {
    let result: Result<Value, CoderError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        shared.add {
          continuation.resume(
            returning: Result { () throws(CoderError) in
              if cancellation.isCancelled { throw CoderError.cancelled }
              return try body()
            })
        }
      }
    } onCancel: {
      cancellation.cancel()
    }
    return try result.get()
  }

  private func add(_ job: @escaping @Sendable () -> Void) {
    jobs.withLock { $0.append(job) }
    sem_post(waiting.raw)
  }

  private func work() {
    while true {
      while sem_wait(waiting.raw) != 0 {}
      let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      job?()
    }
  }
}
