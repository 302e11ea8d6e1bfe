// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The threads of this process. Other tests start threads, too: to count them, a test needs a process of its own.
package enum ProcessThreads {
  /// Threads there are now.
  package static var count: Int {
    // proc(5): one entry for each thread, besides "." and "..".
    guard let folder = opendir("/proc/self/task") else { return 0 }
    defer { closedir(folder) }
    var entries = 0
    while readdir(folder) != nil { entries += 1 }
    return entries - 2
  }

  /// Threads that are left: those of queues end some seconds after their last work, and are waited for.
  ///
  /// - Parameter bound: As soon as there are no more than this, nothing is waited for.
  package static func countLeft(atMost bound: Int) -> Int {
    for _ in 0..<200 where count > bound { usleep(100_000) }
    return count
  }
}
