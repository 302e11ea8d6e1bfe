// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import Synchronization

/// The threads that readers of incomplete files may keep while they wait for bytes, for all downloads of the process.
///
/// When there is none left, the reader that has waited longest is asked to leave. Its decoder keeps the bytes and what it
/// has shown, and begins anew when twice as many bytes are there, or all: together that costs no more than one more
/// decode. So the number of threads does not grow with the number of downloads.
final class ReaderSlots: Sendable {
  static let shared = ReaderSlots(count: max(8, ThreadPool.processors))

  /// Who has a slot, and whom to ask for it.
  struct Holder: Sendable {
    /// When it last went to sleep, by ``now()``, or nil while it works.
    let asleepSince: @Sendable () -> Int?
    /// Asks it to leave; called at most once.
    let askToLeave: @Sendable () -> Void
  }

  private struct State {
    var next = 0
    var holders: [Int: (holder: Holder, isAsked: Bool)] = [:]
  }

  private let count: Int
  private let state = ProcessLock { State() }
  private let clock = Atomic<Int>(0)

  /// - Parameter count: Readers at a time.
  init(count: Int) { self.count = count }

  /// A number that grows.
  func now() -> Int { clock.add(1, ordering: .relaxed).newValue }

  /// Takes a slot.
  ///
  /// - Returns: Its number, or nil when there is none; then a reader that waits was asked to leave.
  func take(_ holder: Holder) -> Int? {
    let (slot, asked) = state.withLock { state -> (Int?, Holder?) in
      guard state.holders.count >= count else {
        state.next += 1
        state.holders[state.next] = (holder, false)
        return (state.next, nil)
      }
      // One that was asked is about to leave.
      guard !state.holders.values.contains(where: \.isAsked) else { return (nil, nil) }
      let waiting = state.holders.compactMap { slot, value in value.holder.asleepSince().map { (slot, $0) } }
      guard let slot = waiting.min(by: { $0.1 < $1.1 })?.0 else { return (nil, nil) }
      state.holders[slot]?.isAsked = true
      return (nil, state.holders[slot]?.holder)
    }
    asked?.askToLeave()
    return slot
  }

  /// Gives a slot back.
  func give(_ slot: Int) { state.withLock { _ = $0.holders.removeValue(forKey: slot) } }
}
