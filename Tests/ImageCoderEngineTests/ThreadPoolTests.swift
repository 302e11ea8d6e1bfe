// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Synchronization
import TestSupport
import Testing

@Suite struct ThreadPoolTests {
  @Test(arguments: [0, 1, 2, 100]) func aLoopCallsEachIndexOnce(_ count: Int) {
    let calls = Mutex([Int](repeating: 0, count: count))
    ThreadPool.shared.run(count, jobs: 4) { index in calls.withLock { $0[index] += 1 } }
    #expect(calls.withLock { $0 } == [Int](repeating: 1, count: count))
  }

  /// Two indexes wait for each other, which one thread could not do.
  @Test func aLoopRunsOnSeveralThreads() {
    let (first, second) = (Semaphore(), Semaphore())
    ThreadPool.shared.run(2, jobs: 2) { index in
      (index == 0 ? first : second).signal()
      (index == 0 ? second : first).wait()
    }
  }

  @Test func aLoopInsideALoopEnds() {
    let sum = Atomic<Int>(0)
    ThreadPool.shared.run(8, jobs: 8) { _ in
      ThreadPool.shared.run(8, jobs: 8) { _ in sum.add(1, ordering: .relaxed) }
    }
    #expect(sum.load(ordering: .relaxed) == 64)
  }

  @Test func queuedWorkRunsInOrderOnAsManyThreadsAsProcessors() {
    let order = Mutex<[Int]>([])
    let running = Mutex((now: 0, most: 0))
    let done = Semaphore()
    for index in 0..<50 {
      ThreadPool.shared.enqueue {
        running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
        order.withLock { $0.append(index) }
        running.withLock { $0.now -= 1 }
        done.signal()
      }
    }
    for _ in 0..<50 { done.wait() }
    #expect(order.withLock { $0.sorted() } == Array(0..<50))
    #expect(running.withLock { $0.most } <= ThreadPool.processors)
  }

  @Test func aSemaphoreGivesUpAfterItsTime() {
    let semaphore = Semaphore()
    #expect(!semaphore.wait(atMost: 1_000_000))
    semaphore.signal()
    #expect(semaphore.wait(atMost: 1_000_000))
  }
}
