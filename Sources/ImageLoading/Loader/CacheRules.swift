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

  /// The rules of HTTP for caches, as the loader asks for them (RFC 9111).
  struct CacheRules: Sendable {
    func freshness(_ response: StoredResponse, at now: Double) -> Freshness {
      let control = value("cache-control", response) ?? ""
      var (maxAge, usable): (Double?, Double) = (nil, 0)
      for word in control.split(separator: ",") {
        let parts = word.split(separator: "=").map { $0.filter { $0 != " " } }
        if parts[0] == "max-age", parts.count > 1 { maxAge = Double(parts[1]) }
        if parts[0] == "stale-while-revalidate", parts.count > 1 { usable = Double(parts[1]) ?? 0 }
        if parts[0] == "no-cache" { return .stale }
      }
      let age = now - response.responseTime
      if let maxAge, age < maxAge { return .fresh }
      return age < (maxAge ?? 0) + usable ? .usableWhileValidated : .stale
    }

    /// Whether a stored answer is one to a request with these headers.
    func matches(_ response: StoredResponse, _ headers: HTTPFields) -> Bool { true }
    /// The names of `Vary`, in lower case.
    func variants(_ response: StoredResponse) -> [String] { [] }
    func mayStore(_ head: FetchHead, _ headers: HTTPFields) -> Bool {
      !(head.headers[.cacheControl] ?? "").contains("no-store")
    }
    func stored(_ head: FetchHead, sent: Double, received: Double, to headers: HTTPFields) -> StoredResponse {
      StoredResponse(
        url: head.url, headers: head.headers.map { [$0.name.canonicalName, $0.value] }, requestTime: sent,
        responseTime: received)
    }
    func updated(_ response: StoredResponse, _ headers: HTTPFields, sent: Double, received: Double) -> StoredResponse {
      var updated = response
      updated.requestTime = sent
      updated.responseTime = received
      return updated
    }
    /// What can be sent in `If-Range`.
    func rangeValidator(_ head: FetchHead) -> String? { head.headers[.eTag] }
    func mayUseAfterError(_ response: StoredResponse, at now: Double, always: Bool) -> Bool { always }

    private func value(_ name: String, _ response: StoredResponse) -> String? {
      response.headers.first { $0.first == name }?.last
    }
  }
#endif
