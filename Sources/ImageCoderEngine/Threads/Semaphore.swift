// SPDX-License-Identifier: Apache-2.0

import CHostSystem
import Glibc
import Synchronization

/// Counts permits: one thread gives them, another waits for them.
package final class Semaphore: @unchecked Sendable {
  // Unchecked: POSIX semaphores are safe from every thread. One may not move in memory, so it has a block of its own.
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
  /// A thread that takes a permit sees everything that was written before the permit was given. The system's semaphore
  /// promises that too, but ThreadSanitizer does not know its timed wait.
  private let handover = Atomic<Int>(0)

  package init() {
    semaphore.initialize(to: sem_t())
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  /// Gives a permit.
  package func signal() {
    handover.add(1, ordering: .releasing)
    sem_post(semaphore)
  }

  /// Takes a permit, and waits for it.
  package func wait() {
    while sem_wait(semaphore) != 0 {}
    _ = handover.load(ordering: .acquiring)
  }

  /// Takes a permit, and waits for it at most so long.
  ///
  /// - Parameter nanoseconds: Below a second.
  /// - Returns: Whether a permit was taken.
  package func wait(atMost nanoseconds: Int) -> Bool {
    guard chostsystem_wait(semaphore, nanoseconds) != 0 else { return false }
    _ = handover.load(ordering: .acquiring)
    return true
  }
}
