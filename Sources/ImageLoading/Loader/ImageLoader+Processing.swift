// SPDX-License-Identifier: Apache-2.0
#if Loading
  import ImageCoderEngine
  import ImageCoderModel
  import ImageCoders
  import ImageProcessing

  // The third stage: one operation of a pipeline after the other, each shared by all pipelines that begin with the same ones.
  extension ImageLoader {
    /// Does the work of the operation `count`, from 1, of a pipeline.
    func process(
      _ request: ResolvedRequest, _ count: Int, _ running: PictureRunning
    ) async throws(LoadingError) -> Picture {
      observers.note(.workBegan(.process, work: running.entry, load: request.load))
      do throws(LoadingError) {
        let picture = try await processed(request, count, running)
        observers.note(.workEnded(.process, work: running.entry, load: request.load, LoadEvent.Work(), nil))
        return picture
      } catch {
        let error = error.about(request.name)
        if let picture = await usable(after: error, for: request, count, running) {
          observers.note(.workEnded(.process, work: running.entry, load: request.load, LoadEvent.Work(), nil))
          return picture
        }
        observers.note(.workEnded(.process, work: running.entry, load: request.load, LoadEvent.Work(), error))
        throw error
      }
    }

    private func processed(
      _ request: ResolvedRequest, _ count: Int, _ running: PictureRunning
    ) async throws(LoadingError) -> Picture {
      let reusable = try await reusable(request, count, running)
      if let picture = reusable.picture { return picture }
      if let picture = try await processedOnDisk(request, count, of: reusable.bytes?.version) {
        keep(picture, request, count, running, since: .now)
        reusable.membership?.leave()
        return reusable.bytes.map { picture.reused(after: $0) } ?? picture
      }
      // Held until the decoded picture is there, so that both see the same bytes.
      let held = reusable.membership
      defer { held?.leave() }
      let inbox = Inbox<StageUpdate, Picture>(merging: StageUpdate.merge)
      let (membership, work) = join(request, count - 1, running.demand.ofEarlierWork) { inbox.put($0) }
      defer { membership.leave() }
      observers.note(.joined(work: work, load: request.load))
      running.follow { [weak membership] demand, version in
        membership?.update(demand.ofEarlierWork, version: version)
      }
      let operation = ImagePipeline([request.operations[count - 1]])
      while true {
        switch await inbox.next() {
        case .update(var update):
          if let preview = update.preview {
            // A picture that is not there whole may be too small for an operation.
            let image = try? await applied(operation, preview.image, request)
            update.preview = image.map { ImageTask.Preview(image: $0, quality: preview.quality) }
          }
          running.report(update)
        case .outcome(let outcome):
          var picture = try outcome.get()
          let start = ContinuousClock.now
          picture.loaded.image = try await applied(operation, picture.loaded.image, request)
          storeProcessed(picture, request, count, running)
          keep(picture, request, count, running, since: start)
          return picture
        }
      }
    }

    /// The picture in memory that was made with the same operations, if its bytes are still right; the server is asked if
    /// that is not known.
    ///
    /// - Returns: The picture, or nil; and the bytes that have come instead, and who holds them, if a server
    ///   was asked.
    private func reusable(
      _ request: ResolvedRequest, _ count: Int, _ running: PictureRunning
    ) async throws(LoadingError) -> (
      picture: Picture?, bytes: LoadedBytes?,
      membership: SharedWork<BytesKey, BytesUpdate, LoadedBytes>.Membership?
    ) {
      guard request.policy.reads.contains(.memory), request.policy.lookup != .ignore else { return (nil, nil, nil) }
      let key = pictures.key(of: request, count)
      let version = localVersion(request)
      guard
        let found = pictures.picture(
          key, of: request.identity, version: version, at: options.now(), request: request.headers)
      else { return (nil, nil, nil) }
      let isFresh = found.freshness == .fresh
      if (isFresh && request.policy.lookup != .reload) || (request.policy.lookup.takesStale && request.isRemote) {
        return (found.picture.reused(.memory, isStale: !isFresh), nil, nil)
      }
      guard request.isRemote else { return (nil, nil, nil) }
      let arriving = ArrivingPictures(self, request, running)
      let (bytes, membership) = try await arriving.bytes()
      await arriving.stop()
      guard let picture = pictures.picture(key, of: bytes.version) else { return (nil, bytes, membership) }
      membership.leave()
      return (picture.reused(after: bytes), nil, nil)
    }

    private func applied(
      _ pipeline: ImagePipeline, _ image: Image, _ request: ResolvedRequest
    ) async throws(LoadingError) -> Image {
      let limits = request.request.limits ?? options.limits
      do throws(CoderError) {
        return try await pipeline.async.applied(to: image, limits: limits)
      } catch {
        guard error.code != .cancelled else { throw .cancelled }
        let operation = pipeline.operations.map(\.description).joined(separator: ", ")
        throw LoadingError(
          .processing, "\(operation): \(error.code): \(error.message)", url: request.name, cause: error)
      }
    }
  }
#endif
