// SPDX-License-Identifier: Apache-2.0
#if Loading
  public import HTTPTypes

  /// Sends one GET request and gives its answer: no redirects, no retries, no cache. ``HTTPFetcher`` adds these.
  public protocol HTTPTransport: Sendable {
    /// Sends a request; returns when the head of the answer is there.
    ///
    /// - Throws: ``TransportFailure``, or `CancellationError` when the task is cancelled, which ends the exchange.
    func send(_ request: TransportRequest) async throws -> TransportResponse
  }

  /// What is sent: a GET request.
  public struct TransportRequest: Sendable {
    /// Where it goes.
    public var url: URLParts
    /// All but `Host`.
    public var headers: HTTPFields

    /// Makes a request of its members.
    public init(url: URLParts, headers: HTTPFields) {
      self.url = url
      self.headers = headers
    }
  }

  /// What came: the head, and the body as it arrives.
  public struct TransportResponse: Sendable {
    /// The status of the answer.
    public var status: Int
    /// The headers of the answer.
    public var headers: HTTPFields
    /// Releasing it before its end closes the connection.
    public var body: any TransportBody

    /// Makes an answer of its members.
    public init(status: Int, headers: HTTPFields, body: any TransportBody) {
      self.status = status
      self.headers = headers
      self.body = body
    }
  }

  /// A body that arrives. One task at a time asks for it, and nothing is read ahead without limit.
  public protocol TransportBody: AnyObject, Sendable {
    /// The next bytes, or nil at the end that the server meant.
    ///
    /// - Throws: ``TransportFailure``.
    func next() async throws -> [UInt8]?
  }

  /// Why an exchange failed.
  public struct TransportFailure: Error, Sendable, Hashable {
    /// The kind of a failure.
    public enum Kind: Sendable, Hashable {
      /// No connection.
      case connect
      /// The connection broke, before or in the answer.
      case broken
      /// The server did not answer in time.
      case timeout
      /// No trust in the server: its certificate, or none of its ways to encrypt.
      case security
      /// What came is not HTTP.
      case malformed
      /// The policy forbids the address.
      case forbidden
    }
    /// The kind of failure.
    public let kind: Kind
    /// What was found. Lower case, no final period.
    public let message: String

    /// Makes a failure.
    public init(_ kind: Kind, _ message: String) {
      self.kind = kind
      self.message = message
    }

    /// Whether the same request may succeed when it is sent again.
    var isPassing: Bool {
      switch kind {
      case .connect, .broken, .timeout: true
      case .security, .malformed, .forbidden: false
      }
    }
  }
#endif
