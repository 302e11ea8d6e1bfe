// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A bar on standard error that says how far a run over several files is; nothing where nobody watches.
///
/// - Threads: Safe from every thread.
final class Progress: Sendable {
  private let console: Console
  private let total: Int
  private let isShown: Bool
  private let done = Mutex(0)

  private static let width = 24

  init(_ console: Console, total: Int, isQuiet: Bool) {
    self.console = console
    self.total = total
    isShown = console.isErrorTerminal && !isQuiet && total > 1
  }

  /// Counts one file more.
  func advance() {
    guard isShown else { return }
    done.withLock { done in
      done += 1
      let filled = Self.width * done / max(total, 1)
      let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled)
      console.showProgress("\r[\(bar)] \(done)/\(total)")
    }
  }

  /// Takes the bar away.
  func finish() {
    // ECMA-48 §8.3.41, Erase in Line.
    if isShown { console.showProgress("\r\u{1B}[K") }
  }
}
