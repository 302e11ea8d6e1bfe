// SPDX-License-Identifier: Apache-2.0

import CHostSystem
import Glibc
package import ImageCoderModel
import Synchronization

/// The library's threads, but for the one that watches idle workers.
///
/// A thread that has finished its work waits for more, as long as no more threads wait than there are processors. A child of
/// `fork()` has none of its parent's threads, and begins with none.
package final class ThreadPool: Sendable {
  package static let shared = ThreadPool()

  package typealias Work = @Sendable () -> Void

  /// Processors that this process may use: by its affinity and the limits of its control group, such as a container's.
  package static let processors = Int(chostsystem_processors())

  private struct State {
    /// Threads that wait for work.
    var idle: [PoolThread] = []
    /// Threads that help with loops.
    var helping = 0
  }

  /// Work with the names of its files and its plugin, which the thread that does it takes over.
  private struct Assignment: @unchecked Sendable {
    // Unchecked: the names live as long as the process.
    private let names = chostsystem_this_work().pointee
    private let work: Work

    init(_ work: @escaping Work) { self.work = work }

    func run() {
      let outer = chostsystem_this_work().pointee
      chostsystem_set_work(names)
      work()
      chostsystem_set_work(outer)
    }
  }

  /// A thread, and the work that it was given.
  private final class PoolThread: @unchecked Sendable {
    // Unchecked: `work` is written before the thread starts or is given its permit, and read after.
    var work: Assignment?
    let permit = Semaphore()

    init(_ work: Assignment) { self.work = work }

    /// Does the work, if there is any, and releases it and all that it holds.
    func doWork() {
      let given = work
      work = nil
      given?.run()
    }
  }

  private let state = ProcessLock { State() }
  /// Whether work has freed memory that the C library keeps.
  private let hasFreed = Atomic<Bool>(false)
  /// Nanoseconds that a thread waits for work before it gives that memory back to the system.
  private static let quiet = 500_000_000

  // MARK: At once

  /// Runs work on a thread of its own at once.
  ///
  /// - Throws: ``CoderError/Code/outOfMemory`` when the machine has no more threads.
  package func start(for purpose: String, _ work: @escaping Work) throws(CoderError) {
    try start(for: purpose, Assignment(work))
  }

  private func start(for purpose: String, _ work: Assignment) throws(CoderError) {
    if let idle = state.withLock({ $0.idle.popLast() }) {
      idle.work = work
      idle.permit.signal()
      return
    }
    let start = Unmanaged.passRetained(Start(pool: self, thread: PoolThread(work)))
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
        start.pool.run(start.thread)
        return nil
      }, start.toOpaque())
    guard status == 0 else {
      start.release()
      throw .outOfMemory(bytes: 0, for: purpose)
    }
    pthread_detach(thread)
  }

  private final class Start: Sendable {
    let pool: ThreadPool
    let thread: PoolThread

    init(pool: ThreadPool, thread: PoolThread) {
      self.pool = pool
      self.thread = thread
    }
  }

  /// A thread's life: its first work, then whatever comes.
  private func run(_ thread: PoolThread) {
    // What the thread inherited from the one that made it ends with its first work.
    chostsystem_set_work(chostsystem_work())
    thread.doWork()
    while state.withLock({ state in
      guard state.idle.count < Self.processors else { return false }
      state.idle.append(thread)
      return true
    }) {
      if !thread.permit.wait(atMost: Self.quiet) {
        if hasFreed.exchange(false, ordering: .relaxed) { chostsystem_give_memory_back() }
        thread.permit.wait()
      }
      thread.doWork()
    }
    // This thread ends; one that waits waits anew, and gives back what this one's work has freed.
    if hasFreed.load(ordering: .relaxed) { state.withLock { $0.idle.popLast() }?.permit.signal() }
  }

  /// Says that work has freed memory. As soon as a thread has waited half a second for more work, it goes back to the
  /// system.
  func noteFreedMemory() { hasFreed.store(true, ordering: .relaxed) }

  // MARK: Side by side

  /// Threads that help with loops now.
  package var helperCount: Int { state.withLock { $0.helping } }

  /// Calls `body` once for every index in `0 ..< count`, in order as threads get free, and returns when all are done. The
  /// calling thread is one of them.
  ///
  /// - Parameter jobs: Threads, or nil for one on each processor that no other loop of this process has.
  package func run(_ count: Int, jobs: Int? = nil, _ body: @escaping @Sendable (Int) -> Void) {
    let loop = Loop(count: count, body: body)
    let wanted = max(0, min(jobs ?? .max, count) - 1)
    let allowed = state.withLock { state in
      let allowed = jobs == nil ? min(wanted, max(0, Self.processors - 1 - state.helping)) : wanted
      state.helping += allowed
      return allowed
    }
    var helpers = 0
    for _ in 0..<allowed {
      do throws(CoderError) {
        try start(for: "a thread that helps") { [self] in
          loop.run()
          // Its processor is free for other loops now, whatever the others of this one still do.
          state.withLock { $0.helping -= 1 }
          loop.finished.signal()
        }
      } catch {
        // Fewer threads do the same work.
        state.withLock { $0.helping -= allowed - helpers }
        break
      }
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
  }
}
