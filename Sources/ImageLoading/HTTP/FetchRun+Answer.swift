// SPDX-License-Identifier: Apache-2.0
#if Loading
  import HTTPTypes

  /// From the request to the head of an answer.
  extension FetchRun {
    /// An answer that is no redirect.
    struct Answer {
      let url: URLParts
      let response: TransportResponse
      let slot: FetchQueue.Slot
      /// Whether the stored answer was to be confirmed.
      let wasConditional: Bool
      /// What was to be continued.
      let part: PartialBody?
    }

    /// A redirect's body that is longer is not read; its connection is closed.
    private static let drainedBytes = 4096

    /// Sends the request and follows redirects.
    func answer() async throws -> Answer {
      var url = try URLParts(request.url)
      var headers = request.headers
      var seen: Set<URLParts> = [url]
      while true {
        let slot = try await enter(url)
        if isFirstTry, seen.count == 1 { fetcher.budgets.noteRequest(url.host) }
        var sent = headers
        if sent[.userAgent] == nil { sent[.userAgent] = fetcher.options.userAgent }
        if sent[.accept] == nil { sent[.accept] = fetcher.options.accept }
        sent[.acceptEncoding] = "identity"
        // An ETag is one of a URL: another's would confirm by chance.
        let stored = request.revalidating.flatMap { $0.url == url.description ? $0 : nil }
        let part = stored == nil ? part : nil
        if let stored { RequestHeaders.confirm(stored, &sent) }
        if let part { RequestHeaders.resume(part, &sent) }
        metrics.requests += 1
        note(.sent(url: url.description, from: part?.count ?? 0))
        let response = try await send(TransportRequest(url: url, headers: sent))
        guard let location = Self.location(response) else {
          let wasConditional = stored.map { $0.value("etag") ?? $0.value("last-modified") } != nil
          return Answer(url: url, response: response, slot: slot, wasConditional: wasConditional, part: part)
        }
        let target = try judge(location, from: url, after: seen.count, response.status)
        guard seen.insert(target).inserted else {
          throw error(.redirects, "a redirect back to \(target)", status: response.status)
        }
        try await drain(response)
        if target.origin != url.origin { headers = RequestHeaders.acrossOrigins(headers) }
        metrics.redirects += 1
        note(.redirected(from: url.description, to: target.description))
        url = target
      }
    }

    private func enter(_ url: URLParts) async throws -> FetchQueue.Slot {
      let (queue, priority) = (fetcher.queue, request.priority)
      let slot = try await clock.run(until: deadline) { try await queue.enter(url.host, priority) }
      guard let slot else {
        throw error(.timeout, "other requests were before it for \(request.limits.deadline), the time allowed")
      }
      return slot
    }

    private func send(_ request: TransportRequest) async throws -> TransportResponse {
      let (transport, limit) = (fetcher.transport, fetcher.options.headTimeout)
      let until = min(deadline, clock.now() + limit)
      guard let response = try await clock.run(until: until, { try await transport.send(request) }) else {
        guard clock.now() < deadline else {
          throw error(.timeout, "no answer after \(self.request.limits.deadline), the time allowed")
        }
        throw TransportFailure(.timeout, "no head of an answer after \(limit)")
      }
      return response
    }

    // MARK: Redirects

    /// Where an answer leads, or nil if it leads nowhere. A 304 never does.
    private static func location(_ response: TransportResponse) -> String? {
      [301, 302, 303, 307, 308].contains(response.status) ? response.headers[.location] : nil
    }

    private func judge(
      _ location: String, from url: URLParts, after count: Int, _ status: Int
    ) throws(LoadingError) -> URLParts {
      guard count <= request.limits.maxRedirects else {
        throw error(
          .redirects, "\(count) redirects and more, \(request.limits.maxRedirects) are allowed", status: status)
      }
      let target: URLParts
      do {
        target = try url.resolving(location)
      } catch let refused {
        throw error(.badResponse, "a redirect to \(refused.message)", status: status)
      }
      if url.scheme == "https", target.scheme == "http", !fetcher.options.allowsInsecureRedirects {
        throw error(.forbidden, "a redirect from https to \(target.origin)", status: status)
      }
      return target
    }

    /// Reads the end of a short body, so that the connection can be used again.
    private func drain(_ response: TransportResponse) async throws {
      guard let length = RangeRules.contentLength(response.headers), length <= Self.drainedBytes else { return }
      let body = response.body
      let until = min(deadline, clock.now() + fetcher.options.headTimeout)
      do {
        _ = try await clock.run(until: until) {
          var count = 0
          while count <= Self.drainedBytes, let bytes = try await body.next() { count += bytes.count }
        }
      } catch is TransportFailure {
        // Where it leads is known.
      }
    }

    // MARK: What the head says

    /// Takes an answer: the event that it is, or the step that it leads to.
    func take(_ answer: Answer) throws -> Step {
      let (status, headers) = (answer.response.status, answer.response.headers)
      switch status {
      case 304:
        guard answer.wasConditional else {
          throw error(.badResponse, "the status 304, and nothing was to be confirmed", status: status)
        }
        end()
        return .event(.notModified(headers))
      case 206: return try continuing(answer)
      case 200, 203: return try beginning(answer)
      case 416 where answer.part != nil:
        restart("the server has no such part")
        return .again
      case let status where RetryPolicy.isPassing(status):
        let now = clock.date()
        throw BusyAnswer(status: status, retryAfter: headers[.retryAfter].flatMap { HTTPDate.delay($0, now: now) })
      default: throw error(.status, "the server answered with the status \(status)", status: status)
      }
    }

    /// Forgets what is there, and asks for all.
    private func restart(_ why: String) {
      part = nil
      note(.restarted(url: request.url, why: why))
    }

    /// A whole body.
    private func beginning(_ answer: Answer) throws(LoadingError) -> Step {
      if count > 0 { note(.restarted(url: request.url, why: "the server sends all")) }
      (part, count) = (nil, 0)
      let length = RangeRules.contentLength(answer.response.headers)
      let head = FetchHead(
        url: answer.url.description, status: answer.response.status, headers: answer.response.headers, length: length)
      try check(head)
      self.head = head
      arrive(Arrival(body: answer.response.body, slot: answer.slot, head: head, end: length))
      return .event(.head(head))
    }

    /// The rest of a body.
    private func continuing(_ answer: Answer) throws(LoadingError) -> Step {
      let headers = answer.response.headers
      guard let part = answer.part else {
        throw error(.badResponse, "a partial answer, and all was asked for", status: 206)
      }
      if headers[.contentType]?.lowercased().hasPrefix("multipart/") ?? false {
        throw error(.badResponse, "a partial answer of several parts, and one was asked for", status: 206)
      }
      if let encoding = RangeRules.encoding(headers) {
        throw error(.badResponse, "a part of a body encoded as \(encoding.prefix(20))", status: 206)
      }
      if let why = RangeRules.refusal(headers, of: part) {
        restart(why)
        return .again
      }
      let range = headers[.contentRange].flatMap { RangeRules.ContentRange($0) }
      let total = range?.total ?? part.total ?? range.map { $0.last + 1 }
      let isOurs = head != nil
      let new = FetchHead(
        url: answer.url.description, status: 206, headers: headers, length: total, offset: part.count)
      try check(new)
      count = part.count
      self.part = nil
      metrics.bytesSaved += part.count
      note(.resumed(url: request.url, at: part.count))
      // What came before in this run has its head; that of the whole body stays.
      let head = isOurs ? head ?? new : new
      self.head = head
      arrive(Arrival(body: answer.response.body, slot: answer.slot, head: head, end: total))
      return isOurs ? .again : .event(.head(head))
    }

    /// Judges what is to come before a byte of it is read.
    private func check(_ head: FetchHead) throws(LoadingError) {
      if let encoding = RangeRules.encoding(head.headers) {
        throw error(
          .badResponse, "a body encoded as \(encoding.prefix(20)), and none was asked for", status: head.status)
      }
      if let length = head.length, length > request.limits.maxBytes {
        throw error(
          .tooLarge, "a body of \(length) bytes, \(request.limits.maxBytes) are allowed", status: head.status)
      }
      if let why = fetcher.options.refusal(head) { throw error(.notAPicture, why, status: head.status) }
    }
  }
#endif
