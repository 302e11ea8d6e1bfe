// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders
import Synchronization

/// Turns the first interrupt into a cancellation, so that temporary files are removed; the second one ends the process.
final class Interruption: Sendable {
  let cancellation = Cancellation()

  private let received = Atomic<Int32>(0)

  private static let shared = Interruption()

  /// The signal that came, or nil.
  var signal: Int32? {
    let number = received.load(ordering: .relaxed)
    return number == 0 ? nil : number
  }

  /// Catches SIGINT, SIGTERM and SIGHUP from now on.
  static func install() -> Interruption {
    let shared = shared
    var action = sigaction()
    // Storing to atomics of an object that exists is all that happens, which a signal handler may do.
    action.__sigaction_handler.sa_handler = { number in
      Interruption.shared.received.store(number, ordering: .relaxed)
      Interruption.shared.cancellation.cancel()
    }
    // Calls are not restarted: whoever waits for input has to see the cancellation.
    action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
    sigaction(SIGINT, &action, nil)
    sigaction(SIGTERM, &action, nil)
    sigaction(SIGHUP, &action, nil)
    // A file that is too large is an error of its own, and no reason to leave half of it behind.
    Glibc.signal(SIGXFSZ, SIG_IGN)
    return shared
  }
}
