// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import Synchronization

/// A bar on standard error that says how far a run over several files or frames is; nothing where nobody watches.
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

  /// Options of an encode whose frames are counted.
  func listening(_ options: EncodeOptions) -> EncodeOptions {
    guard isShown else { return options }
    var options = options
    options.progress = { if $0 == 1 { self.advance() } }
    return options
  }

  /// Counts one file or frame more. After the last one, the count begins anew.
  func advance() {
    guard isShown else { return }
    done.withLock { done in
      done = done % total + 1
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
