// SPDX-License-Identifier: Apache-2.0

import CJXL
import Glibc
import ImageCoderPlugin
import Synchronization

/// Runs libjxl's tasks on the host's threads.
///
/// Every task runs, also of work that the host wants to stop: libjxl 0.7 takes a runner that leaves tasks out for a bug
/// of its own in places, and ends the process. The callers of libjxl ask the host between the calls.
///
/// - Threads: Called on the session's thread, which alone may ask the host for others.
final class ParallelRunner {
  private let host: CoderHost

  init(host: CoderHost) { self.host = host }

  /// The function that libjxl calls with ``opaque``.
  static let function: JxlParallelRunner = { opaque, tasks, initialize, body, start, end in
    guard let opaque, let initialize, let body, start <= end else { return -1 }
    let runner = Unmanaged<ParallelRunner>.fromOpaque(opaque).takeUnretainedValue()
    return runner.run(tasks, initialize, body, start..<end)
  }

  /// The runner as libjxl hands it back; it has to outlive the decoder or encoder.
  var opaque: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// libjxl keeps working memory for each thread that it is told of.
  private static let threads = min(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1), 64)

  /// The number of the next task.
  private final class Counter: Sendable {
    let next: Atomic<UInt32>
    init(from start: UInt32) { next = Atomic(start) }
  }

  private func run(
    _ tasks: UnsafeMutableRawPointer?, _ initialize: JxlParallelRunInit, _ body: JxlParallelRunFunction,
    _ range: Range<UInt32>
  ) -> JxlParallelRetCode {
    let workers = max(1, min(Self.threads, range.count))
    let answer = initialize(tasks, workers)
    guard answer == 0 else { return answer }
    if workers == 1 {
      for task in range { body(tasks, task, 0) }
    } else {
      // Each worker has a number of its own, whichever thread it runs on, and takes tasks until none are left.
      let counter = Counter(from: range.lowerBound)
      host.parallelFor(workers) { worker in
        while true {
          let task = counter.next.wrappingAdd(1, ordering: .relaxed).oldValue
          guard task < range.upperBound else { return }
          body(tasks, task, worker)
        }
      }
    }
    return 0
  }
}
