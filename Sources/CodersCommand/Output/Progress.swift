// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import Synchronization

/// A progress bar over files or frames on standard error; shown only on a terminal.
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

  /// The options with a callback that counts the frames of the encode.
  func listening(_ options: EncodeOptions) -> EncodeOptions {
    guard isShown else { return options }
    var options = options
    options.progress = { if $0 == 1 { self.advance() } }
    return options
  }

  /// Counts one more file or frame. After the last one, counting starts again: `--max-bytes` encodes several times.
  func advance() {
    guard isShown else { return }
    done.withLock { done in
      done = done % total + 1
      let filled = Self.width * done / max(total, 1)
      let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled)
      console.showProgress("[\(bar)] \(done)/\(total)")
    }
  }

  /// Removes the bar.
  func finish() {
    if isShown { console.showProgress(nil) }
  }
}
