// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import Synchronization

/// The errors of a run over several files: each is printed at once, and the first one sets the exit status.
///
/// - Threads: Safe from every thread.
final class Failures: Sendable {
  private let console: Console
  private let first = Mutex<(order: Int, status: ExitStatus)?>(nil)

  init(_ console: Console) { self.console = console }

  /// Prints an error and records its status.
  ///
  /// - Parameter order: The file's position on the command line. The error of the first file there sets the status,
  ///   whichever thread reports first.
  func add(_ error: CoderError, file: String, order: Int = 0) {
    // After an interrupt, every remaining file fails with this error.
    if error.code != .cancelled { console.report(error, file: file) }
    first.withLock { first in
      if let known = first, known.order <= order { return }
      first = (order, ExitStatus(error))
    }
  }

  /// The status of the first error, or ok.
  var status: ExitStatus { first.withLock { $0?.status } ?? .ok }
}
