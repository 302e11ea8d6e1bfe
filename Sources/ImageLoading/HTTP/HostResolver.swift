// SPDX-License-Identifier: Apache-2.0
#if Loading
  import Glibc
  import ImageCoderModel
  import NIOPosix

  /// Knows the addresses of hosts.
  public protocol HostResolving: Sendable {
    /// All addresses of a name, those to be tried first in front.
    ///
    /// - Throws: ``TransportFailure`` if there are none.
    func addresses(of host: String) async throws -> [IPAddress]
  }

  /// The resolver of the system: `/etc/hosts`, DNS and what else it is set up for.
  public struct SystemResolver: HostResolving {
    /// Makes a resolver.
    public init() {}

    /// Asks the system, on a thread that may wait.
    public func addresses(of host: String) async throws -> [IPAddress] {
      // The system's call cannot be cancelled: who waits may leave before it returns.
      let answer = Answer()
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          answer.wait(continuation)
          NIOThreadPool.singleton.submit { state in
            switch state {
            case .active: answer.give(Self.lookUp(host))
            case .cancelled: answer.give(.failure(TransportFailure(.connect, "the thread pool is shut down")))
            }
          }
        }
      } onCancel: {
        answer.give(.failure(CancellationError()))
      }
    }

    private final class Answer: Sendable {
      typealias Value = Result<[IPAddress], any Error>
      private enum State {
        case empty
        case waiting(CheckedContinuation<[IPAddress], any Error>)
        case given(Value)
      }
      private let state = Lock(State.empty)

      func wait(_ continuation: CheckedContinuation<[IPAddress], any Error>) {
        let value = state.withLock { state -> Value? in
          if case .given(let value) = state { return value }
          state = .waiting(continuation)
          return nil
        }
        if let value { continuation.resume(with: value) }
      }

      /// The first one counts.
      func give(_ value: Value) {
        let continuation = state.withLock { state -> CheckedContinuation<[IPAddress], any Error>? in
          switch state {
          case .given: return nil
          case .empty:
            state = .given(value)
            return nil
          case .waiting(let continuation):
            state = .given(value)
            return continuation
          }
        }
        continuation?.resume(with: value)
      }
    }

    private static func lookUp(_ host: String) -> Result<[IPAddress], any Error> {
      var hints = addrinfo()
      hints.ai_family = AF_UNSPEC
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
      var first: UnsafeMutablePointer<addrinfo>?
      let code = getaddrinfo(host, nil, &hints, &first)
      guard code == 0 else {
        let reason = gai_strerror(code).map { String(cString: $0) } ?? "error \(code)"
        return .failure(TransportFailure(.connect, "no address of \(host.prefix(100)): \(reason.lowercased())"))
      }
      defer { freeaddrinfo(first) }
      var addresses: [IPAddress] = []
      var next = first
      while let info = next?.pointee {
        if let address = address(info), !addresses.contains(address) { addresses.append(address) }
        next = info.ai_next
      }
      return .success(addresses)
    }

    private static func address(_ info: addrinfo) -> IPAddress? {
      guard let raw = UnsafeRawPointer(info.ai_addr) else { return nil }
      switch info.ai_family {
      case AF_INET where Int(info.ai_addrlen) >= MemoryLayout<sockaddr_in>.size:
        let address = raw.loadUnaligned(as: sockaddr_in.self).sin_addr
        return withUnsafeBytes(of: address) { IPAddress(bytes: Array($0)) }
      case AF_INET6 where Int(info.ai_addrlen) >= MemoryLayout<sockaddr_in6>.size:
        let address = raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
        return withUnsafeBytes(of: address) { IPAddress(bytes: Array($0)) }
      default: return nil
      }
    }
  }
#endif
