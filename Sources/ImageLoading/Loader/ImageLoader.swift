// SPDX-License-Identifier: Apache-2.0
#if Loading
  public import ImageCaching
  public import ImageCoders
  import ImageCoderEngine
  import ImageCoderModel
  import Synchronization

  /// Loads pictures from URLs: from memory, from the disk, or from a server, each once for all who want it.
  ///
  ///     let loader = ImageLoader(fetcher: fetcher, registry: registry, disk: try DiskCache(folder: folder))
  ///     let loaded = try await loader.image(for: ImageRequest(url, thumbnail: Size(width: 320, height: 0)))
  ///     show(loaded.pixels)
  ///
  /// Work has three stages: bytes, decoded, processed. At each one, those who want the same share it; it belongs to all of
  /// them, has the highest of their priorities, and stops when the last one leaves.
  ///
  /// - Threads: May be used from any thread and task.
  public final class ImageLoader: Sendable {
    /// The coders that decode.
    public let registry: CoderRegistry
    /// How it works.
    public let options: Options

    let fetcher: any Fetching
    let pictures: PictureMemory
    let disk: (any BodyStore)?
    let rules = CacheRules()
    let observers: LoadObservers

    let bytesWork = SharedWork<BytesKey, BytesUpdate, LoadedBytes>()
    let pictureWork = SharedWork<PictureKey, StageUpdate, Picture>(merging: StageUpdate.merge)

    let gate: FetchGate
    /// Those that hold a body of the disk until it is decoded.
    let readers: FetchGate
    let writers = FetchGate(width: 4)
    let previewers: FetchGate
    let bodyMemory: BodyMemory
    let generations = Generations()
    let partials: PartialBodies
    let failures: FailedURLs
    let background = BackgroundTasks()
    let live = LiveLoads()
    private let loads = Atomic<Int>(0)

    /// Makes a loader.
    ///
    /// - Parameters:
    ///   - fetcher: Gets bytes from servers.
    ///   - registry: The coders that decode.
    ///   - disk: The cache for the bytes of files, or nil for none.
    public convenience init(
      fetcher: any Fetching, registry: CoderRegistry = .standard, disk: DiskCache? = nil,
      options: Options = Options()
    ) {
      let memory = options.memory.map { limits in
        CachedPictures(cache: MemoryCache(options: limits, arbiter: options.arbiter))
      }
      self.init(
        fetcher: fetcher, registry: registry, pictures: memory, bodies: disk.map { DiskBodies(cache: $0) },
        options: options)
    }

    init(
      fetcher: any Fetching, registry: CoderRegistry, pictures: (any PictureStore)?, bodies: (any BodyStore)?,
      options: Options
    ) {
      self.fetcher = fetcher
      self.registry = registry
      self.options = options
      self.pictures = PictureMemory(pictures, rules)
      disk = bodies
      observers = LoadObservers(all: options.observers)
      gate = FetchGate(width: options.maxFetches)
      readers = FetchGate(width: 16)
      previewers = FetchGate(width: options.maxPreviewed)
      bodyMemory = BodyMemory(limit: options.bodyMemory)
      partials = PartialBodies(limit: options.partialMemory)
      failures = FailedURLs(lifetime: options.failureLifetime)
    }

    // MARK: Loading

    /// Loads a picture. Cancelling the task gives it up; work that nobody else waits for stops.
    ///
    /// - Throws: ``LoadingError``.
    public func image(for request: ImageRequest) async throws(LoadingError) -> ImageResponse {
      let task = task(for: request)
      let outcome: Result<ImageResponse, LoadingError> = await withTaskCancellationHandler {
        do throws(LoadingError) { return .success(try await task.image) } catch { return .failure(error) }
      } onCancel: {
        task.cancel()
      }
      return try outcome.get()
    }

    /// Begins to load a picture.
    ///
    /// - Returns: The load, which goes on as long as somebody holds it.
    public func task(for request: ImageRequest) -> ImageTask {
      let load = newLoadNumber()
      let task = ImageTask(request, number: load, loader: self)
      observers.note(.began(load: load, name: request.name))
      begin(task)
      live.add(task.box)
      return task
    }

    func newLoadNumber() -> Int { loads.add(1, ordering: .relaxed).newValue }

    private func begin(_ task: ImageTask) {
      let (request, box, number) = (task.request, task.box, task.number)
      guard options.authorize != nil else {
        let resolved = Result { () throws(LoadingError) in
          try ResolvedRequest(request, nil, load: number, options: options, registry: registry)
        }
        return begin(box, number, resolved)
      }
      box.prepare { [weak self] in
        guard let self else { return box.put(.outcome(.failure(.cancelled))) }
        let resolved: Result<ResolvedRequest, LoadingError>
        do throws(LoadingError) {
          resolved = .success(try await self.resolved(request, load: number))
        } catch {
          resolved = .failure(error)
        }
        begin(box, number, resolved)
      }
    }

    private func begin(_ box: LoadBox, _ load: Int, _ resolved: Result<ResolvedRequest, LoadingError>) {
      do throws(LoadingError) {
        let request = try resolved.get()
        guard !box.isFinished else { return }
        if let picture = pictureInMemory(request) { return box.put(.outcome(.success(picture))) }
        try checkFailures(request)
        let (membership, work) = join(request, request.operations.count, box.demand) { box.put($0) }
        observers.note(.joined(work: work, load: load))
        box.follow(membership)
      } catch {
        box.put(.outcome(.failure(error.about(box.name))))
      }
    }

    /// - Throws: ``LoadingError/Code/failedBefore``.
    func checkFailures(_ request: ResolvedRequest) throws(LoadingError) {
      guard request.policy.lookup != .reload, request.policy.lookup != .only, !request.request.retriesFailed,
        let earlier = failures.failure(request.identity, at: options.now())
      else { return }
      throw LoadingError(
        .failedBefore, "failed before: \(earlier.message)", url: request.name, status: earlier.status,
        cause: earlier.cause)
    }

    /// Becomes one of those who wait for the picture after the first `count` operations.
    func join(
      _ request: ResolvedRequest, _ count: Int, _ demand: Demand,
      receive: @escaping SharedWork<PictureKey, StageUpdate, Picture>.Receiver
    ) -> (SharedWork<PictureKey, StageUpdate, Picture>.Membership, work: Int) {
      let membership = pictureWork.join(request.pictureKey(count), demand, receive: receive) {
        [self] (running) throws(LoadingError) in
        try await count > 0 ? process(request, count, running) : decode(request, running)
      }
      return (membership, membership.entryNumber)
    }

    /// Gives up all loads that run, prefetches and animations among them: who waits for one gets the error `cancelled`. What
    /// is asked for from now on is loaded.
    public func cancelAll() {
      live.cancelAll()
      pictureWork.cancelAll()
      bytesWork.cancelAll()
    }

    // MARK: What is kept

    /// Waits until everything is written that is to be kept, and background validations are done.
    public func flush() async { await background.wait() }

    /// Forgets a source in memory, on disk, and among those that failed. Downloads of it that run are not kept.
    ///
    /// - Parameter request: Its URL, headers and authorization name the source; size and operations do not matter.
    public func remove(_ request: ImageRequest) async throws(LoadingError) {
      let request = try await resolved(request, load: 0)
      let key = request.diskKey
      generations.invalidate { $0 == key || $0.hasPrefix(key + "\n") }
      pictures.remove { $0 == key || $0.hasPrefix(key + "\n") }
      partials.remove(key)
      failures.remove(request.identity)
      await removeFromDisk(request)
    }

    /// Forgets everything. Downloads that run are not kept.
    ///
    /// - Parameter caches: The caches that are emptied.
    public func removeAll(from caches: CachePolicy.Caches = .all) async {
      generations.invalidateAll()
      failures.remove(nil)
      if caches.contains(.memory) { pictures.removeAll() }
      guard caches.contains(.disk) else { return }
      partials.remove(nil)
      await disk?.removeAll()
    }

    /// What runs now; all zero when nothing does.
    public var activity: Activity {
      Activity(
        downloads: bytesWork.count, pictures: pictureWork.count, waiting: gate.waiterCount,
        bytesInMemory: bodyMemory.used)
    }

    /// What a loader does at a moment.
    public struct Activity: Sendable, Hashable {
      /// Sources whose bytes are loaded, or are needed.
      public var downloads: Int
      /// Pictures that are decoded or processed, or are waited for.
      public var pictures: Int
      /// Downloads that wait for others to end.
      public var waiting: Int
      /// Bytes of files in memory.
      public var bytesInMemory: Int

      /// Makes one of its members.
      public init(downloads: Int = 0, pictures: Int = 0, waiting: Int = 0, bytesInMemory: Int = 0) {
        self.downloads = downloads
        self.pictures = pictures
        self.waiting = waiting
        self.bytesInMemory = bytesInMemory
      }
    }
  }
#endif
