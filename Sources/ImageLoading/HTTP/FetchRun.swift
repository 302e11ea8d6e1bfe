// SPDX-License-Identifier: Apache-2.0
#if Loading
  import HTTPTypes

  /// One request from the first event to the last. It works only while an event is asked for.
  actor FetchRun {
    /// A body that arrives, and what is known of it.
    struct Arrival {
      let body: any TransportBody
      let slot: FetchQueue.Slot
      let head: FetchHead
      /// The bytes after the last one, or nil if that is not said.
      let end: Int?
    }

    /// What is known after a step.
    enum Step {
      case event(FetchPart)
      case again
    }

    private enum Phase {
      case idle
      case arriving(Arrival)
      case ended
    }

    let fetcher: HTTPFetcher
    let request: FetchRequest
    var metrics = HTTPFetcher.Metrics()
    /// What the next request continues.
    var part: PartialBody?
    /// The head that was given out last.
    var head: FetchHead?
    /// Bytes of the body that are there, also those that were there before.
    var count = 0
    private var phase = Phase.idle
    private var rate: RateWindow
    private var start: Duration?
    private var tries = 0
    private var sawInternalError = false
    private var isBusy = false

    init(_ fetcher: HTTPFetcher, _ request: FetchRequest) {
      self.fetcher = fetcher
      self.request = request
      part = request.partial
      rate = RateWindow(least: request.limits.minRate)
    }

    var clock: FetchClock { fetcher.options.clock }
    var deadline: Duration { (start ?? clock.now()) + request.limits.deadline }

    func note(_ note: HTTPFetcher.Event) { fetcher.options.onEvent?(note) }

    func error(_ code: LoadingError.Code, _ message: String, status: Int? = nil) -> LoadingError {
      LoadingError(code, message, url: String(request.url.prefix(200)), status: status)
    }

    /// The next event, or nil at the end.
    func next() async throws -> FetchPart? {
      // Two tasks that iterate one stream: neither would get a body.
      guard !isBusy else { throw error(.badRequest, "two tasks that iterate the events of one request") }
      isBusy = true
      defer { isBusy = false }
      do {
        if start == nil { try begin() }
        while true {
          switch phase {
          case .ended: return nil
          case .idle: if case .event(let event) = try await attempt() { return event }
          case .arriving(let arrival):
            if let bytes = try await receive(arrival) { return .bytes(bytes) }
          }
        }
      } catch {
        end()
        if Task.isCancelled || error is CancellationError { throw self.error(.cancelled, "the request was cancelled") }
        throw error
      }
    }

    private func begin() throws(LoadingError) {
      start = clock.now()
      try RequestHeaders.check(request.headers, request.url)
      let most = request.limits.maxBytes
      if let part, part.count > most || part.count < 1 || part.total.map({ $0 <= part.count }) ?? false {
        throw error(.badRequest, "a part of \(part.count) bytes, 1 to \(min(most, part.total ?? most)) may be there")
      }
      count = part?.count ?? 0
    }

    /// The last of it.
    func end() {
      if case .ended = phase { return }
      phase = .ended
      metrics.duration = start.map { clock.now() - $0 } ?? .zero
      note(.finished(url: request.url, metrics))
    }

    func arrive(_ arrival: Arrival) {
      rate = RateWindow(least: request.limits.minRate)
      phase = .arriving(arrival)
    }

    // MARK: Tries

    /// Sends the request once, with redirects.
    private func attempt() async throws -> Step {
      tries += 1
      do {
        return try take(try await answer())
      } catch let failure as TransportFailure {
        try await waitForRetry(failure, status: nil, retryAfter: nil)
        return .again
      } catch let busy as BusyAnswer {
        try await waitForRetry(
          TransportFailure(.broken, "the status \(busy.status)"), status: busy.status, retryAfter: busy.retryAfter)
        return .again
      }
    }

    /// Waits until the request may be sent again.
    ///
    /// - Throws: What the failure means to the caller, if it may not.
    private func waitForRetry(_ failure: TransportFailure, status: Int?, retryAfter: Duration?) async throws {
      let again = status.map { "the server answered with the status \($0)" } ?? failure.message
      let final = error(
        Self.code(failure, status), tries > 1 ? "\(again), after \(tries) tries" : again, status: status)
      guard failure.isPassing, tries < request.limits.maxTries else { throw final }
      if status == 500 {
        guard !sawInternalError else { throw final }
        sawInternalError = true
      }
      let options = fetcher.options
      let delay = options.retry.delay(afterTries: tries, retryAfter: retryAfter, random: options.random())
      let time = clock.now() + delay
      guard time < deadline else { throw final }
      guard fetcher.budgets.take(hostOfRequest) else { throw final }
      metrics.retries += 1
      note(.retrying(url: request.url, after: delay, why: again))
      try await clock.sleep(time)
    }

    private static func code(_ failure: TransportFailure, _ status: Int?) -> LoadingError.Code {
      if status != nil { return .status }
      return switch failure.kind {
      case .connect, .broken, .security: .connection
      case .timeout: .timeout
      case .malformed: .badResponse
      case .forbidden: .forbidden
      }
    }

    private var hostOfRequest: String { (try? URLParts(request.url))?.host ?? "" }

    /// Whether this is the first time that the request is sent.
    var isFirstTry: Bool { tries == 1 }

    /// A status may be passing only while tries are left: the answer to the last one is an error like any other.
    struct BusyAnswer: Error {
      let status: Int
      let retryAfter: Duration?
    }

    // MARK: The body

    /// The next bytes, or nil when there are none or the rest has to be asked for again.
    private func receive(_ arrival: Arrival) async throws -> [UInt8]? {
      let bytes: [UInt8]?
      do {
        bytes = try await nextBytes(arrival)
        if bytes == nil, let end = arrival.end, count < end {
          throw TransportFailure(.broken, "the body ended after \(count) of \(end) bytes")
        }
      } catch let failure as TransportFailure {
        // The connection and the place go before the wait.
        phase = .idle
        keepPart(arrival)
        try await waitForRetry(failure, status: nil, retryAfter: nil)
        return nil
      }
      guard let bytes else {
        end()
        return nil
      }
      metrics.bytesReceived += bytes.count
      count += bytes.count
      if let end = arrival.end, count > end {
        throw error(.badResponse, "a body of \(count) bytes and more, whose length is \(end)")
      }
      guard count <= request.limits.maxBytes else {
        throw error(.tooLarge, "a body of \(count) bytes and more, \(request.limits.maxBytes) are allowed")
      }
      return bytes
    }

    /// What came may be continued, if the server said how it can be told from another.
    private func keepPart(_ arrival: Arrival) {
      part = nil
      if count > 0, let validator = RangeRules.validator(arrival.head.headers) {
        part = PartialBody(count: count, total: arrival.end, validator: validator)
      }
    }

    /// Waits for bytes, up to the deadline and not below the least rate.
    private func nextBytes(_ arrival: Arrival) async throws -> [UInt8]? {
      enum Outcome {
        case bytes([UInt8]?)
        case time
      }
      let (body, clock) = (arrival.body, clock)
      return try await withThrowingTaskGroup(of: Outcome.self) { group in
        defer { group.cancelAll() }
        group.addTask { .bytes(try await body.next()) }
        while true {
          let began = clock.now()
          let until = min(deadline, began + rate.timeLeft)
          group.addTask {
            try await clock.sleep(until)
            return .time
          }
          let outcome = try await group.next()
          var arrived = 0
          if case .bytes(let bytes?) = outcome { arrived = bytes.count }
          let isSlow = rate.add(arrived, clock.now() - began)
          if case .bytes(nil) = outcome { return nil }
          guard clock.now() < deadline else {
            throw error(.timeout, "the body had \(count) bytes after \(request.limits.deadline), the time allowed")
          }
          guard isSlow else {
            if case .bytes(let bytes) = outcome { return bytes }
            continue
          }
          let what =
            "\(rate.lastCount) bytes in \(RateWindow.length), \(request.limits.minRate) a second are the least"
          if rate.isSilent { throw TransportFailure(.timeout, what) }
          throw error(.timeout, what)
        }
      }
    }
  }
#endif
