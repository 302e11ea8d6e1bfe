// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ImageCoders
import Synchronization

/// Turns the first interrupt into a cancellation, so that temporary files are removed. What follows is up to the
/// escalation; without one, a second interrupt ends the process.
package final class Interruption: Sendable {
  /// Called in a signal handler with the number of each signal.
  package typealias Escalation = @convention(c) (Int32) -> Void

  package let cancellation = Cancellation()

  private let received = Atomic<Int32>(0)

  private static let shared = Interruption()
  // Written before the handler is installed.
  nonisolated(unsafe) private static var escalation: Escalation?

  /// The signal that was received, or nil.
  package var signal: Int32? {
    let number = received.load(ordering: .relaxed)
    return number == 0 ? nil : number
  }

  /// Catches SIGINT, SIGTERM and SIGHUP from now on.
  package static func install(_ escalation: Escalation?) -> Interruption {
    let shared = shared
    Self.escalation = escalation
    var action = sigaction()
    // The handler only stores to atomics of an existing object, which is safe in a signal handler.
    action.__sigaction_handler.sa_handler = { number in
      let isFirst = Interruption.shared.received.exchange(number, ordering: .relaxed) == 0
      Interruption.shared.cancellation.cancel()
      if let escalation = Interruption.escalation {
        escalation(number)
      } else if !isFirst {
        Glibc.signal(number, SIG_DFL)
        raise(number)
      }
    }
    // System calls are not restarted, so a read that waits for input returns and sees the cancellation.
    action.sa_flags = 0
    sigaction(SIGINT, &action, nil)
    sigaction(SIGTERM, &action, nil)
    sigaction(SIGHUP, &action, nil)
    // With SIGXFSZ ignored, writing too large a file fails with EFBIG, and the temporary file is removed.
    Glibc.signal(SIGXFSZ, SIG_IGN)
    return shared
  }
}
