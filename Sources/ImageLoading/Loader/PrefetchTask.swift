// SPDX-License-Identifier: Apache-2.0
#if Loading
  import ImageCoderModel

  /// Pictures that are loaded before somebody wants them.
  ///
  /// - Threads: May be used from any thread and task.
  public final class PrefetchTask: Sendable {
    /// How far pictures are loaded.
    public enum Depth: Sendable, Hashable {
      /// Their bytes, to the cache on disk.
      case bytes
      /// Decoded and processed, to all caches that the requests name.
      case pictures
    }

    /// What has become of the requests.
    public struct Counts: Sendable, Hashable {
      /// Those whose pictures or bytes are there.
      public var loaded = 0
      /// Those that ended with an error.
      public var failed = 0
      /// Those that were given up.
      public var cancelled = 0
    }

    private struct State {
      var waiting: [ImageRequest]
      var priority: LoadPriority
      var running: [Int: ImageTask] = [:]
      var counts = Counts()
      var isCancelled = false
    }

    private let state: Lock<State>
    private let work = Lock<Task<Void, Never>?>(nil)

    init(
      _ requests: [ImageRequest], _ loader: ImageLoader, concurrency: Int, priority: LoadPriority, depth: Depth
    ) {
      // Those to come are taken from the end.
      state = Lock(State(waiting: requests.reversed(), priority: priority))
      let width = max(1, min(concurrency, requests.count))
      let task = Task(priority: priority.ofTasks) { [weak self] in
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<width {
            group.addTask {
              while await self?.loadNext(loader, depth) == true {}
            }
          }
        }
      }
      work.withLock { $0 = task }
    }

    /// Loads the next request.
    ///
    /// - Returns: False if there is none.
    private func loadNext(_ loader: ImageLoader, _ depth: Depth) async -> Bool {
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
      let result: LoadingError?
      do throws(LoadingError) {
        _ = try await task.image
        result = nil
      } catch {
        result = error
      }
      state.withLock { _ = $0.running.removeValue(forKey: task.number) }
      count(result)
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

    /// Requests that have ended so far.
    public var counts: Counts { state.withLock { $0.counts } }

    /// How soon the pictures are wanted that have not come.
    public var priority: LoadPriority {
      get { state.withLock { $0.priority } }
      set {
        let running = state.withLock { state in
          state.priority = newValue
          return Array(state.running.values)
        }
        for task in running { task.priority = newValue }
      }
    }

    /// Gives up what has not come.
    public func cancel() {
      let running = state.withLock { state in
        state.isCancelled = true
        state.counts.cancelled += state.waiting.count
        state.waiting = []
        return Array(state.running.values)
      }
      for task in running { task.cancel() }
      work.withLock { $0 }?.cancel()
    }

    /// Waits until all requests have ended.
    public func finished() async -> Counts {
      await work.withLock { $0 }?.value
      return counts
    }

    deinit { cancel() }
  }

  extension ImageLoader {
    /// Loads many pictures before somebody wants them, a few at a time and after all others.
    ///
    /// - Parameters:
    ///   - concurrency: Requests at a time.
    ///   - depth: Whether only bytes are loaded.
    /// - Returns: What gives the rest up when it is released.
    public func prefetch(
      _ requests: [ImageRequest], concurrency: Int = 4, priority: LoadPriority = .lowest,
      depth: PrefetchTask.Depth = .pictures
    ) -> PrefetchTask {
      PrefetchTask(requests, self, concurrency: concurrency, priority: priority, depth: depth)
    }

    /// Loads the bytes of a request to the disk.
    ///
    /// - Returns: Why they have not come, or nil.
    func prefetchBytes(_ request: ImageRequest) async -> LoadingError? {
      do throws(LoadingError) {
        let request = try await resolved(request, load: newLoadNumber())
        guard request.isRemote else { return nil }
        let inbox = Inbox<BytesUpdate, LoadedBytes> { $1 }
        let demand = Demand(priority: request.request.priority, stores: request.policy.stores)
        let membership = joinBytes(request, demand) { inbox.put($0) }
        defer { membership.leave() }
        while true {
          if case .outcome(let outcome) = await inbox.next() {
            _ = try outcome.get()
            return nil
          }
        }
      } catch {
        return error
      }
    }
  }
#endif
