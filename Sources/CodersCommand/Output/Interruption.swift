// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders
import Synchronization

/// Turns the first interrupt into a cancellation, so that temporary files are removed. A second one ends the process.
final class Interruption: Sendable {
  let cancellation = Cancellation()

  private let received = Atomic<Int32>(0)

  private static let shared = Interruption()

  /// The signal that was received, or nil.
  var signal: Int32? {
    let number = received.load(ordering: .relaxed)
    return number == 0 ? nil : number
  }

  /// Catches SIGINT, SIGTERM and SIGHUP from now on.
  static func install() -> Interruption {
    let shared = shared
    var action = sigaction()
    // The handler only stores to atomics of an existing object, which is safe in a signal handler.
    action.__sigaction_handler.sa_handler = { number in
      Interruption.shared.received.store(number, ordering: .relaxed)
      Interruption.shared.cancellation.cancel()
    }
    // System calls are not restarted, so a read that waits for input returns and sees the cancellation.
    action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
    sigaction(SIGINT, &action, nil)
    sigaction(SIGTERM, &action, nil)
    sigaction(SIGHUP, &action, nil)
    // With SIGXFSZ ignored, writing too large a file fails with EFBIG, and the temporary file is removed.
    Glibc.signal(SIGXFSZ, SIG_IGN)
    return shared
  }
}
