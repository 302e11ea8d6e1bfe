// SPDX-License-Identifier: Apache-2.0
#if Loading
  import ImageCoderModel

  /// Lets so many downloads run at a time: those of the highest priority first, and among equals the one that came first.
  /// The order follows priorities that change while a download waits.
  final class FetchGate: Sendable {
    private struct Waiter {
      let number: Int
      let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
      var free: Int
      var next = 0
      /// In the order in which they came.
      var waiters: [Waiter] = []
      /// The priorities of all places that have not been left.
      var priorities: [Int: LoadPriority] = [:]

      func priority(_ waiter: Waiter) -> LoadPriority { priorities[waiter.number] ?? .lowest }
    }

    private let state: Lock<State>

    /// - Parameter width: Downloads at a time.
    init(width: Int) { state = Lock(State(free: max(1, width))) }

    /// Downloads that wait.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// A place in the gate, or in the line before it.
    final class Place: Sendable {
      private let gate: FetchGate
      private let number: Int
      private let isInside = Lock(false)

      fileprivate init(_ gate: FetchGate, _ number: Int) {
        self.gate = gate
        self.number = number
      }

      deinit {
        leave()
        gate.forget(number)
      }

      /// Waits for its turn.
      ///
      /// - Throws: ``LoadingError/Code/cancelled`` when the task is cancelled before.
      func enter() async throws(LoadingError) {
        guard await gate.enter(number) else { throw .cancelled }
        isInside.withLock { $0 = true }
      }

      /// Enters if there is room now.
      func enterAtOnce() -> Bool {
        let isIn = gate.enterAtOnce()
        if isIn { isInside.withLock { $0 = true } }
        return isIn
      }

      /// Moves it in the line.
      func setPriority(_ priority: LoadPriority) { gate.move(number, to: priority) }

      /// Lets the next one in.
      func leave() {
        let wasInside = isInside.withLock { isInside in
          defer { isInside = false }
          return isInside
        }
        if wasInside { gate.letNextIn() }
      }
    }

    /// Takes a place, which has to be entered.
    func place(_ priority: LoadPriority) -> Place {
      let number = state.withLock { state in
        state.next += 1
        state.priorities[state.next] = priority
        return state.next
      }
      return Place(self, number)
    }

    private func enter(_ number: Int) async -> Bool {
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let answer = state.withLock { state -> Bool? in
            if Task.isCancelled { return false }
            if state.free > 0 {
              state.free -= 1
              return true
            }
            state.waiters.append(Waiter(number: number, continuation: continuation))
            return nil
          }
          if let answer { continuation.resume(returning: answer) }
        }
      } onCancel: {
        state.withLock { state -> CheckedContinuation<Bool, Never>? in
          guard let index = state.waiters.firstIndex(where: { $0.number == number }) else { return nil }
          return state.waiters.remove(at: index).continuation
        }?.resume(returning: false)
      }
    }

    private func enterAtOnce() -> Bool {
      state.withLock { state in
        guard state.free > 0 else { return false }
        state.free -= 1
        return true
      }
    }

    private func move(_ number: Int, to priority: LoadPriority) {
      state.withLock { $0.priorities[number] = priority }
    }

    private func forget(_ number: Int) { state.withLock { _ = $0.priorities.removeValue(forKey: number) } }

    private func letNextIn() {
      state.withLock { state -> CheckedContinuation<Bool, Never>? in
        // The first of the highest priority.
        guard let best = state.waiters.map(state.priority).max(),
          let index = state.waiters.firstIndex(where: { state.priority($0) == best })
        else {
          state.free += 1
          return nil
        }
        return state.waiters.remove(at: index).continuation
      }?.resume(returning: true)
    }
  }
#endif
