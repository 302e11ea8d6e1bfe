// SPDX-License-Identifier: Apache-2.0
#if Loading
  import HTTPTypes

  /// Whether a stored answer may be used.
  enum Freshness: Sendable, Hashable {
    case fresh
    /// Stale, but to be used while the server is asked.
    case usableWhileValidated
    case stale
  }

  /// The rules of HTTP for a cache of one user's own (RFC 9111), as pure functions of an answer and a time.
  struct CacheRules: Sendable {
    /// The share of its age at the answer for which one stays fresh that does not say how long.
    static let heuristicShare = 0.1
    /// The longest such time in seconds.
    static let heuristicMost = 86400.0

    // MARK: Storing

    /// Statuses of answers that are pictures: those whose body is whole.
    private static let stored: Set<Int> = [200, 203, 206]

    /// Whether an answer may be kept. A 206 is one that was continued, and is whole now. (Section 3)
    ///
    /// Answers to requests with credentials may be kept: the cache is the user's own (section 3.5). Who keeps them has
    /// to keep them apart by credentials.
    func mayStore(_ head: FetchHead, _ headers: HTTPFields) -> Bool {
      Self.stored.contains(head.status) && !CacheControl(headers[.cacheControl]).has("no-store")
        && !CacheControl(Self.text(head.headers, "cache-control")).has("no-store")
        && !Self.names(head.headers[values: .vary].joined(separator: ",")).contains("*")
    }

    /// What is kept of an answer.
    func stored(_ head: FetchHead, sent: Double, received: Double, to headers: HTTPFields) -> StoredResponse {
      let names = Self.names(head.headers[values: .vary].joined(separator: ","))
      return StoredResponse(
        url: head.url, headers: Self.kept(head.headers), requestTime: sent, responseTime: received,
        varying: names.sorted().map { [$0, Self.text(headers, $0) ?? ""] })
    }

    /// A stored answer that the server confirmed, with the headers of the 304: each name that it has replaces what was
    /// there, but for what describes the body. (Section 3.2)
    func updated(
      _ response: StoredResponse, _ headers: HTTPFields, sent: Double, received: Double
    ) -> StoredResponse {
      let new = Self.kept(headers).filter { !Self.ofBody.contains($0[0]) }
      let names = Set(new.map { $0[0] })
      var updated = response
      updated.headers = response.headers.filter { $0.first.map { !names.contains($0) } ?? false } + new
      updated.requestTime = sent
      updated.responseTime = received
      return updated
    }

    /// What describes the body that is stored, and not the answer that confirms it.
    private static let ofBody: Set<String> = [
      "content-encoding", "content-length", "content-range", "content-type", "content-location",
    ]

    /// What belongs to a connection and not to an answer (section 3.1), and what must not lie on a disk.
    private static let notKept: Set<String> = [
      "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
      "proxy-connection", "set-cookie", "set-cookie2", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    private static func kept(_ headers: HTTPFields) -> [[String]] {
      let named = names(headers[values: .connection].joined(separator: ","))
      return headers.filter { !notKept.contains($0.name.canonicalName) && !named.contains($0.name.canonicalName) }
        .map { [$0.name.canonicalName, $0.value] }
    }

    // MARK: Variants

    /// The names of `Vary`, in lower case and in order. (Section 4.1)
    func variants(_ response: StoredResponse) -> [String] { Self.names(response.value("vary") ?? "").sorted() }

    /// Whether a stored answer is one to a request with these headers: those that `Vary` names are the same.
    func matches(_ response: StoredResponse, _ headers: HTTPFields) -> Bool {
      let names = variants(response)
      guard !names.contains("*") else { return false }
      return names.allSatisfy { name in
        let then = response.varying.first { $0.count == 2 && $0[0] == name }?[1] ?? ""
        return Self.normalized(then) == Self.normalized(Self.text(headers, name) ?? "")
      }
    }

    /// White space around commas means nothing.
    private static func normalized(_ value: String) -> [String] {
      value.split(separator: ",", omittingEmptySubsequences: true).map { part in
        let words = part.split { $0 == " " || $0 == "\t" }
        return words.joined(separator: " ")
      }
    }

    // MARK: Freshness

    /// Whether a stored answer may be used for a request.
    ///
    /// - Parameters:
    ///   - now: Seconds since 1970.
    ///   - request: The request's headers: `Cache-Control` may ask for more or for less (section 5.2.1).
    func freshness(_ response: StoredResponse, at now: Double, request: HTTPFields = [:]) -> Freshness {
      let control = CacheControl(response.value("cache-control"))
      let asked = CacheControl(request[.cacheControl] ?? Self.text(request, "pragma"))
      if control.has("no-cache") || control.has("no-store") || asked.has("no-cache") || asked.has("no-store") {
        return .stale
      }
      // An answer of before HTTP/1.1 says it in this way (section 5.4).
      if response.value("cache-control") == nil, response.value("pragma")?.lowercased() == "no-cache" { return .stale }
      let age = age(of: response, at: now)
      if let most = asked.seconds("max-age"), age > most { return .stale }
      let left = lifetime(of: response) - age
      if left > 0, left >= asked.seconds("min-fresh") ?? 0 { return .fresh }
      guard !control.has("must-revalidate") else { return .stale }
      if left <= 0, asked.has("max-stale") {
        // Without a number, any staleness will do.
        let most =
          asked.directives["max-stale"].map { $0.isEmpty } ?? false ? .infinity : asked.seconds("max-stale") ?? 0
        if -left <= most { return .fresh }
      }
      if left <= 0, let window = control.seconds("stale-while-revalidate"), -left < window {
        return .usableWhileValidated
      }
      return .stale
    }

    /// Whether a stale answer may be used because the server cannot be asked or answers with a status from 500 on.
    ///
    /// - Parameter always: Whether it may also when the answer does not say so (`stale-if-error`).
    func mayUseAfterError(_ response: StoredResponse, at now: Double, always: Bool) -> Bool {
      let control = CacheControl(response.value("cache-control"))
      guard !control.has("must-revalidate"), !control.has("no-cache"), !control.has("no-store") else {
        return freshness(response, at: now) == .fresh
      }
      if always { return true }
      let stale = age(of: response, at: now) - lifetime(of: response)
      return stale < control.seconds("stale-if-error") ?? 0
    }

    /// Whether a request may be answered from the cache alone, and from nowhere else.
    func isOnlyIfCached(_ request: HTTPFields) -> Bool { CacheControl(request[.cacheControl]).has("only-if-cached") }

    /// Whether the bytes of a URL never change while the answer is fresh, so that a reload need not ask either.
    /// (RFC 8246)
    func isImmutable(_ response: StoredResponse, at now: Double) -> Bool {
      CacheControl(response.value("cache-control")).has("immutable") && freshness(response, at: now) == .fresh
    }

    /// For how many seconds an answer is fresh. `s-maxage` is for caches that several share. (Section 4.2.1)
    func lifetime(of response: StoredResponse) -> Double {
      let control = CacheControl(response.value("cache-control"))
      if let age = control.seconds("max-age") { return age }
      let date = date(of: response)
      if let text = response.value("expires") {
        // What is no date, `0` above all, lies in the past.
        return max(0, (HTTPDate.seconds(text, now: response.responseTime) ?? 0) - date)
      }
      guard let text = response.value("last-modified"),
        let modified = HTTPDate.seconds(text, now: response.responseTime)
      else { return 0 }
      return min(max(0, date - modified) * Self.heuristicShare, Self.heuristicMost)
    }

    /// How many seconds old an answer is. (Section 4.2.3)
    func age(of response: StoredResponse, at now: Double) -> Double {
      let said = response.value("age").flatMap { text in
        CacheControl("age=\(text.prefix { $0 != "," })").seconds("age")
      }
      let apparent = max(0, response.responseTime - date(of: response))
      let corrected = (said ?? 0) + max(0, response.responseTime - response.requestTime)
      return max(apparent, corrected) + max(0, now - response.responseTime)
    }

    private func date(of response: StoredResponse) -> Double {
      response.value("date").flatMap { HTTPDate.seconds($0, now: response.responseTime) } ?? response.responseTime
    }

    // MARK: Validators

    /// What can be sent in `If-Range`, or nil.
    func rangeValidator(_ head: FetchHead) -> String? { RangeRules.validator(head.headers) }

    /// Whether the server can be asked if an answer is still right.
    func canConfirm(_ response: StoredResponse) -> Bool {
      response.value("etag") != nil || response.value("last-modified") != nil
    }

    // MARK: Words

    private static func names(_ text: String) -> Set<String> {
      Set(text.split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }.filter { !$0.isEmpty })
    }

    private static func text(_ headers: HTTPFields, _ name: String) -> String? {
      HTTPField.Name(name).flatMap { headers[$0] }
    }
  }
#endif
