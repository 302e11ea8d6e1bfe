// SPDX-License-Identifier: Apache-2.0
#if Loading
  public import ImageAnimation
  import ImageCoderEngine
  import ImageCoderModel
  import ImageCoders

  /// An animation that can be played while its bytes arrive.
  ///
  ///     let loading = loader.animation(for: "https://example.org/party.gif")
  ///     for await shown in Playback(loading.frames) { show(shown.frame.pixels) }
  ///
  /// The bytes are shared with all other loads of the same source. Loading goes on as long as this is held.
  ///
  /// - Threads: May be used from any thread and task.
  public final class AnimationTask: Sendable {
    /// The frames whose every row has come: a source for a `Playback`.
    public let frames: StreamingAnimation
    private let task: Task<Result<Void, LoadingError>, Never>

    init(
      _ frames: StreamingAnimation, among live: LiveLoads,
      _ load: @escaping @Sendable () async throws(LoadingError) -> Void
    ) {
      self.frames = frames
      let place = LiveLoads.Place()
      let task = Task { () -> Result<Void, LoadingError> in
        defer { place.leave() }
        do throws(LoadingError) { return .success(try await load()) } catch { return .failure(error) }
      }
      live.add(place) { task.cancel() }
      self.task = task
    }

    deinit { task.cancel() }

    /// Gives the load up. The frames that have come stay.
    public func cancel() { task.cancel() }

    /// Waits until all frames are there.
    ///
    /// - Throws: ``LoadingError``; the frames that have come stay.
    public func finished() async throws(LoadingError) { try await task.value.get() }
  }

  extension ImageLoader {
    /// Begins to load an animation, of which frames can be shown before all bytes are there.
    ///
    /// - Parameters:
    ///   - request: Its pipeline is not applied, and it is not looked for among decoded pictures.
    ///   - delays: What is done with short delays.
    ///   - loopCount: Overrides what the file states, or nil.
    public func animation(
      for request: ImageRequest, delays: DelayPolicy = .browser, loopCount: LoopCount? = nil
    ) -> AnimationTask {
      let load = newLoadNumber()
      observers.note(.began(load: load, name: request.name))
      let frames = StreamingAnimation(
        options: request.decodeOptions(options), delays: delays, loopCount: loopCount, registry: registry)
      return AnimationTask(frames, among: live) { [self] () throws(LoadingError) in
        do throws(LoadingError) {
          let resolved = try await resolved(request, load: load)
          let origin = try await feed(frames, resolved)
          observers.note(.finished(load: load, name: request.name, origin, isStale: false))
        } catch {
          await FrameFeed(frames).end()
          observers.note(.failed(load: load, name: request.name, error))
          throw error
        }
      }
    }

    /// Gives the bytes of a source to an animation as they come.
    private func feed(
      _ frames: StreamingAnimation, _ request: ResolvedRequest
    ) async throws(LoadingError) -> ImageResponse.Origin {
      let feed = FrameFeed(frames)
      let source: ByteSource
      switch request.source {
      case .memory(let bytes): source = .bytes(bytes)
      case .file(let path): source = .file(path)
      case .remote:
        let bytes = try await bytesFromServer(request) { (update) throws(LoadingError) in
          try await feed.append(contentsOf: update.body, request.name)
        }
        guard let source = bytes.source else { return try await self.feed(frames, request.with(.ignore)) }
        try await feed.append(contentsOf: source, from: feed.count, request)
        return bytes.origin
      }
      try await feed.append(contentsOf: source, from: 0, request)
      return .local
    }

    /// A request after the hook.
    func resolved(_ request: ImageRequest, load: Int) async throws(LoadingError) -> ResolvedRequest {
      guard let authorize = options.authorize else {
        return try ResolvedRequest(request, nil, load: load, options: options, registry: registry)
      }
      let authorization: Authorization
      do { authorization = try await authorize(request) } catch {
        let known = error as? LoadingError
        throw known ?? LoadingError(.forbidden, "not authorized: \(error)", url: request.name)
      }
      return try ResolvedRequest(request, authorization, load: load, options: options, registry: registry)
    }
  }

  /// Appends bytes to an animation, on threads of the library.
  private final class FrameFeed: Sendable {
    private let frames: StreamingAnimation
    private let lane = WorkQueue.Lane()
    private let state = Lock<(body: Body?, count: Int)>((nil, 0))

    init(_ frames: StreamingAnimation) { self.frames = frames }

    /// Bytes that the animation has got.
    var count: Int { state.withLock { $0.count } }

    /// What has come of a body so far.
    func append(contentsOf body: Body, _ name: String) async throws(LoadingError) {
      let before = state.withLock { state in
        defer { state.body = body }
        return state.body
      }
      guard before == nil || before === body else {
        throw LoadingError(.connection, "the server began anew, and frames have been shown", url: name)
      }
      while count < body.count, let bytes = try await body.next(from: count, most: 256 << 10) {
        try await append(bytes, name)
      }
    }

    /// A file from a byte on, and its end.
    func append(contentsOf source: ByteSource, from start: Int, _ request: ResolvedRequest) async throws(LoadingError) {
      let limits = request.request.limits ?? .standard
      let (frames, name) = (frames, request.name)
      do throws(CoderError) {
        try await WorkQueue.shared.value(Cancellation(), in: lane) { () throws(CoderError) in
          let open = try OpenSource(source, limits: limits)
          var offset = start
          while offset < open.size {
            let bytes = Array(try open.view(at: offset, count: 256 << 10))
            offset += bytes.count
            try frames.append(bytes)
          }
          try frames.finish()
        }
      } catch {
        throw LoadingError(error, url: name)
      }
    }

    /// Says that no byte follows.
    func end() async {
      let frames = frames
      guard !frames.isComplete else { return }
      _ = try? await WorkQueue.shared.value(Cancellation(), in: lane) { () throws(CoderError) in try frames.finish() }
    }

    private func append(_ bytes: [UInt8], _ name: String) async throws(LoadingError) {
      let frames = frames
      do throws(CoderError) {
        try await WorkQueue.shared.value(Cancellation(), in: lane) { () throws(CoderError) in try frames.append(bytes) }
      } catch {
        throw LoadingError(error, url: name)
      }
      state.withLock { $0.count += bytes.count }
    }
  }
#endif
