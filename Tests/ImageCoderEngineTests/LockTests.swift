// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Testing

/// Locks that a child of `fork()` can use, as far as one process shows. `scripts/check-forks` forks.
@Suite struct LockTests {
  private struct Failure: Error {}

  @Test func oneThreadAtATimeUsesTheValue() {
    let sum = Lock(0)
    ThreadPool.shared.run(8, jobs: 8) { _ in
      for _ in 0..<10_000 { sum.withLock { $0 += 1 } }
    }
    #expect(sum.withLock { $0 } == 80_000)
  }

  @Test func aSectionThatThrowsGivesTheLockBack() {
    let value = Lock([1])
    #expect(throws: Failure.self) { try value.withLock { (_) throws(Failure) in throw Failure() } }
    #expect(value.withLock { $0 } == [1])
  }

  @Test func theValueEndsWithTheLock() {
    final class Held: Sendable {}
    weak var held: Held?
    do {
      let object = Held()
      held = object
      let lock = Lock(Optional(object))
      #expect(lock.withLock { $0 != nil })
    }
    #expect(held == nil)
  }

  /// Nothing is made anew where nobody forks.
  @Test func whatBelongsToAProcessStays() {
    let made = Lock(0)
    let owned = ProcessLock<Int> { 7 }
    owned.withLock { $0 += 1 }
    #expect(owned.withLock { $0 } == 8)
    #expect(made.withLock { $0 } == 0 && ProcessGeneration.current == 0)
  }
}
