// SPDX-License-Identifier: Apache-2.0
#if Loading
  import Glibc
  import ImageCoderEngine
  import ImageCoderModel
  import ImageCoders

  // The second stage: a decoded picture, from memory, from a larger one in memory, or from bytes.
  extension ImageLoader {
    typealias PictureRunning = SharedWork<PictureKey, StageUpdate, Picture>.Running

    /// What memory has for a request, if it may be used.
    func pictureInMemory(_ request: ResolvedRequest, note notes: Bool = true) -> Picture? {
      guard request.policy.reads.contains(.memory) else { return nil }
      let lookup = request.policy.lookup
      guard lookup == .use || lookup.takesStale else { return nil }
      let found = pictures.picture(
        pictures.key(of: request, request.operations.count), of: request.identity, version: localVersion(request),
        at: options.now(), request: request.headers)
      if notes {
        let result: LoadEvent.Lookup = found.map { $0.freshness == .fresh ? .hit : .stale } ?? .miss
        observers.note(.lookedInMemory(load: request.load, result))
      }
      guard let found else { return nil }
      switch (found.freshness, lookup) {
      case (.fresh, _): return found.picture.reused(.memory)
      // A local file that is another one now can be read.
      case (_, .prefer) where !request.isRemote: return nil
      case (_, .only), (_, .prefer): return found.picture.reused(.memory, isStale: true)
      case (.usableWhileValidated, _):
        validateInBackground(request)
        return found.picture.reused(.memory, isStale: true)
      default: return nil
      }
    }

    /// What the bytes of a local source are now; nil for one on a server.
    func localVersion(_ request: ResolvedRequest) -> ContentVersion? {
      switch request.source {
      case .remote: return nil
      case .memory: return .constant
      case .file(let path):
        var status = stat()
        guard stat(path, &status) == 0 else { return ContentVersion("none") }
        return ContentVersion(
          "\(status.st_ino) \(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)")
      }
    }

    /// Does the work of the second stage.
    func decode(_ request: ResolvedRequest, _ running: PictureRunning) async throws(LoadingError) -> Picture {
      observers.note(.workBegan(.decode, work: running.entry, load: request.load))
      var done = LoadEvent.Work()
      do throws(LoadingError) {
        let picture = try await decoded(request, running, &done)
        observers.note(.workEnded(.decode, work: running.entry, load: request.load, done, nil))
        return picture
      } catch {
        let error = error.about(request.name)
        if let picture = await usable(after: error, for: request, 0, running) {
          observers.note(.workEnded(.decode, work: running.entry, load: request.load, done, nil))
          return picture
        }
        observers.note(.workEnded(.decode, work: running.entry, load: request.load, done, error))
        failures.note(error, request.identity, at: options.now())
        throw error
      }
    }

    private func decoded(
      _ request: ResolvedRequest, _ running: PictureRunning, _ done: inout LoadEvent.Work
    ) async throws(LoadingError) -> Picture {
      guard request.isRemote else { return try await decodedLocal(request, running, &done) }
      // A larger picture is as fresh as the one that is wanted would be.
      if let record = pictures.record(request.identity), let response = record.response {
        let isFresh = rules.freshness(response, at: options.now(), request: request.headers) == .fresh
        if request.policy.lookup.takesStale || (request.policy.lookup == .use && isFresh),
          var picture = try await derived(request, record.version, .memory, running)
        {
          picture.loaded.isStale = !isFresh
          return picture
        }
      }
      if let picture = try await processedOnDisk(request, 0, of: nil) {
        keep(picture, request, 0, running, since: .now)
        return picture
      }
      let arriving = ArrivingPictures(self, request, running)
      let (bytes, membership) = try await arriving.bytes()
      defer { membership.leave() }
      if request.policy.reads.contains(.memory) {
        if let picture = pictures.picture(pictures.key(of: request, 0), of: bytes.version) {
          await arriving.stop()
          return picture.reused(after: bytes)
        }
        if let picture = try await derived(request, bytes.version, bytes.origin, running) {
          await arriving.stop()
          return picture.reused(after: bytes)
        }
      }
      if bytes.origin == .validated, let picture = try await processedOnDisk(request, 0, of: bytes.version) {
        await arriving.stop()
        return picture.reused(after: bytes)
      }
      guard let source = bytes.source else { return try await decodedAnew(request, running, &done) }
      let start = ContinuousClock.now
      let image: Image
      if let arrived = try await arriving.finalImage() {
        image = arrived
      } else {
        image = try await decoded(source, request)
      }
      done.decoded = true
      let picture = bytes.picture(image)
      storeProcessed(picture, request, 0, running)
      keep(picture, request, 0, running, since: start)
      return picture
    }

    /// A picture whose bytes the server has confirmed, although they are not there: all of them are asked for.
    private func decodedAnew(
      _ request: ResolvedRequest, _ running: PictureRunning, _ done: inout LoadEvent.Work
    ) async throws(LoadingError) -> Picture {
      guard request.policy.lookup != .ignore else {
        throw LoadingError(.badResponse, "bytes were asked for, and nothing was sent")
      }
      return try await decoded(request.with(.ignore), running, &done)
    }

    private func decodedLocal(
      _ request: ResolvedRequest, _ running: PictureRunning, _ done: inout LoadEvent.Work
    ) async throws(LoadingError) -> Picture {
      let version = localVersion(request) ?? .constant
      if request.policy.reads.contains(.memory), request.policy.lookup != .ignore {
        if let picture = pictures.picture(pictures.key(of: request, 0), of: version) { return picture.reused(.memory) }
        if let picture = try await derived(request, version, .memory, running) { return picture }
      }
      let (source, count): (ByteSource, Int?)
      switch request.source {
      case .file(let path): (source, count) = (.file(path), nil)
      case .memory(let bytes): (source, count) = (.bytes(bytes), bytes.count)
      case .remote: throw LoadingError(.badRequest, "a source on a server is not local")
      }
      let start = ContinuousClock.now
      let image = try await decoded(source, request)
      done.decoded = true
      let picture = LoadedBytes(
        source: nil, url: request.name, byteCount: count, version: version, download: nil, origin: .local
      ).picture(image)
      keep(picture, request, 0, running, since: start)
      return picture
    }

    private func decoded(_ source: ByteSource, _ request: ResolvedRequest) async throws(LoadingError) -> Image {
      do throws(CoderError) {
        return try await registry.async.decode(source, options: request.request.decodeOptions(options))
      } catch {
        throw LoadingError(error, url: request.name)
      }
    }

    // MARK: Keeping

    /// Puts a picture in memory, if it may be kept, somebody wants that, and nothing newer has come.
    func keep(
      _ picture: Picture, _ request: ResolvedRequest, _ count: Int, _ running: PictureRunning,
      since start: ContinuousClock.Instant
    ) {
      guard picture.mayKeep, running.demand.stores.contains(.memory), picture.download?.claim() ?? true else { return }
      var kept = picture
      kept.download = nil
      let header = kept.loaded.image.header
      let drawing = header?.isScalable ?? false ? header : nil
      pictures.keep(
        kept, for: request.key(count, drawing: drawing), of: request.identity,
        decoding: count == 0 ? request.decodingWithoutSize : nil,
        remakeTime: ContinuousClock.now - start)
      if let drawing { pictures.note(drawing, of: request) }
    }

    // MARK: Other pictures of the same bytes

    /// The answer that a server is asked to confirm: that of a picture in memory which the wanted one is, or can be made of.
    func confirmable(_ request: ResolvedRequest) -> (response: StoredResponse, version: ContentVersion)? {
      guard request.policy.lookup != .ignore, request.policy.reads.contains(.memory),
        let record = pictures.record(request.identity), let response = record.response
      else { return nil }
      let isThere = (0...request.operations.count).contains {
        pictures.picture(pictures.key(of: request, $0), of: record.version) != nil
      }
      guard isThere || animation(request, record.version) != nil || larger(request, record.version) != nil else {
        return nil
      }
      return (response, record.version)
    }

    /// A picture in memory, when the server cannot be asked and staleness does no harm.
    func usable(
      after error: LoadingError, for request: ResolvedRequest, _ count: Int, _ running: PictureRunning
    ) async -> Picture? {
      guard error.isOfNetwork, request.policy.lookup == .use, request.policy.reads.contains(.memory),
        let record = pictures.record(request.identity), let response = record.response,
        rules.mayUseAfterError(response, at: options.now(), always: options.usesStaleIfError)
      else { return nil }
      if let picture = pictures.picture(pictures.key(of: request, count), of: record.version) {
        return picture.reused(.memory, isStale: true)
      }
      guard count == 0, var picture = try? await derived(request, record.version, .memory, running) else { return nil }
      picture.loaded.isStale = true
      return picture
    }

    /// The whole animation in memory, if its first frame alone is wanted.
    private func animation(_ request: ResolvedRequest, _ version: ContentVersion) -> Picture? {
      request.keyOfAllFrames.flatMap { pictures.picture($0, of: version) }
    }

    private func larger(_ request: ResolvedRequest, _ version: ContentVersion) -> (Picture, Size)? {
      guard options.derivesFromLarger, let wanted = LargerPicture(request.request.output) else { return nil }
      return wanted.choice(
        among: pictures.otherSizes(request.decodingWithoutSize, of: request.identity, version: version))
    }

    /// A picture made of another one in memory, if that is as good as decoding: the first frame of an animation, or a
    /// smaller size, see ``LargerPicture``.
    private func derived(
      _ request: ResolvedRequest, _ version: ContentVersion, _ origin: ImageResponse.Origin, _ running: PictureRunning
    ) async throws(LoadingError) -> Picture? {
      guard request.policy.reads.contains(.memory) else { return nil }
      if let whole = animation(request, version) {
        let picture = whole.firstFrame.reused(origin)
        keep(picture, request, 0, running, since: .now)
        return picture
      }
      guard let (larger, size) = larger(request, version) else { return nil }
      let start = ContinuousClock.now
      let result: Picture
      do throws(CoderError) { result = try await larger.resampled(to: size) } catch {
        throw LoadingError(error, url: request.name)
      }
      observers.note(.madeOfLarger(load: request.load))
      let picture = result.reused(origin)
      keep(picture, request, 0, running, since: start)
      return picture
    }
  }
#endif
