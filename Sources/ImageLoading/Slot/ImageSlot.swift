// SPDX-License-Identifier: Apache-2.0
#if Loading
  import ImageCoderModel

  /// A place that shows one picture at a time: a view, a cell of a list, a texture.
  ///
  ///     let slot = ImageSlot(loader)
  ///     try await slot.load(request) { event in
  ///       if case .finished(let loaded) = event { view.image = loaded.image }
  ///     }
  ///
  /// Each request has a number, and only the newest may show anything: beginning another one, or clearing the slot, cancels
  /// what was loaded before, and what of it still comes is dropped.
  ///
  /// - Threads: May be used from any thread, task and actor. Events are shown in the isolation of the caller. If all calls
  ///   come from one actor, nothing of an earlier request is shown once a later one has begun there; ``image`` holds that
  ///   promise for all threads.
  public final class ImageSlot: Sendable {
    private struct State {
      /// The number of the newest request.
      var number = 0
      var task: ImageTask?
      var image: ImageResponse?
    }

    private let loader: ImageLoader
    private let state = Lock(State())

    /// Makes a place that shows nothing.
    public init(_ loader: ImageLoader) { self.loader = loader }

    deinit { state.withLock { $0.task }?.cancel() }

    /// The picture of the newest request, once it is there; before that, nil.
    public var image: ImageResponse? { state.withLock { $0.image } }

    /// The number of the newest request; it grows with each, and with ``clear()``.
    public var generation: Int { state.withLock { $0.number } }

    /// How soon the picture is wanted that is being loaded.
    public func setPriority(_ priority: LoadPriority) { state.withLock { $0.task }?.priority = priority }

    /// Loads a picture in place of the one before.
    ///
    /// - Parameter show: Called with what happens, as long as no later request has begun.
    /// - Returns: The picture, or nil if a later request, or ``clear()``, has come before it.
    /// - Throws: ``LoadingError``, if this is still the newest request; `cancelled` if the calling task is cancelled.
    @discardableResult
    public func load(
      _ request: ImageRequest, isolation actor: isolated (any Actor)? = #isolation,
      _ show: (ImageTask.Event) -> Void = { _ in }
    ) async throws(LoadingError) -> ImageResponse? {
      let (task, number) = begin(request)
      var events = task.events.makeAsyncIterator()
      do throws(LoadingError) {
        while let event = try await events.next(isolation: actor) {
          guard accept(event, number) else { return nil }
          show(event)
          if case .finished(let loaded) = event { return loaded }
        }
        return nil
      } catch {
        guard end(number) else { return nil }
        throw error
      }
    }

    /// Cancels what is loaded, and forgets the picture.
    public func clear() {
      let old = state.withLock { state in
        defer { state = State(number: state.number + 1) }
        return state.task
      }
      old?.cancel()
    }

    private func begin(_ request: ImageRequest) -> (ImageTask, Int) {
      let number = state.withLock { state in
        state.number += 1
        return state.number
      }
      let task = loader.task(for: request)
      // What another thread has begun meanwhile is newer.
      let old = state.withLock { state in
        guard state.number == number else { return task as ImageTask? }
        defer { (state.task, state.image) = (task, nil) }
        return state.task
      }
      old?.cancel()
      return (task, number)
    }

    /// Takes an event of a request, if it is the newest.
    private func accept(_ event: ImageTask.Event, _ number: Int) -> Bool {
      state.withLock { state in
        guard state.number == number else { return false }
        if case .finished(let loaded) = event { (state.image, state.task) = (loaded, nil) }
        return true
      }
    }

    /// Whether the request that has failed is the newest.
    private func end(_ number: Int) -> Bool {
      state.withLock { state in
        guard state.number == number else { return false }
        state.task = nil
        return true
      }
    }
  }
#endif
