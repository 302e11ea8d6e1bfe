// SPDX-License-Identifier: Apache-2.0
#if Loading
  import HTTPTypes

  extension HTTPFetcher {
    /// How a fetcher works.
    public struct Options: Sendable {
      /// Requests at a time in all.
      public var maxRequests = 32
      /// Requests at a time to one host.
      public var maxRequestsPerHost = 6
      /// How long the head of an answer may take, for each try. A body is bound by the rate and the deadline of the request.
      public var headTimeout: Duration = .seconds(15)
      /// When a request is sent again.
      public var retry = RetryPolicy()
      /// Whether a redirect may lead from https to http.
      public var allowsInsecureRedirects = false
      /// Sent unless the request says otherwise.
      public var userAgent = "ImageCoders"
      /// Sent unless the request says otherwise.
      public var accept = "image/*, */*;q=0.5"
      /// Why an answer carries no picture, or nil if it may: asked with the head of an answer before its body is read.
      public var refusal: @Sendable (FetchHead) -> String? = { ContentRules.refusal($0.headers) }
      /// Called with what happens, on whatever thread; returns soon.
      public var onEvent: (@Sendable (Event) -> Void)?
      /// The times by which it waits.
      public var clock = FetchClock.system
      /// In 0..<1, for the times between tries.
      public var random: @Sendable () -> Double = { Double.random(in: 0..<1) }

      /// Makes the standard options.
      public init() {}
    }

    /// What happens while bytes are fetched.
    public enum Event: Sendable, Hashable {
      /// A request was sent. `from` is the byte from which on the body was asked for.
      case sent(url: String, from: Int)
      /// An answer led elsewhere.
      case redirected(from: String, to: String)
      /// A try failed, and the next one comes after a time.
      case retrying(url: String, after: Duration, why: String)
      /// The server goes on after so many bytes, which need not come again.
      case resumed(url: String, at: Int)
      /// What was there of a body is void.
      case restarted(url: String, why: String)
      /// The end, well or not. It does not come when who iterates leaves before.
      case finished(url: String, Metrics)
    }

    /// What an exchange took.
    public struct Metrics: Sendable, Hashable {
      /// Requests sent, redirects and retries among them.
      public var requests = 0
      /// Redirects that were followed.
      public var redirects = 0
      /// Requests that were sent again.
      public var retries = 0
      /// Bytes of bodies that came, also those that were void later.
      public var bytesReceived = 0
      /// Bytes that did not have to come again, because the body was continued.
      public var bytesSaved = 0
      /// Time from the first event that was asked for to the end.
      public var duration: Duration = .zero
    }
  }

  /// Fetches bytes from servers: follows redirects, tries again, continues broken bodies, and holds to limits.
  ///
  /// - Redirects: 301, 302, 303, 307 and 308, up to a number and in no loop; each is judged like the first. At another
  ///   origin, all headers but `Accept`, `Accept-Language` and `User-Agent` are dropped, for good.
  /// - Encoded bodies (`Content-Encoding`) are refused before a byte is read: none is asked for, a picture gains nothing
  ///   from one, and it may be far larger than it looks.
  /// - Status, length and type are judged by the head; then bytes by number and rate.
  public final class HTTPFetcher: Fetching {
    let transport: any HTTPTransport
    let options: Options
    let queue: FetchQueue
    let budgets: RetryBudgets

    /// Makes a fetcher over a transport.
    public init(transport: any HTTPTransport, options: Options = Options()) {
      self.transport = transport
      self.options = options
      queue = FetchQueue(total: options.maxRequests, perHost: options.maxRequestsPerHost)
      budgets = RetryBudgets(options.retry)
    }

    /// Makes a fetcher that connects to servers which a policy allows.
    public convenience init(policy: AddressPolicy = .any, options: Options = Options()) {
      self.init(transport: AsyncHTTPClientTransport(policy: policy), options: options)
    }

    /// Sends a request and gives what comes, as ``Fetching/fetch(_:)``.
    public func fetch(_ request: FetchRequest) -> AsyncThrowingStream<FetchPart, any Error> {
      let run = FetchRun(self, request)
      return AsyncThrowingStream { try await run.next() }
    }
  }
#endif
