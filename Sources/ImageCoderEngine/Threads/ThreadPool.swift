// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ImageCoderModel
import Synchronization

/// The library's threads, the only place that makes any.
///
/// A thread that has finished its work waits for more, as long as no more threads wait than there are processors.
package final class ThreadPool: Sendable {
  package static let shared = ThreadPool()

  package typealias Work = @Sendable () -> Void

  /// Processors that this process may use.
  package static var processors: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  private struct State {
    /// Threads that wait for work.
    var idle: [IdleThread] = []
    /// Work that waits for its turn.
    var queue: [Work] = []
    /// Turns that are taken.
    var running = 0
  }

  /// A thread that waits for work.
  private final class IdleThread: @unchecked Sendable {
    // Unchecked: `work` is written before the permit is given and read after it was taken.
    var work: Work?
    let permit = Semaphore()
  }

  private let state = Mutex(State())

  // MARK: At once

  /// Runs work on a thread of its own at once.
  ///
  /// - Throws: ``CoderError/Code/outOfMemory`` when the machine has no more threads.
  package func start(for purpose: String, _ work: @escaping Work) throws(CoderError) {
    if let idle = state.withLock({ $0.idle.popLast() }) {
      idle.work = work
      idle.permit.signal()
      return
    }
    let first = FirstWork(pool: self, work: work)
    let context = Unmanaged.passRetained(first)
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        let first = Unmanaged<FirstWork>.fromOpaque(context).takeRetainedValue()
        first.pool.run(first.work)
        return nil
      }, context.toOpaque())
    guard status == 0 else {
      context.release()
      throw .outOfMemory(bytes: 0, for: purpose)
    }
    pthread_detach(thread)
  }

  private final class FirstWork: Sendable {
    let pool: ThreadPool
    let work: Work

    init(pool: ThreadPool, work: @escaping Work) {
      self.pool = pool
      self.work = work
    }
  }

  /// A thread's life: its first work, then whatever comes.
  private func run(_ work: Work) {
    work()
    while let idle = state.withLock({ state -> IdleThread? in
      guard state.idle.count < Self.processors else { return nil }
      let idle = IdleThread()
      state.idle.append(idle)
      return idle
    }) {
      idle.permit.wait()
      let next = idle.work
      idle.work = nil
      next?()
    }
  }

  // MARK: In turn

  /// Runs work when a processor is free for it, first come, first served.
  package func enqueue(_ work: @escaping Work) {
    let isNext = state.withLock { state in
      guard state.running < Self.processors else {
        state.queue.append(work)
        return false
      }
      state.running += 1
      return true
    }
    guard isNext else { return }
    do throws(CoderError) {
      try start(for: "a thread that decodes") { self.runQueued(work) }
    } catch {
      // Without another thread the caller's has to do.
      runQueued(work)
    }
  }

  private func runQueued(_ work: @escaping Work) {
    var next: Work? = work
    while let work = next {
      work()
      next = state.withLock { state in
        guard !state.queue.isEmpty else {
          state.running -= 1
          return nil
        }
        return state.queue.removeFirst()
      }
    }
  }

  // MARK: Side by side

  /// Calls `body` once for every index in `0 ..< count`, in order as threads get free, and returns when all are done. The
  /// calling thread is one of them.
  ///
  /// - Parameter jobs: Threads at most.
  package func run(_ count: Int, jobs: Int = ThreadPool.processors, _ body: @escaping @Sendable (Int) -> Void) {
    let loop = Loop(count: count, body: body)
    var helpers = 0
    for _ in 1..<max(1, min(jobs, count)) where count > 1 {
      // Fewer threads do the same work.
      do throws(CoderError) { try start(for: "a thread that helps") { loop.help() } } catch { break }
      helpers += 1
    }
    loop.run()
    for _ in 0..<helpers { loop.finished.wait() }
  }

  private final class Loop: Sendable {
    let finished = Semaphore()
    private let count: Int
    private let body: @Sendable (Int) -> Void
    private let next = Atomic<Int>(0)

    init(count: Int, body: @escaping @Sendable (Int) -> Void) {
      self.count = count
      self.body = body
    }

    func run() {
      while true {
        let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
        guard index < count else { return }
        body(index)
      }
    }

    func help() {
      run()
      finished.signal()
    }
  }
}
