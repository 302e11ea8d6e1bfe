// SPDX-License-Identifier: Apache-2.0
#if Loading
  import HTTPTypes
  import ImageCoderEngine
  import ImageCoderModel

  /// A request to a server and what it is for.
  struct Fetch: Sendable {
    let request: ResolvedRequest
    let url: String
    let headers: HTTPFields
    /// What is on disk and has to be confirmed.
    let stored: StoredBody?
    /// The place in the gate of a load that has one.
    let place: FetchGate.Place?
  }

  /// An answer while it arrives.
  private struct Arrival {
    var head: FetchHead?
    var body: Body?
    /// Bytes that were there before.
    var offset = 0
    var isRecognized = false
    let sent: Double
  }

  extension ImageLoader {
    /// Sends a request when it is its turn, and takes what comes.
    func fetch(_ fetch: Fetch, _ running: BytesRunning) async throws(LoadingError) -> LoadedBytes {
      let request = fetch.request
      let turn = gate.place(running.demand.priority)
      let priority = FetchPriority(running.demand.priority.rawValue)
      running.follow { [weak turn] demand, _ in
        turn?.setPriority(demand.priority)
        priority.value = demand.priority.rawValue
      }
      try await turn.enter()
      defer { turn.leave() }
      let download = generations.begin(request.identity)
      let inMemory = fetch.stored == nil ? confirmable(request) : nil
      let known = request.policy.lookup == .ignore ? nil : fetch.stored?.response ?? inMemory?.response
      // Without a validator the server cannot say that nothing has changed.
      let confirmed = known.flatMap { rules.canConfirm($0) ? $0 : nil }
      let partial = confirmed == nil ? partials.take(request.diskKey) : nil
      var sent = FetchRequest(url: fetch.url, headers: fetch.headers, limits: request.bytesKey.limits)
      sent.priority = priority
      sent.revalidating = confirmed
      sent.partial = partial.map { PartialBody(count: $0.body.count, total: $0.total, validator: $0.validator) }
      observers.note(
        .requested(load: request.load, validates: confirmed != nil, resumesAt: sent.partial?.count ?? 0))
      var arrival = Arrival(sent: options.now())
      do {
        for try await event in fetcher.fetch(sent) {
          switch event {
          case .notModified(let headers):
            guard let confirmed else {
              throw LoadingError(.badResponse, "nothing was to be confirmed, and it was confirmed")
            }
            return try confirm(confirmed, headers, fetch, inMemory?.version, download, arrival)
          case .head(let head): try begin(&arrival, head, partial, request)
          case .bytes(let bytes): try append(bytes, to: &arrival, request, running)
          }
        }
        if Task.isCancelled { throw LoadingError.cancelled }
        return try finish(arrival, fetch, download, running)
      } catch {
        let error = Task.isCancelled ? .cancelled : LoadingError(fetching: error, url: request.name)
        keepPart(of: arrival, error, request)
        // No answer has come to what was asked to be continued.
        if arrival.head == nil, let partial { partials.keep(partial, request.diskKey) }
        if error.isOfNetwork, let bytes = usableAfter(error, fetch) { return bytes }
        throw error
      }
    }

    // MARK: While bytes come

    private func begin(
      _ arrival: inout Arrival, _ head: FetchHead, _ partial: PartialBodies.Partial?, _ request: ResolvedRequest
    ) throws(LoadingError) {
      let most = request.bytesKey.limits.maxBytes
      if let length = head.length, length > most {
        throw LoadingError(.tooLarge, "a body of \(length) bytes, \(most) are allowed", status: head.status)
      }
      arrival.body?.finish(LoadingError(.connection, "the server began anew"))
      arrival.head = head
      if head.offset > 0 {
        guard let partial, partial.body.count == head.offset else {
          throw LoadingError(.badResponse, "an answer from byte \(head.offset) on, which was not asked for")
        }
        partial.body.resume()
        arrival.body = partial.body
      } else {
        arrival.body = Body(bodyMemory, folder: options.temporaryFolder)
      }
      arrival.offset = head.offset
      arrival.isRecognized = false
    }

    private func append(
      _ bytes: [UInt8], to arrival: inout Arrival, _ request: ResolvedRequest, _ running: BytesRunning
    ) throws(LoadingError) {
      guard let body = arrival.body, let head = arrival.head else {
        throw LoadingError(.badResponse, "bytes before the head of an answer")
      }
      let (count, most) = (body.count + bytes.count, request.bytesKey.limits.maxBytes)
      guard count <= most else {
        throw LoadingError(.tooLarge, "a body of \(count) bytes and more, \(most) are allowed", status: head.status)
      }
      try body.append(bytes)
      if !arrival.isRecognized { arrival.isRecognized = try isPicture(body, request) }
      let progress = ImageTask.Progress(bytesReceived: body.count, bytesExpected: head.length)
      running.report(BytesUpdate(body: body, progress: progress))
    }

    /// So many bytes tell every format that is told by its beginning.
    private static let decidingBytes = 4 << 10

    /// Whether the first bytes are those of a picture; false as long as they may be.
    private func isPicture(_ body: Body, _ request: ResolvedRequest) throws(LoadingError) -> Bool {
      do throws(CoderError) {
        let allowed = request.request.allowedFormats ?? options.allowedFormats
        let prefix = body.prefix(Self.decidingBytes)
        return try registry.recognizes(prefix: prefix, allowed: allowed) ?? (prefix.count >= Self.decidingBytes)
      } catch {
        throw LoadingError(.notAPicture, error.message, url: request.name, cause: error)
      }
    }

    // MARK: The end

    private func finish(
      _ arrival: Arrival, _ fetch: Fetch, _ download: Generations.Download, _ running: BytesRunning
    ) throws(LoadingError) -> LoadedBytes {
      guard let head = arrival.head, let body = arrival.body else {
        throw LoadingError(.badResponse, "an answer without a head")
      }
      if let length = head.length, body.count != length {
        throw LoadingError(.connection, "the body ended after \(body.count) of \(length) bytes", status: head.status)
      }
      guard body.count > 0 else { throw LoadingError(.notAPicture, "an empty body", status: head.status) }
      body.finish()
      let request = fetch.request
      let response = rules.stored(head, sent: arrival.sent, received: options.now(), to: fetch.headers)
      var bytes = LoadedBytes(
        source: try body.source(), url: head.url, byteCount: body.count, version: try body.version(),
        download: download, response: response, origin: .network)
      bytes.bytesReceived = body.count - arrival.offset
      bytes.bytesSaved = arrival.offset
      bytes.mayKeep = rules.mayStore(head, fetch.headers)
      guard bytes.mayKeep else {
        // What was stored before is wrong now, too, unless it is the request that keeps nothing.
        if !rules.mayStore(head, [:]) { removeStored(request, download) }
        return bytes
      }
      if download.claim() {
        pictures.note(response, bytes.version, of: request.identity)
      }
      if running.demand.stores.contains(.disk) { store(body, bytes, response, fetch, download) }
      return bytes
    }

    /// The server says that what is stored is still right.
    private func confirm(
      _ stored: StoredResponse, _ headers: HTTPFields, _ fetch: Fetch, _ inMemory: ContentVersion?,
      _ download: Generations.Download, _ arrival: Arrival
    ) throws(LoadingError) -> LoadedBytes {
      let request = fetch.request
      let response = rules.updated(stored, headers, sent: arrival.sent, received: options.now())
      guard let version = fetch.stored?.version ?? inMemory else {
        throw LoadingError(.badResponse, "nothing was to be confirmed, and it was confirmed")
      }
      var bytes = LoadedBytes(
        source: fetch.stored?.source, url: response.url, byteCount: fetch.stored?.byteCount, version: version,
        download: download, response: response, origin: .validated)
      bytes.bytesSaved = fetch.stored?.byteCount ?? 0
      bytes.place = fetch.place
      guard download.claim() else { return bytes }
      pictures.note(response, version, of: request.identity)
      if fetch.stored != nil { store(metadata: BodyMetadata(response, version), fetch, download) }
      return bytes
    }

    /// Keeps what has come, if the server says how it can be continued.
    private func keepPart(of arrival: Arrival, _ error: LoadingError, _ request: ResolvedRequest) {
      guard let head = arrival.head, let body = arrival.body else { return }
      body.finish(error)
      guard error.isOfNetwork || error.code == .cancelled, body.count > 0, arrival.isRecognized,
        let validator = rules.rangeValidator(head)
      else { return }
      partials.keep(PartialBodies.Partial(body: body, validator: validator, total: head.length), request.diskKey)
    }

    /// What is stored, when the server cannot be asked and staleness does no harm.
    private func usableAfter(_ error: LoadingError, _ fetch: Fetch) -> LoadedBytes? {
      guard let stored = fetch.stored, fetch.request.policy.lookup == .use,
        rules.mayUseAfterError(stored.response, at: options.now(), always: options.usesStaleIfError)
      else { return nil }
      var bytes = LoadedBytes(stored, origin: .disk)
      bytes.isStale = true
      bytes.place = fetch.place
      bytes.download = generations.begin(fetch.request.identity)
      return bytes
    }
  }

  extension LoadingError {
    /// What a fetcher throws.
    init(fetching error: any Error, url: String) {
      if let known = error as? LoadingError {
        self = known.about(url)
      } else if error is CancellationError {
        self = .cancelled
      } else {
        self.init(.connection, "\(error)", url: url)
      }
    }

    /// Whether the network or the server failed, and not what was asked for.
    var isOfNetwork: Bool {
      switch code {
      case .connection, .timeout: true
      case .status: status.map { $0 >= 500 } ?? false
      default: false
      }
    }
  }
#endif
