// SPDX-License-Identifier: Apache-2.0
#if Loading
  public import HTTPTypes

  /// Gets the bytes of a URL from where they are: a server, or in a test from a script.
  ///
  /// The loader asks once for all who want the same bytes. The fetcher follows redirects, retries, resumes and
  /// enforces the limits of the request; the loader keeps, decodes and shares.
  public protocol Fetching: Sendable {
    /// Sends a request and gives what comes, in order.
    ///
    /// The first event is ``FetchPart/head(_:)`` or ``FetchPart/notModified(_:)``. Ending the iteration early, or
    /// cancelling the task, closes the connection.
    ///
    /// Nothing is done before the first event is asked for, and no more than one event is ahead of who iterates: a slow
    /// reader slows the server down. One task iterates.
    ///
    /// - Throws: ``LoadingError`` while the events are iterated.
    func fetch(_ request: FetchRequest) -> AsyncThrowingStream<FetchPart, any Error>
  }

  /// What is asked of a server.
  public struct FetchRequest: Sendable {
    /// Absolute, in canonical form, without a fragment.
    public var url: String
    /// What is sent beside what HTTP needs, credentials among it. Dropped at a redirect to another origin.
    public var headers: HTTPFields
    /// The stored answer that the server is asked to confirm (`If-None-Match`, `If-Modified-Since`), or nil.
    public var revalidating: StoredResponse?
    /// Bytes of an earlier, broken answer, to be continued with `Range` and `If-Range`, or nil.
    public var partial: PartialBody?
    /// How large, how long, how slow.
    public var limits: FetchLimits
    /// How soon it is sent when others wait; may be raised while it waits.
    public var priority: FetchPriority

    /// Makes a request.
    public init(
      url: String, headers: HTTPFields = [:], revalidating: StoredResponse? = nil, partial: PartialBody? = nil,
      limits: FetchLimits = FetchLimits(), priority: FetchPriority = FetchPriority()
    ) {
      self.url = url
      self.headers = headers
      self.revalidating = revalidating
      self.partial = partial
      self.limits = limits
      self.priority = priority
    }
  }

  /// What of an exchange is bounded.
  public struct FetchLimits: Sendable, Hashable {
    /// The most bytes of a body, checked against Content-Length and again while they arrive.
    public var maxBytes = 64 << 20
    /// The time for the whole exchange, with redirects and retries.
    public var deadline: Duration = .seconds(60)
    /// The least rate of a body in bytes per second, as a mean over ten seconds; 0 means none.
    public var minRate = 1024
    /// How many redirects are followed.
    public var maxRedirects = 5
    /// How often a request is sent in all.
    public var maxTries = 4

    /// Makes the standard limits.
    public init() {}
  }

  /// What comes of a request, in order.
  public enum FetchPart: Sendable {
    /// The head of the final answer. A second one means that the bytes so far are void: the server began anew.
    case head(FetchHead)
    /// The next bytes of the body.
    case bytes([UInt8])
    /// The stored answer is still right; these headers update it (RFC 9111 section 3.2). No bytes follow.
    case notModified(HTTPFields)
  }

  /// The head of an answer whose body is the bytes of a picture.
  public struct FetchHead: Sendable {
    /// Where the answer came from after redirects.
    public var url: String
    /// The status of the answer: 200 or 206.
    public var status: Int
    /// The headers of the answer.
    public var headers: HTTPFields
    /// The length of the whole body in bytes, or nil if the server does not say.
    public var length: Int?
    /// Where in the body the first bytes belong: the length of the partial body when that is continued, else 0.
    public var offset: Int

    /// Makes a head of its members.
    public init(url: String, status: Int, headers: HTTPFields, length: Int?, offset: Int = 0) {
      self.url = url
      self.status = status
      self.headers = headers
      self.length = length
      self.offset = offset
    }
  }

  /// What is kept of an answer beside its body (RFC 9111 section 3).
  public struct StoredResponse: Sendable, Hashable, Codable {
    /// Where the answer came from after redirects.
    public var url: String
    /// Names in lower case, and values, in the order of the answer.
    public var headers: [[String]]
    /// When the request was sent and the answer came, in seconds since 1970.
    public var requestTime: Double
    /// When the answer came, in seconds since 1970.
    public var responseTime: Double
    /// The request's headers that `Vary` names, as they were sent.
    public var varying: [[String]]

    /// Makes what is kept of its members.
    public init(
      url: String, headers: [[String]], requestTime: Double, responseTime: Double, varying: [[String]] = []
    ) {
      self.url = url
      self.headers = headers
      self.requestTime = requestTime
      self.responseTime = responseTime
      self.varying = varying
    }
  }

  /// The beginning of a body whose rest did not come.
  public struct PartialBody: Sendable, Hashable {
    /// How many bytes are there.
    public var count: Int
    /// The length of the whole body, or nil if it was not said.
    public var total: Int?
    /// A strong ETag or a Last-Modified date, as it is sent in `If-Range`.
    public var validator: String

    /// Makes the beginning of a body.
    public init(count: Int, total: Int?, validator: String) {
      self.count = count
      self.total = total
      self.validator = validator
    }
  }
#endif
