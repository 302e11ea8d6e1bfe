// SPDX-License-Identifier: Apache-2.0
#if Loading
  import ImageCoderModel

  /// When a request is sent again.
  public struct RetryPolicy: Sendable, Hashable {
    /// Before try n, counted from 0, a random time up to `base`·2ⁿ passes, so that clients of a server that came back do
    /// not all come at once.
    public var base: Duration = .milliseconds(300)
    /// The longest such time.
    public var longest: Duration = .seconds(20)
    /// How many retries a host gets for each request: a tenth. A server that is down is not asked four times as often.
    public var budget = 0.1
    /// How many retries a host may have saved up.
    public var savedRetries = 10.0

    /// Makes the standard policy.
    public init() {}

    /// How long to wait before a request is sent again.
    ///
    /// - Parameters:
    ///   - tries: How often it was sent, at least 1.
    ///   - retryAfter: What the server asked for, which is the least.
    ///   - random: In 0..<1.
    func delay(afterTries tries: Int, retryAfter: Duration?, random: Double) -> Duration {
      // 2⁶⁰ times any base is longer than the longest.
      let most = min(longest, base * Double(UInt64(1) << UInt64(min(60, max(0, tries - 1)))))
      return max(most * min(1, max(0, random)), retryAfter ?? .zero)
    }

    /// How an answer with a status is taken that carries no picture.
    static func isPassing(_ status: Int) -> Bool { [408, 429, 500, 502, 503, 504].contains(status) }
  }

  /// Retries that hosts have left.
  final class RetryBudgets: Sendable {
    private let policy: RetryPolicy
    /// A host that is not here has all.
    private let left = Lock<[String: Double]>([:])
    private static let mostHosts = 4096

    init(_ policy: RetryPolicy) { self.policy = policy }

    var hostCount: Int { left.withLock { $0.count } }

    /// A request that is sent for the first time adds its share.
    func noteRequest(_ host: String) {
      left.withLock { left in
        guard let count = left[host] else { return }
        let more = count + policy.budget
        left[host] = more < policy.savedRetries ? more : nil
      }
    }

    /// Takes one retry; false if none is left.
    func take(_ host: String) -> Bool {
      left.withLock { left in
        let count = left[host] ?? policy.savedRetries
        // The sum of ten tenths is a little less than one.
        guard count >= 1 - 1e-9 else { return false }
        if left.count >= Self.mostHosts, left[host] == nil, let other = left.keys.first { left[other] = nil }
        left[host] = count - 1
        return true
      }
    }
  }
#endif
