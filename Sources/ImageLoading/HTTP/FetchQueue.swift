// SPDX-License-Identifier: Apache-2.0
#if Loading
  import ImageCoderModel

  /// Lets so many requests run at a time, to one host and in all.
  ///
  /// The highest priority is first, and among equals the one that came first. Who waits for a busy host does not hold up
  /// others. Who is passed by often rises, so that nobody waits for ever.
  final class FetchQueue: Sendable {
    /// One more priority for so many requests that were let in before it although they came later.
    static let passesPerPriority = 32

    private struct Waiter {
      let number: Int
      let host: String
      let priority: FetchPriority
      let continuation: CheckedContinuation<Bool, Never>
      var passes = 0

      var rank: Int {
        // A priority is any number that a caller likes.
        priority.value.addingReportingOverflow(passes / FetchQueue.passesPerPriority).partialValue
      }
    }

    private struct State {
      var running = 0
      var runningByHost: [String: Int] = [:]
      var next = 0
      /// In the order in which they came.
      var waiters: [Waiter] = []
    }

    private let total: Int
    private let perHost: Int
    private let state = Lock(State())

    /// - Parameters:
    ///   - total: Requests in all, at least 1.
    ///   - perHost: Requests to one host, at least 1.
    init(total: Int, perHost: Int) {
      self.total = max(1, total)
      self.perHost = max(1, perHost)
    }

    /// The right to run, given back when it is released.
    final class Slot: Sendable {
      private let queue: FetchQueue
      private let host: String

      fileprivate init(_ queue: FetchQueue, _ host: String) {
        self.queue = queue
        self.host = host
      }

      deinit { queue.leave(host) }
    }

    var waiterCount: Int { state.withLock { $0.waiters.count } }
    var runningCount: Int { state.withLock { $0.running } }

    /// Waits for its turn.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before.
    func enter(_ host: String, _ priority: FetchPriority) async throws -> Slot {
      let number = state.withLock { state in
        state.next &+= 1
        return state.next
      }
      let isIn = await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let answer = state.withLock { state -> Bool? in
            if Task.isCancelled { return false }
            if hasRoom(state, host) {
              start(&state, host)
              return true
            }
            state.waiters.append(
              Waiter(number: number, host: host, priority: priority, continuation: continuation))
            return nil
          }
          if let answer { continuation.resume(returning: answer) }
        }
      } onCancel: {
        let waiter = state.withLock { state -> Waiter? in
          state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
        }
        waiter?.continuation.resume(returning: false)
      }
      guard isIn else { throw CancellationError() }
      return Slot(self, host)
    }

    private func hasRoom(_ state: State, _ host: String) -> Bool {
      state.running < total && state.runningByHost[host, default: 0] < perHost
    }

    private func start(_ state: inout State, _ host: String) {
      state.running += 1
      state.runningByHost[host, default: 0] += 1
    }

    private func leave(_ host: String) {
      let woken = state.withLock { state -> [Waiter] in
        state.running -= 1
        let left = state.runningByHost[host, default: 1] - 1
        state.runningByHost[host] = left > 0 ? left : nil
        var woken: [Waiter] = []
        while let waiter = takeBest(&state) { woken.append(waiter) }
        return woken
      }
      for waiter in woken { waiter.continuation.resume(returning: true) }
    }

    private func takeBest(_ state: inout State) -> Waiter? {
      var best: Int?
      var rank = Int.min
      for (index, waiter) in state.waiters.enumerated() where hasRoom(state, waiter.host) {
        // A priority may change while they are compared: each is asked once.
        let its = waiter.rank
        if best == nil || its > rank { (best, rank) = (index, its) }
      }
      guard let best else { return nil }
      for index in 0..<best { state.waiters[index].passes += 1 }
      let waiter = state.waiters.remove(at: best)
      start(&state, waiter.host)
      return waiter
    }
  }
#endif
