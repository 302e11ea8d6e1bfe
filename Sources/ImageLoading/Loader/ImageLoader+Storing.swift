// SPDX-License-Identifier: Apache-2.0
#if Loading
  import HTTPTypes
  import ImageCoderEngine
  import ImageCoderModel

  // What is put on disk, in the background. Writes of one source are done one after the other, and each asks whether it is
  // still wanted.
  extension ImageLoader {
    /// Writes a body.
    func store(
      _ body: Body, _ bytes: LoadedBytes, _ response: StoredResponse, _ fetch: Fetch, _ download: Generations.Download
    ) {
      guard let disk, body.count <= disk.maxValueBytes else { return }
      let request = fetch.request
      let variants = rules.variants(response)
      background.run(request.diskKey) { [self] in
        let place = writers.place(.normal)
        guard (try? await place.enter()) != nil else { return }
        defer { place.leave() }
        guard download.claim(), let all = try? body.allBytes() else { return }
        var metadata = BodyMetadata(response, bytes.version)
        guard !variants.isEmpty else {
          return await disk.store(all, metadata: metadata.bytes, processed: false, for: request.diskKey)
        }
        // The variant has a key of its own, and under that of the source is the word which headers choose.
        let key = request.diskKey(of: variants, fetch.headers)
        await disk.store(all, metadata: metadata.bytes, processed: false, for: key)
        metadata.variants = variants
        await disk.store([], metadata: metadata.bytes, processed: false, for: request.diskKey)
      }
    }

    /// Writes what the server says of a body that has not changed.
    func store(metadata: BodyMetadata, _ fetch: Fetch, _ download: Generations.Download) {
      guard let disk else { return }
      let request = fetch.request
      let variants = rules.variants(metadata.response)
      background.run(request.diskKey) {
        guard download.claim() else { return }
        let key = variants.isEmpty ? request.diskKey : request.diskKey(of: variants, fetch.headers)
        await disk.store(metadata: metadata.bytes, for: key)
      }
    }

    /// Removes what is stored of a source that may not be stored any more.
    func removeStored(_ request: ResolvedRequest, _ download: Generations.Download) {
      pictures.remove { $0 == request.identity }
      guard disk != nil else { return }
      background.run(request.diskKey) { [self] in
        guard download.claim() else { return }
        await removeNow(request)
      }
    }

    /// Removes what is stored of a source, after all writes of it that were begun.
    func removeFromDisk(_ request: ResolvedRequest) async {
      guard disk != nil else { return }
      background.run(request.diskKey) { [self] in await removeNow(request) }
      await background.wait(for: request.diskKey)
    }

    private func removeNow(_ request: ResolvedRequest) async {
      // Of a source with variants, those of other headers cannot be found any more without this entry.
      await disk?.remove(request.diskKey)
    }
  }
#endif
