// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderModel

/// Ends workers and servers that nobody needs, on a thread of its own that lives as long as there are some: it sleeps, and
/// a thread of the pool would be missed.
enum IdleWatch {
  private static let isRunning = ProcessLock { false }
  /// Seconds between looks.
  private static let interval: UInt32 = 5

  /// Begins to watch, unless it does already.
  static func begin() {
    let isFirst = isRunning.withLock { isRunning in
      defer { isRunning = true }
      return !isRunning
    }
    guard isFirst else { return }
    // Signals are for the program's own threads.
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    var thread = pthread_t()
    let problem = pthread_create(
      &thread, nil,
      { _ in
        IdleWatch.watch()
        return nil
      }, nil)
    // Without it, they end with the program.
    guard problem == 0 else { return isRunning.withLock { $0 = false } }
    pthread_detach(thread)
  }

  private static func watch() {
    while true {
      sleep(interval)
      let ends = isRunning.withLock { isRunning in
        isRunning = WorkerPool.endIdle()
        return !isRunning
      }
      if ends { return }
    }
  }
}
