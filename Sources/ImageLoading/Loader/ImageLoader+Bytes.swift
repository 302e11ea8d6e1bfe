// SPDX-License-Identifier: Apache-2.0
#if Loading
  import HTTPTypes
  import ImageCoderEngine
  import ImageCoderModel

  // The first stage: the bytes of a source on a server, from the disk or from there.
  extension ImageLoader {
    typealias BytesRunning = SharedWork<BytesKey, BytesUpdate, LoadedBytes>.Running

    /// Becomes one of those who wait for the bytes.
    func joinBytes(
      _ request: ResolvedRequest, _ demand: Demand,
      receive: @escaping SharedWork<BytesKey, BytesUpdate, LoadedBytes>.Receiver
    ) -> SharedWork<BytesKey, BytesUpdate, LoadedBytes>.Membership {
      bytesWork.join(request.bytesKey, demand, receive: receive) { [self] (running) throws(LoadingError) in
        observers.note(.workBegan(.bytes, work: running.entry, load: request.load))
        do throws(LoadingError) {
          let bytes = try await loadBytes(request, running)
          let done = LoadEvent.Work(bytesReceived: bytes.bytesReceived, bytesSaved: bytes.bytesSaved)
          observers.note(.workEnded(.bytes, work: running.entry, load: request.load, done, nil))
          return bytes
        } catch {
          let error = error.about(request.name)
          observers.note(.workEnded(.bytes, work: running.entry, load: request.load, LoadEvent.Work(), error))
          if error.code != .cancelled { failures.note(error, request.identity, at: options.now()) }
          throw error
        }
      }
    }

    private func loadBytes(_ request: ResolvedRequest, _ running: BytesRunning) async throws(LoadingError)
      -> LoadedBytes
    {
      guard case .remote(let url, let headers) = request.source else {
        throw LoadingError(.badRequest, "a local source has no download")
      }
      let lookup = request.policy.lookup
      let (stored, place) = try await storedBody(request, headers, running)
      if let stored {
        let freshness = rules.freshness(stored.response, at: options.now(), request: headers)
        observers.note(.lookedOnDisk(load: request.load, freshness == .fresh ? .hit : .stale))
        switch (lookup, freshness) {
        case (.use, .fresh), (.prefer, _), (.only, _), (.use, .usableWhileValidated):
          if lookup == .use, freshness != .fresh { validateInBackground(request) }
          var bytes = LoadedBytes(stored, origin: .disk)
          bytes.isStale = freshness != .fresh
          bytes.place = place
          bytes.download = generations.begin(request.identity)
          pictures.note(stored.response, stored.version, of: request.identity)
          return bytes
        default: break
        }
      } else if disk != nil, lookup != .ignore {
        observers.note(.lookedOnDisk(load: request.load, .miss))
      }
      guard lookup != .only, !rules.isOnlyIfCached(headers) else {
        throw LoadingError(.notCached, "nothing is stored, and no request may be sent", url: request.name)
      }
      let fetch = Fetch(request: request, url: url, headers: headers, stored: stored, place: place)
      return try await self.fetch(fetch, running)
    }

    /// Waits for the bytes of a source on a server.
    ///
    /// - Parameter note: Called with what has come so far.
    func bytesFromServer(
      _ request: ResolvedRequest, note: (BytesUpdate) async throws(LoadingError) -> Void = { _ in }
    ) async throws(LoadingError) -> LoadedBytes {
      let inbox = Inbox<BytesUpdate, LoadedBytes> { $1 }
      let demand = Demand(priority: request.request.priority, stores: request.policy.stores)
      let membership = joinBytes(request, demand) { inbox.put($0) }
      defer { membership.leave() }
      observers.note(.joined(work: membership.entryNumber, load: request.load))
      while true {
        switch await inbox.next() {
        case .update(let update): try await note(update)
        case .outcome(let outcome): return try outcome.get()
        }
      }
    }

    /// What is on disk of a source, with the place of one who holds it.
    private func storedBody(
      _ request: ResolvedRequest, _ headers: HTTPFields, _ running: BytesRunning
    ) async throws(LoadingError) -> (StoredBody?, FetchGate.Place?) {
      guard let disk, request.policy.reads.contains(.disk), request.policy.lookup != .ignore else { return (nil, nil) }
      let place = readers.place(running.demand.priority)
      running.follow { [weak place] demand, _ in place?.setPriority(demand.priority) }
      try await place.enter()
      guard let found = await disk.body(for: request.diskKey), var metadata = BodyMetadata(found.metadata) else {
        return (nil, nil)
      }
      var (source, count) = (found.source, found.byteCount)
      if !metadata.variants.isEmpty {
        let key = request.diskKey(of: metadata.variants, headers)
        guard let found = await disk.body(for: key), let variant = BodyMetadata(found.metadata) else {
          return (nil, nil)
        }
        (source, count, metadata) = (found.source, found.byteCount, variant)
      }
      guard rules.matches(metadata.response, headers) else { return (nil, nil) }
      let body = StoredBody(source: source, byteCount: count, response: metadata.response, version: metadata.version)
      return (body, place)
    }

    /// Asks the server about what was used although it is stale, once at a time.
    func validateInBackground(_ request: ResolvedRequest) {
      let request = request.with(.reload)
      background.runOnce("validate " + request.identity) { [self] in
        let inbox = Inbox<BytesUpdate, LoadedBytes> { $1 }
        let membership = joinBytes(request, Demand(priority: .lowest, stores: .disk)) { inbox.put($0) }
        defer { membership.leave() }
        while case .update = await inbox.next() {}
      }
    }
  }

  extension LoadedBytes {
    /// What was on disk.
    init(_ stored: StoredBody, origin: ImageResponse.Origin) {
      self.init(
        source: stored.source, url: stored.response.url, byteCount: stored.byteCount, version: stored.version,
        download: nil, response: stored.response, origin: origin)
    }
  }

  extension ResolvedRequest {
    /// The key on disk of the variant that these headers choose.
    func diskKey(of variants: [String], _ headers: HTTPFields) -> String {
      let words = variants.sorted().map { name in
        "variant \(name): " + headers.filter { $0.name.canonicalName == name }.map(\.value).joined(separator: ", ")
      }
      return ([diskKey] + words).joined(separator: "\n")
    }
  }
#endif
