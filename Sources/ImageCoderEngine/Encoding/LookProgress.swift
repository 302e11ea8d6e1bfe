// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What is done of a search, whose length nobody knows: each file takes the same share of what is left.
final class LookProgress: Sendable {
  /// The share of one file. Most searches end with the fourth.
  private static let share = 0.3

  private struct Done {
    /// What is left after the files that are done.
    var left = 1.0
    var told = 0.0
  }

  private let done = Mutex(Done())
  private let listener: (@Sendable (Double) -> Void)?

  init(_ listener: (@Sendable (Double) -> Void)?) { self.listener = listener }

  /// Takes what is encoded of the current file, 0 to 1. The listener hears of numbers that grow.
  func report(_ share: Double) {
    guard let listener else { return }
    let told = done.withLock { done -> Double? in
      let now = 1 - done.left * (1 - Self.share * share)
      guard now > done.told else { return nil }
      done.told = now
      return now
    }
    if let told { listener(told) }
  }

  /// Goes on to the next file.
  func next() { done.withLock { $0.left *= 1 - Self.share } }

  /// Says that the search is over.
  func finish() { listener?(1) }
}
