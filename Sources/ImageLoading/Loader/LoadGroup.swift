// SPDX-License-Identifier: Apache-2.0
#if Loading
  import ImageCoderModel

  /// Loads that are cancelled together, such as those of a page.
  ///
  /// - Threads: May be used from any thread and task.
  public final class LoadGroup: Sendable {
    private struct Member: Sendable {
      weak let task: ImageTask?
    }

    private struct State {
      var members: [Int: Member] = [:]
      var isCancelled = false
    }

    private let loader: ImageLoader
    private let state = Lock(State())

    /// Makes an empty group.
    public init(_ loader: ImageLoader) { self.loader = loader }

    /// Begins to load a picture as a part of the group. In a group that was cancelled, it is cancelled at once.
    public func task(for request: ImageRequest) -> ImageTask {
      let task = loader.task(for: request)
      let isCancelled = state.withLock { state in
        state.members = state.members.filter { $0.value.task?.isFinished == false }
        state.members[task.number] = Member(task: task)
        return state.isCancelled
      }
      if isCancelled { task.cancel() }
      return task
    }

    /// Loads that have not ended.
    public var count: Int { tasks.count { !$0.isFinished } }

    /// Changes the priority of all loads that have not ended.
    public func setPriority(_ priority: LoadPriority) {
      for task in tasks { task.priority = priority }
    }

    /// Cancels all loads, and those that are still to come.
    public func cancel() {
      state.withLock { $0.isCancelled = true }
      for task in tasks { task.cancel() }
    }

    private var tasks: [ImageTask] { state.withLock { $0.members.values.compactMap(\.task) } }
  }
#endif
