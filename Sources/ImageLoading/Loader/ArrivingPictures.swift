// SPDX-License-Identifier: Apache-2.0
#if Loading
  import ImageCoderEngine
  import ImageCoderModel
  import ImageCoders

  /// The bytes of a picture while they arrive, and previews of it if somebody wants them.
  ///
  /// Previews come from a decoder of its own, which begins with the first byte when somebody first wants them. The final
  /// picture is then that decoder's, so that nothing is decoded twice.
  final class ArrivingPictures: Sendable {
    private let loader: ImageLoader
    private let request: ResolvedRequest
    private let running: ImageLoader.PictureRunning

    private struct State {
      var body: Body?
      var task: Task<Image?, any Error>?
    }

    private let state = Lock(State())

    init(_ loader: ImageLoader, _ request: ResolvedRequest, _ running: ImageLoader.PictureRunning) {
      self.loader = loader
      self.request = request
      self.running = running
    }

    deinit { state.withLock { $0.task }?.cancel() }

    /// Waits for the bytes, and passes on what is told until then.
    func bytes() async throws(LoadingError) -> (
      LoadedBytes, SharedWork<BytesKey, BytesUpdate, LoadedBytes>.Membership
    ) {
      let inbox = Inbox<BytesUpdate, LoadedBytes> { $1 }
      let membership = loader.joinBytes(request, running.demand.ofEarlierWork) { inbox.put($0) }
      loader.observers.note(.joined(work: membership.entryNumber, load: request.load))
      running.follow { [weak membership] demand, version in
        membership?.update(demand.ofEarlierWork, version: version)
      }
      while true {
        switch await inbox.next() {
        case .update(let update):
          running.report(StageUpdate(progress: update.progress))
          if running.demand.wantsPreviews { preview(update) }
        case .outcome(.success(let bytes)): return (bytes, membership)
        case .outcome(.failure(let error)):
          await stop()
          throw error
        }
      }
    }

    /// Shows what has come of a body, unless that is being done.
    private func preview(_ update: BytesUpdate) {
      let old = state.withLock { state -> Task<Image?, any Error>? in
        guard state.body !== update.body else { return nil }
        let old = state.task
        state.body = update.body
        guard update.progress.bytesExpected ?? 0 <= loader.options.maxPreviewBytes else {
          state.task = nil
          return old
        }
        // A decoder may need no byte of the rest: it goes on for what it shows.
        state.task = Task { [loader, request, running] in
          let place = loader.previewers.place(.normal)
          // A request that finds no place shows the picture when it is there.
          guard place.enterAtOnce() else { return nil }
          defer { place.leave() }
          let options = request.request.decodeOptions(loader.options)
          let images = loader.registry.async.images(
            arriving: update.body.chunks, options: options, showing: loader.options.previews)
          for try await look in images {
            if look.isFinal { return look.image }
            guard update.body.count <= loader.options.maxPreviewBytes else { return nil }
            running.report(StageUpdate(preview: ImageTask.Preview(image: look.image, quality: look.progress.quality)))
          }
          return nil
        }
        return old
      }
      old?.cancel()
    }

    /// The picture, if a decoder has had the bytes as they came; nil if there is none.
    func finalImage() async throws(LoadingError) -> Image? {
      guard let task = state.withLock({ $0.task }) else { return nil }
      do {
        return try await withTaskCancellationHandler {
          try await task.value
        } onCancel: {
          task.cancel()
        }
      } catch let error as CoderError {
        throw LoadingError(error, url: request.name)
      } catch {
        throw LoadingError(fetching: error, url: request.name)
      }
    }

    /// Ends previews.
    func stop() async {
      let task = state.withLock { state in
        defer { state.task = nil }
        return state.task
      }
      task?.cancel()
      _ = await task?.result
    }
  }
#endif
