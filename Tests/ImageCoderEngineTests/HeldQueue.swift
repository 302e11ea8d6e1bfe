// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Synchronization

/// A queue of one thread, which is held until ``run()``.
final class HeldQueue: Sendable {
  let queue: WorkQueue
  private let time = TestTime()
  private let gate = Semaphore()
  private let isStarted = Mutex(false)
  let order = Mutex<[String]>([])
  private let results = Mutex<[Task<Result<Void, CoderError>, Never>]>([])

  init() { queue = WorkQueue(width: 1) { [time] in time.now } }

  /// Lets time pass.
  func pass(_ duration: Duration) { time.pass(duration) }

  /// Takes the thread. Nothing here may block one of the cooperative pool, which jobs need to begin.
  func hold() async {
    await add("held", .high, .continues) { [self] in
      isStarted.withLock { $0 = true }
      gate.wait()
    }
    while !isStarted.withLock({ $0 }) { await Task.yield() }
  }

  /// Adds a job and returns when it is in the queue.
  @discardableResult
  func add(
    _ name: String, _ rank: WorkQueue.Rank, _ kind: WorkQueue.Kind = .begins, in lane: WorkQueue.Lane? = nil,
    tenant: WorkQueue.Tenant? = nil, cancellation: Cancellation = Cancellation(),
    _ body: @escaping @Sendable () -> Void = {}
  ) async -> WorkQueue.Job {
    let job = WorkQueue.Job(rank, kind, in: lane, tenant: tenant, cancellation: cancellation)
    let before = queue.submittedCount
    let task = Task {
      do throws(CoderError) {
        try await queue.value(of: job) { () throws(CoderError) in
          self.order.withLock { $0.append(name) }
          body()
        }
        return Result<Void, CoderError>.success(())
      } catch {
        return .failure(error)
      }
    }
    results.withLock { $0.append(task) }
    while queue.submittedCount == before { await Task.yield() }
    return job
  }

  /// Lets the queue go on, and waits for all jobs.
  func run() async -> [String] {
    gate.signal()
    for task in results.withLock({ $0 }) { _ = await task.value }
    return order.withLock { $0 }
  }

  func result(_ index: Int) async -> Result<Void, CoderError> { await results.withLock { $0[index] }.value }

  /// Why a job was not done, or nil.
  func code(_ index: Int) async -> CoderError.Code? {
    if case .failure(let error) = await result(index) { error.code } else { nil }
  }
}

/// A clock that a test sets.
final class TestTime: Sendable {
  private let time = Mutex(ContinuousClock.now)

  var now: ContinuousClock.Instant { time.withLock { $0 } }
  func pass(_ duration: Duration) { time.withLock { $0 = $0 + duration } }
}
