// SPDX-License-Identifier: Apache-2.0

import CIsolation
import Glibc
import ImageCoderModel

/// What ends a wait for a worker.
extension Worker {
  /// How long a call may take.
  struct Time {
    var processorSeconds: Int
    var clockSeconds: Int
  }

  /// Time that does not count: the worker waits for this process.
  struct Pause {
    fileprivate var nanoseconds: Int64 = 0

    mutating func during<Result>(_ body: () -> Result) -> Result {
      let start = isolation_now()
      defer { nanoseconds += isolation_now() - start }
      return body()
    }
  }

  /// The time of one call.
  struct Watch {
    let time: Time
    let clock: clockid_t
    let start = isolation_now()
    /// Processor time at the first look: most calls end before it, and need not ask for it.
    var before: Int64?
    var lastLook: Int64
    var cancelledSince: Int64?
    var pause = Pause()

    init(_ time: Time, _ clock: clockid_t) {
      self.time = time
      self.clock = clock
      lastLook = start
    }

    var isDue: Bool { isolation_now() - lastLook > Int64(Worker.interval) * 1_000_000 }

    mutating func exceeded(_ now: Int64) -> CoderError? {
      let passed = (now - start - pause.nanoseconds) / 1_000_000_000
      if passed >= time.clockSeconds {
        return .limitExceeded(.maxClockSeconds, found: passed, allowed: time.clockSeconds, what: "a call's seconds of")
      }
      let total = isolation_processor_time(clock)
      let first = before ?? total
      before = first
      let used = (total - first) / 1_000_000_000
      guard used >= time.processorSeconds else { return nil }
      return .limitExceeded(
        .maxProcessorSeconds, found: used, allowed: time.processorSeconds, what: "a call's processor seconds of")
    }
  }
}
