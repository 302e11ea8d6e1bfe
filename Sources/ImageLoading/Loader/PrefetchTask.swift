// SPDX-License-Identifier: Apache-2.0
#if Loading
  import Synchronization

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

      /// Makes counts, of nothing by default.
      public init(loaded: Int = 0, failed: Int = 0, cancelled: Int = 0) {
        self.loaded = loaded
        self.failed = failed
        self.cancelled = cancelled
      }
    }

    private let work: PrefetchWork
    private let task: Task<Void, Never>

    init(
      _ requests: [ImageRequest], _ loader: ImageLoader, concurrency: Int, priority: LoadPriority, depth: Depth
    ) {
      let work = PrefetchWork(requests, priority)
      let width = max(1, min(concurrency, requests.count))
      // What loads does not hold this, so that releasing it ends them.
      task = Task(priority: priority.ofTasks) {
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<width { group.addTask { while await work.loadNext(loader, depth) {} } }
        }
        work.place.leave()
      }
      self.work = work
      loader.live.add(work.place) { [task] in
        work.cancel()
        task.cancel()
      }
    }

    deinit { cancel() }

    /// Requests that have ended so far.
    public var counts: Counts { work.counts }

    /// How soon the pictures are wanted that have not come.
    public var priority: LoadPriority {
      get { work.priority }
      set { work.priority = newValue }
    }

    /// Gives up what has not come.
    public func cancel() {
      work.cancel()
      task.cancel()
    }

    /// Waits until all requests have ended.
    public func finished() async -> Counts {
      await task.value
      return counts
    }
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
        if request.isRemote { _ = try await bytesFromServer(request) }
        return nil
      } catch {
        return error
      }
    }
  }
#endif
