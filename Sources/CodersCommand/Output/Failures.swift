// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import Synchronization

/// Errors of a run over several files: each is printed at once, and the first decides the exit status.
///
/// - Threads: Safe from every thread.
final class Failures: Sendable {
  private let console: Console
  private let first = Mutex<(order: Int, status: ExitStatus)?>(nil)

  init(_ console: Console) { self.console = console }

  /// Prints an error and remembers its status.
  ///
  /// - Parameter order: The file's place on the command line: the first file's error counts, whatever thread meets it.
  func add(_ error: CoderError, file: String, order: Int = 0) {
    // After an interrupt every file that is left says the same.
    if error.code != .cancelled { console.report(error, file: file) }
    first.withLock { first in
      if let known = first, known.order <= order { return }
      first = (order, ExitStatus(error))
    }
  }

  /// The status of the first error, or ok.
  var status: ExitStatus { first.withLock { $0?.status } ?? .ok }
}
