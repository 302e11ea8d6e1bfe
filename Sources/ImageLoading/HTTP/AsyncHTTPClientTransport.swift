// SPDX-License-Identifier: Apache-2.0
#if Loading
  import AsyncHTTPClient
  import Glibc
  import HTTPTypes
  import NIOCore
  import NIOHTTP1
  import NIOPosix

  /// Sends requests with AsyncHTTPClient, over HTTP/1.1 or, where the server speaks it, HTTP/2, to servers that a policy
  /// allows.
  ///
  /// Under a policy that judges addresses, a name is resolved once, all its addresses are judged, and the connection goes
  /// to one that was judged: nobody resolves the name again, so it cannot change in between. Each connection is judged
  /// again by the address at its other end before a request is sent.
  public final class AsyncHTTPClientTransport: HTTPTransport {
    /// What connections are like.
    public struct Options: Sendable {
      /// How long a connection may take.
      public var connectTimeout: Duration = .seconds(10)
      /// How long a connection is kept for the next request.
      public var idleTimeout: Duration = .seconds(60)
      /// Connections of HTTP/1.1 to a host.
      public var connectionsPerHost = 8

      /// Makes the standard options.
      public init() {}
    }

    private let policy: AddressPolicy
    private let resolver: any HostResolving
    private let clients: PinnedClients
    /// Whether connections go to the judged address. A test of the second check does without the first.
    private let pins: Bool
    /// Addresses of a host that are tried.
    private static let mostAddresses = 3

    /// Makes a transport. Its connections are closed when it is gone.
    public convenience init(
      policy: AddressPolicy = .any, options: Options = Options(), resolver: any HostResolving = SystemResolver()
    ) {
      self.init(policy: policy, options: options, resolver: resolver, pins: true)
    }

    init(policy: AddressPolicy, options: Options, resolver: any HostResolving, pins: Bool) {
      self.policy = policy
      self.resolver = resolver
      self.pins = pins
      clients = PinnedClients { host, address in
        HTTPClient(
          eventLoopGroupProvider: .singleton,
          configuration: Self.configuration(policy, options, address.map { [host: $0.description] } ?? [:]))
      }
    }

    /// Connections that are open for hosts whose addresses were judged.
    var pinnedCount: Int { clients.count }

    /// Sends a request under the policy. As ``HTTPTransport/send(_:)``.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
      try policy.check(request.url)
      guard policy.judgesAddresses, pins, IPAddress(request.url.host) == nil else {
        if policy.judgesAddresses, IPAddress(request.url.host) == nil { _ = try await judged(request.url) }
        return try await execute(request, clients.take("", nil))
      }
      var last: TransportFailure?
      for address in try await judged(request.url).prefix(Self.mostAddresses) {
        do {
          return try await execute(request, clients.take(request.url.host, address))
        } catch let failure as TransportFailure where failure.kind == .connect {
          last = failure
        }
      }
      throw last ?? TransportFailure(.connect, "no address of \(request.url.host)")
    }

    /// The addresses of a host, all of which are allowed.
    private func judged(_ url: URLParts) async throws -> [IPAddress] {
      let addresses = try await resolver.addresses(of: url.host)
      for address in addresses {
        guard let reason = policy.refusal(of: address) else { continue }
        throw LoadingError(.forbidden, "the host \(url.host) has \(reason)", url: url.description)
      }
      return addresses
    }

    private func execute(_ request: TransportRequest, _ lease: PinnedClients.Lease) async throws -> TransportResponse {
      var sent = HTTPClientRequest(url: request.url.description)
      for field in request.headers { sent.headers.add(name: field.name.rawName, value: field.value) }
      do {
        // The deadline is the caller's, who cancels.
        let response = try await lease.client.execute(sent, deadline: .distantFuture)
        var headers = HTTPFields()
        for (name, value) in response.headers {
          if let name = HTTPField.Name(name) { headers.append(HTTPField(name: name, value: value)) }
        }
        return TransportResponse(
          status: Int(response.status.code), headers: headers, body: ClientBody(response.body, lease))
      } catch {
        throw Self.failure(error)
      }
    }

    private final class ClientBody: TransportBody, @unchecked Sendable {
      // One task at a time asks for bytes, so the iterator is not shared.
      private var iterator: HTTPClientResponse.Body.AsyncIterator
      private let lease: PinnedClients.Lease

      init(_ body: HTTPClientResponse.Body, _ lease: PinnedClients.Lease) {
        iterator = body.makeAsyncIterator()
        self.lease = lease
      }

      func next() async throws -> [UInt8]? {
        do {
          while let buffer = try await iterator.next() {
            if buffer.readableBytes > 0 { return Array(buffer.readableBytesView) }
          }
          return nil
        } catch {
          throw AsyncHTTPClientTransport.failure(error)
        }
      }
    }

    private static func configuration(
      _ policy: AddressPolicy, _ options: Options, _ addresses: [String: String]
    ) -> HTTPClient.Configuration {
      var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
      configuration.decompression = .disabled
      configuration.dnsOverride = addresses
      configuration.timeout.connect = TimeAmount(options.connectTimeout)
      configuration.connectionPool.idleTimeout = TimeAmount(options.idleTimeout)
      configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(1, options.connectionsPerHost)
      // Else a refused connection is reported after the whole time that a connection may take.
      configuration.connectionPool.retryConnectionEstablishment = false
      guard policy.judgesAddresses else { return configuration }
      let judge: @Sendable (any Channel) -> EventLoopFuture<Void> = { channel in
        let address = channel.remoteAddress?.ipAddress.flatMap { IPAddress($0) }
        guard let reason = address.map({ policy.refusal(of: $0) }) ?? "an address that cannot be told" else {
          return channel.eventLoop.makeSucceededVoidFuture()
        }
        channel.close(promise: nil)
        return channel.eventLoop.makeFailedFuture(TransportFailure(.forbidden, "a connection to \(reason)"))
      }
      configuration.http1_1ConnectionDebugInitializer = judge
      configuration.http2ConnectionDebugInitializer = judge
      return configuration
    }

    // MARK: Failures

    /// What an error of the client is.
    static func failure(_ error: any Error) -> any Error {
      switch error {
      case is TransportFailure, is CancellationError, is LoadingError: return error
      case let error as HTTPClientError: return failureOfClient(error)
      case HTTPParserError.invalidEOFState: return TransportFailure(.broken, "the connection ended within an answer")
      case let error as HTTPParserError: return TransportFailure(.malformed, "an answer that is not HTTP: \(error)")
      case is NIOConnectionError: return TransportFailure(.connect, "no connection: \(error)")
      case let error as IOError where [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH].contains(error.errnoCode):
        return TransportFailure(.connect, "no connection: \(error)")
      case is IOError, is ChannelError: return TransportFailure(.broken, "the connection broke: \(error)")
      default:
        // The errors of TLS and HTTP/2 belong to packages that this one does not name.
        let type = String(reflecting: type(of: error))
        if type.hasPrefix("NIOSSL.") { return TransportFailure(.security, "no secure connection: \(error)") }
        return TransportFailure(.broken, "the connection broke: \(error)")
      }
    }

    private static func failureOfClient(_ error: HTTPClientError) -> any Error {
      switch error {
      case .cancelled, .requestStreamCancelled: return CancellationError()
      case .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
        return TransportFailure(.timeout, "no connection in time: \(error.shortDescription)")
      case .readTimeout, .writeTimeout, .deadlineExceeded:
        return TransportFailure(.timeout, "no answer in time: \(error.shortDescription)")
      case .remoteConnectionClosed: return TransportFailure(.broken, "the server closed the connection")
      case .invalidURL, .emptyHost:
        return TransportFailure(.malformed, error.shortDescription)
      default: return TransportFailure(.broken, "the connection broke: \(error.shortDescription)")
      }
    }
  }

  extension TimeAmount {
    fileprivate init(_ duration: Duration) {
      self = .milliseconds(Int64(min(max(duration / .milliseconds(1), 1), 86_400_000)))
    }
  }
#endif
