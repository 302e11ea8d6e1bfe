// SPDX-License-Identifier: Apache-2.0
#if Loading
  import ImageCoderEngine
  import ImageCoderModel
  import ImageCoders

  // Pictures that were made smaller or processed, on disk as files of their own, if the options ask for that.
  extension ImageLoader {
    /// The key on disk of the picture after the first `count` operations, or nil if it is not kept there.
    private func processedKey(_ request: ResolvedRequest, _ count: Int) -> String? {
      guard disk != nil, options.processedFormat != nil, request.isRemote, count == request.operations.count,
        count > 0 || request.request.output.size != .own, !request.hasSecret
      else { return nil }
      // What the pixels of such a size are, only the file says.
      switch request.request.output.size {
      case .own, .fitting: break
      case .scaled, .resolution: return nil
      }
      return "processed\n" + request.key(count, drawing: nil)
    }

    /// The picture on disk.
    ///
    /// - Parameter version: Of the bytes that it has to be made of; nil if it has to be fresh by itself.
    func processedOnDisk(
      _ request: ResolvedRequest, _ count: Int, of version: ContentVersion?
    ) async throws(LoadingError) -> Picture? {
      guard let disk, let key = processedKey(request, count), request.policy.reads.contains(.disk),
        request.policy.lookup == .use || request.policy.lookup.takesStale || version != nil,
        request.policy.lookup != .ignore
      else { return nil }
      let place = readers.place(request.request.priority)
      try await place.enter()
      defer { place.leave() }
      guard let found = await disk.body(for: key), let metadata = BodyMetadata(found.metadata) else { return nil }
      let isFresh = rules.freshness(metadata.response, at: options.now(), request: request.headers) == .fresh
      if let version {
        guard metadata.version == version else { return nil }
      } else if !isFresh, !request.policy.lookup.takesStale {
        return nil
      }
      let stored = StoredBody(
        source: found.source, byteCount: found.byteCount, response: metadata.response, version: metadata.version)
      var bytes = LoadedBytes(stored, origin: .disk)
      bytes.isStale = version == nil && !isFresh
      bytes.download = generations.begin(request.identity)
      do throws(CoderError) {
        let decoding = DecodeOptions(limits: request.request.limits ?? options.limits)
        return bytes.picture(try await registry.async.decode(found.source, options: decoding))
      } catch {
        // What cannot be read is made again.
        return nil
      }
    }

    /// Writes a picture to the disk, in the background.
    func storeProcessed(_ picture: Picture, _ request: ResolvedRequest, _ count: Int, _ running: PictureRunning) {
      guard let disk, let key = processedKey(request, count), let format = options.processedFormat,
        running.demand.stores.contains(.disk), picture.mayKeep,
        // Fonts are as they are now; the next process may have others.
        !registry.readsFonts(picture.loaded.image.coderID), let response = picture.loaded.httpResponse,
        let download = picture.download
      else { return }
      let (image, version) = (picture.loaded.image, picture.version)
      let encoding = options.processedOptions
      background.run(key) { [self] in
        let place = writers.place(.normal)
        guard (try? await place.enter()) != nil else { return }
        defer { place.leave() }
        guard download.claim(), let bytes = try? await registry.async.encode(image, as: format, options: encoding),
          bytes.count <= disk.maxValueBytes
        else { return }
        await disk.store(bytes, metadata: BodyMetadata(response, version).bytes, processed: true, for: key)
      }
    }
  }
#endif
