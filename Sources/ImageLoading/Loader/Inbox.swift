// SPDX-License-Identifier: Apache-2.0
#if Loading
  import ImageCoderModel

  /// What a piece of work tells one who waits for it: the newest update, and the outcome.
  ///
  /// An update that was not taken is replaced by the next one, so a slow reader holds no more than one. After the outcome
  /// there are no updates.
  final class Inbox<Update: Sendable, Value: Sendable>: Sendable {
    /// What is next.
    enum Signal: Sendable {
      case update(Update)
      case outcome(Result<Value, LoadingError>)
    }

    private struct State {
      var update: Update?
      var outcome: Result<Value, LoadingError>?
      var isCancelled = false
      var waiter: CheckedContinuation<Void, Never>?

      var isReady: Bool { update != nil || outcome != nil || isCancelled }

      mutating func takeWaiter() -> CheckedContinuation<Void, Never>? {
        defer { waiter = nil }
        return waiter
      }
    }

    private let state = Lock(State())
    private let merge: @Sendable (Update?, Update) -> Update

    /// - Parameter merge: Makes one update of one that was not taken and the next one.
    init(merging merge: @escaping @Sendable (Update?, Update) -> Update) { self.merge = merge }

    func put(_ signal: Signal) {
      let waiter = state.withLock { state in
        switch signal {
        case .update(let update): state.update = merge(state.update, update)
        case .outcome(let outcome): state.outcome = state.outcome ?? outcome
        }
        return state.takeWaiter()
      }
      waiter?.resume()
    }

    /// The next signal; a failure with the code `cancelled` when the task is cancelled. One task at a time waits.
    func next() async -> Signal {
      while true {
        if let signal = take() { return signal }
        await withTaskCancellationHandler {
          await withCheckedContinuation { waiter in
            let isReady = state.withLock { state in
              if !state.isReady { state.waiter = waiter }
              return state.isReady
            }
            if isReady { waiter.resume() }
          }
        } onCancel: {
          state.withLock { state in
            state.isCancelled = true
            return state.takeWaiter()
          }?.resume()
        }
      }
    }

    private func take() -> Signal? {
      state.withLock { state in
        if let outcome = state.outcome { return .outcome(outcome) }
        if state.isCancelled { return .outcome(.failure(.cancelled)) }
        defer { state.update = nil }
        return state.update.map { .update($0) }
      }
    }
  }

  extension LoadingError {
    /// The last waiter has left.
    static let cancelled = LoadingError(.cancelled, "the load was cancelled")
  }
#endif
