// SPDX-License-Identifier: Apache-2.0
#if Loading
  import ImageCoderModel

  /// What a load has so far, for all who wait for it, and its place among the members of the work.
  final class LoadBox: Sendable {
    /// What is new.
    enum News: Sendable {
      case news(StageUpdate, Int)
      case finished(Result<ImageResponse, LoadingError>)
      /// The task that waits was cancelled.
      case cancelled
    }

    fileprivate struct State {
      var demand: Demand
      /// The version of the demand.
      var version = 0
      /// The number of the updates.
      var number = 0
      var progress: (value: ImageTask.Progress, number: Int)?
      var preview: (value: ImageTask.Preview, number: Int)?
      var outcome: Result<ImageResponse, LoadingError>?
      var membership: SharedWork<PictureKey, StageUpdate, Picture>.Membership?
      var preparation: Task<Void, Never>?
      var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
      var nextWaiter = 0

      func news(after seen: Int) -> News? {
        if let outcome { return .finished(outcome) }
        guard number > seen else { return nil }
        let update = StageUpdate(
          progress: progress.flatMap { $0.number > seen ? $0.value : nil },
          preview: preview.flatMap { $0.number > seen ? $0.value : nil })
        return .news(update, number)
      }
    }

    private let state: Lock<State>
    let name: String
    private let number: Int
    private let observers: LoadObservers
    /// Where the loader finds it.
    let place = LiveLoads.Place()

    init(_ request: ImageRequest, _ number: Int, _ observers: LoadObservers) {
      name = request.name
      self.number = number
      self.observers = observers
      state = Lock(
        State(
          demand: Demand(
            priority: request.priority, wantsPreviews: request.wantsPreviews, stores: request.cachePolicy.stores)))
    }

    var demand: Demand { state.withLock { $0.demand } }
    var isFinished: Bool { outcome != nil }
    /// How the load has ended.
    var outcome: Result<ImageResponse, LoadingError>? { state.withLock { $0.outcome } }

    func setPriority(_ priority: LoadPriority) {
      let change = state.withLock { state -> (SharedWork<PictureKey, StageUpdate, Picture>.Membership?, Demand, Int) in
        state.demand.priority = priority
        state.version += 1
        return (state.membership, state.demand, state.version)
      }
      change.0?.update(change.1, version: change.2)
    }

    /// Runs what has to be done before the work is known.
    func prepare(_ body: @escaping @Sendable () async -> Void) {
      let task = Task(priority: demand.priority.ofTasks) { await body() }
      let isOver = state.withLock { state in
        state.preparation = task
        return state.outcome != nil
      }
      if isOver { task.cancel() }
    }

    /// Takes the place among the members of the work. It is left at once if the load has ended meanwhile.
    func follow(_ membership: SharedWork<PictureKey, StageUpdate, Picture>.Membership) {
      let (isOver, demand, version) = state.withLock { state -> (Bool, Demand, Int) in
        if state.outcome == nil { state.membership = membership }
        return (state.outcome != nil, state.demand, state.version)
      }
      // The priority may have been changed before there was a membership to tell.
      if isOver { membership.leave() } else { membership.update(demand, version: version) }
    }

    /// Takes what the work tells. After the outcome, nothing is taken any more.
    func put(_ signal: Inbox<StageUpdate, Picture>.Signal) {
      switch signal {
      case .update(let update):
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
          guard state.outcome == nil else { return [] }
          state.number += 1
          if let progress = update.progress { state.progress = (progress, state.number) }
          if let preview = update.preview { state.preview = (preview, state.number) }
          return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
      case .outcome(let outcome): end(outcome.map(\.loaded))
      }
    }

    private func end(_ outcome: Result<ImageResponse, LoadingError>) {
      let ended = state.withLock { state -> State? in
        guard state.outcome == nil else { return nil }
        let before = state
        state.outcome = outcome
        (state.membership, state.preparation, state.preview, state.waiters) = (nil, nil, nil, [:])
        return before
      }
      guard let ended else { return }
      place.leave()
      ended.membership?.leave()
      ended.preparation?.cancel()
      switch outcome {
      case .success(let loaded):
        observers.note(.finished(load: number, name: name, loaded.origin, isStale: loaded.isStale))
      case .failure(let error): observers.note(.failed(load: number, name: name, error))
      }
      for waiter in ended.waiters.values { waiter.resume() }
    }

    /// Waits for what is newer than what was seen.
    func next(after seen: Int) async -> News {
      let number = state.withLock { state in
        state.nextWaiter += 1
        return state.nextWaiter
      }
      while true {
        if let news = state.withLock({ $0.news(after: seen) }) { return news }
        if Task.isCancelled { return .cancelled }
        await withTaskCancellationHandler {
          await withCheckedContinuation { waiter in
            let waits = state.withLock { state in
              guard state.news(after: seen) == nil, !Task.isCancelled else { return false }
              state.waiters[number] = waiter
              return true
            }
            if !waits { waiter.resume() }
          }
        } onCancel: {
          state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
      }
    }
  }

  extension LoadBox.State {
    fileprivate mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
      defer { waiters = [:] }
      return Array(waiters.values)
    }
  }
#endif
