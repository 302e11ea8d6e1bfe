// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderModel
import Synchronization

/// Runs work on a few threads of its own.
package enum WorkQueue {
  /// Processors that this process may use.
  package static var processors: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  /// Calls `body` once for every index in `0 ..< count`, in order as threads get free, and returns when all are done.
  package static func run(_ count: Int, jobs: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let work = Work(count: count, body: body)
    var threads: [pthread_t] = []
    for _ in 1..<max(1, min(jobs, count)) where count > 1 {
      var thread = pthread_t()
      let started = pthread_create(
        &thread, nil,
        { context in
          if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run() }
          return nil
        }, Unmanaged.passRetained(work).toOpaque())
      if started == 0 {
        threads.append(thread)
      } else {
        // Fewer threads do the same work.
        Unmanaged.passUnretained(work).release()
      }
    }
    work.run()
    for thread in threads { pthread_join(thread, nil) }
  }

  private final class Work: Sendable {
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
