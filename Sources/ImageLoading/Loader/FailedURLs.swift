// SPDX-License-Identifier: Apache-2.0
#if Loading
  import ImageCoderModel

  /// Sources that failed for good, and are not asked for again for some time.
  final class FailedURLs: Sendable {
    private struct State {
      var failures: [String: (error: LoadingError, until: Double)] = [:]
    }

    private let state = Lock(State())
    private let lifetime: Double
    private static let most = 4096

    /// - Parameter lifetime: Zero: nothing is noted.
    init(lifetime: Duration) { self.lifetime = lifetime / .seconds(1) }

    var count: Int { state.withLock { $0.failures.count } }

    /// Why a source failed, or nil if it did not, or long ago.
    func failure(_ source: String, at now: Double) -> LoadingError? {
      state.withLock { state in
        guard let (error, until) = state.failures[source] else { return nil }
        if now < until { return error }
        state.failures[source] = nil
        return nil
      }
    }

    /// Notes a failure, if trying again would be in vain.
    func note(_ error: LoadingError, _ source: String, at now: Double) {
      guard lifetime > 0, error.isLasting else { return }
      state.withLock { state in
        if state.failures.count >= Self.most {
          state.failures = state.failures.filter { now < $0.value.until }
          // A list that is full of what failed just now begins anew: it saves work, and proves nothing.
          if state.failures.count >= Self.most { state.failures = [:] }
        }
        state.failures[source] = (error, now + lifetime)
      }
    }

    /// Forgets a failure, or all.
    func remove(_ source: String?) {
      state.withLock { state in
        if let source { state.failures[source] = nil } else { state.failures = [:] }
      }
    }
  }

  extension LoadingError {
    /// Whether the same request would most likely fail again: not for what depends on the network or on the load of a server.
    var isLasting: Bool {
      switch code {
      case .forbidden, .badResponse, .redirects, .tooLarge, .notAPicture, .decoding: true
      case .status: status.map { (400..<500).contains($0) && ![401, 403, 407, 408, 425, 429].contains($0) } ?? false
      default: false
      }
    }

    /// The same error with the source that it is about.
    func about(_ name: String) -> LoadingError {
      var error = self
      error.url = url ?? name
      return error
    }

    /// What a decoder says of bytes that have come.
    init(_ error: CoderError, url: String) {
      switch error.code {
      case .cancelled: self = .cancelled
      case .noCoder, .wrongFormat: self.init(.notAPicture, error.message, url: url, cause: error)
      case .io: self.init(.io, error.message, url: url, cause: error)
      default: self.init(.decoding, "\(error.code): \(error.message)", url: url, cause: error)
      }
    }
  }
#endif
