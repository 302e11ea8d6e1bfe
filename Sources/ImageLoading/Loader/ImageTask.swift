// SPDX-License-Identifier: Apache-2.0
#if Loading
  import Synchronization

  /// A picture that is being loaded.
  ///
  ///     let task = loader.task(for: request)
  ///     for try await event in task.events {
  ///       switch event {
  ///       case .progress(let progress): bar.value = progress.fraction
  ///       case .preview(let preview): show(preview.image)
  ///       case .finished(let loaded): show(loaded.image)
  ///       }
  ///     }
  ///
  /// The load goes on as long as the task, or a sequence of its events, is held; then it is given up.
  ///
  /// - Threads: May be used from any thread and task.
  public final class ImageTask: Sendable {
    /// What was asked for.
    public let request: ImageRequest
    /// The number of the load in its loader, as events have it.
    public let number: Int

    let box: LoadBox

    init(_ request: ImageRequest, number: Int, loader: ImageLoader) {
      self.request = request
      self.number = number
      box = LoadBox(request, number, loader.observers)
    }

    deinit { cancel() }

    /// How soon it is wanted. A change reaches work that waits at once.
    public var priority: LoadPriority {
      get { box.demand.priority }
      set { box.setPriority(newValue) }
    }

    /// Gives the load up: its waiters get the error `cancelled`. Work that nobody else waits for stops.
    public func cancel() { box.put(.outcome(.failure(.cancelled))) }

    /// The picture.
    ///
    /// Cancelling the task that waits here ends the waiting; the load goes on.
    ///
    /// - Throws: ``LoadingError``; with the code `cancelled` also when the waiting task is cancelled.
    public var image: ImageResponse {
      get async throws(LoadingError) {
        defer { withExtendedLifetime(self) {} }
        while true {
          switch await box.next(after: .max) {
          case .finished(let outcome): return try outcome.get()
          case .cancelled: throw .cancelled
          case .news: continue
          }
        }
      }
    }

    /// Whether the load has ended.
    public var isFinished: Bool { box.isFinished }

    /// What happens until the picture is there; it ends with ``ImageTask/Event/finished(_:)``, or throws.
    ///
    /// Progress and previews that were not taken in time are replaced by newer ones. Each sequence gets all events from the
    /// latest ones on.
    public var events: Events { Events(task: self) }

    /// The events of a load.
    public struct Events: AsyncSequence, Sendable {
      /// What happens.
      public typealias Element = Event
      /// Why there is no picture.
      public typealias Failure = LoadingError

      let task: ImageTask

      /// Begins with the latest events.
      public func makeAsyncIterator() -> Iterator { Iterator(task: task) }

      /// Where the loop is.
      public struct Iterator: AsyncIteratorProtocol {
        private let task: ImageTask
        private var seen = 0
        private var waiting: [Event] = []
        private var isOver = false

        init(task: ImageTask) { self.task = task }

        /// The next event, or nil after the last one.
        ///
        /// - Throws: Why there is no picture; `cancelled` when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(LoadingError) -> Event? {
          if !waiting.isEmpty { return waiting.removeFirst() }
          guard !isOver else { return nil }
          switch await task.box.next(after: seen) {
          case .finished(let outcome):
            isOver = true
            return .finished(try outcome.get())
          case .cancelled:
            isOver = true
            throw .cancelled
          case .news(let update, let number):
            seen = number
            if let progress = update.progress { waiting.append(.progress(progress)) }
            if let preview = update.preview { waiting.append(.preview(preview)) }
            return waiting.isEmpty ? try await next(isolation: actor) : waiting.removeFirst()
          }
        }

        /// The next event, or nil after the last one.
        ///
        /// - Throws: As the other form.
        public mutating func next() async throws(LoadingError) -> Event? { try await next(isolation: nil) }
      }
    }
  }
#endif
