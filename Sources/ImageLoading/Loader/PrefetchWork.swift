// SPDX-License-Identifier: Apache-2.0
#if Loading
  import ImageCoderModel

  /// The requests of a ``PrefetchTask``, and what has become of them. Its workers hold it, and not the task.
  final class PrefetchWork: Sendable {
    private struct State {
      var waiting: [ImageRequest]
      var priority: LoadPriority
      var running: [Int: ImageTask] = [:]
      var counts = PrefetchTask.Counts()
      var isCancelled = false
    }

    private let state: Lock<State>
    /// Where the loader finds it.
    let place = LiveLoads.Place()

    init(_ requests: [ImageRequest], _ priority: LoadPriority) {
      // Those to come are taken from the end.
      state = Lock(State(waiting: requests.reversed(), priority: priority))
    }

    /// Loads the next request.
    ///
    /// - Returns: False if there is none.
    func loadNext(_ loader: ImageLoader, _ depth: PrefetchTask.Depth) async -> Bool {
      let next = state.withLock { state -> ImageRequest? in
        guard var request = state.waiting.popLast() else { return nil }
        request.priority = state.priority
        return request
      }
      guard let next else { return false }
      if depth == .bytes {
        count(await loader.prefetchBytes(next))
        return true
      }
      let task = loader.task(for: next)
      let (isCancelled, priority) = state.withLock { state in
        state.running[task.number] = task
        return (state.isCancelled, state.priority)
      }
      if isCancelled { task.cancel() } else if priority != next.priority { task.priority = priority }
      var failure: LoadingError?
      do throws(LoadingError) { _ = try await task.image } catch { failure = error }
      state.withLock { _ = $0.running.removeValue(forKey: task.number) }
      count(failure)
      return true
    }

    private func count(_ error: LoadingError?) {
      state.withLock { state in
        switch error?.code {
        case nil: state.counts.loaded += 1
        case .cancelled?: state.counts.cancelled += 1
        default: state.counts.failed += 1
        }
      }
    }

    var counts: PrefetchTask.Counts { state.withLock { $0.counts } }

    var priority: LoadPriority {
      get { state.withLock { $0.priority } }
      set {
        let running = state.withLock { state in
          state.priority = newValue
          return Array(state.running.values)
        }
        for task in running { task.priority = newValue }
      }
    }

    func cancel() {
      let running = state.withLock { state in
        state.isCancelled = true
        state.counts.cancelled += state.waiting.count
        state.waiting = []
        return Array(state.running.values)
      }
      for task in running { task.cancel() }
    }
  }
#endif
