// SPDX-License-Identifier: Apache-2.0
#if Loading
  import ImageCoderModel

  /// Work that goes on when nobody waits for it: writes to the disk, and validations of what was used while stale.
  ///
  /// Work with the same key is done one after the other.
  final class BackgroundTasks: Sendable {
    private struct State {
      var next = 0
      var running: [Int: Task<Void, Never>] = [:]
      /// The last piece of work of each key.
      var last: [String: (number: Int, task: Task<Void, Never>)] = [:]
    }

    private let state = Lock(State())

    var count: Int { state.withLock { $0.running.count } }

    /// Begins work after all that was begun with the same key.
    func run(_ key: String, _ body: @escaping @Sendable () async -> Void) {
      state.withLock { state in
        state.next += 1
        let number = state.next
        let earlier = state.last[key]?.task
        let task = Task(priority: .utility) {
          await earlier?.value
          await body()
          self.end(number, key)
        }
        state.running[number] = task
        state.last[key] = (number, task)
      }
    }

    /// Begins work unless some with the same key runs.
    ///
    /// - Returns: Whether it was begun.
    @discardableResult
    func runOnce(_ key: String, _ body: @escaping @Sendable () async -> Void) -> Bool {
      let isFree = state.withLock { $0.last[key] == nil }
      if isFree { run(key, body) }
      return isFree
    }

    private func end(_ number: Int, _ key: String) {
      state.withLock { state in
        state.running[number] = nil
        if state.last[key]?.number == number { state.last[key] = nil }
      }
    }

    /// Waits for all work with a key that was begun.
    func wait(for key: String) async { await state.withLock { $0.last[key]?.task }?.value }

    /// Waits until there is none.
    func wait() async {
      while let task = state.withLock({ $0.running.values.first }) { await task.value }
    }
  }
#endif
