// SPDX-License-Identifier: Apache-2.0
#if Loading
  import Glibc

  /// The times by which a fetcher waits. Tests have one of their own.
  public struct FetchClock: Sendable {
    /// The time since some moment; never goes back.
    public var now: @Sendable () -> Duration
    /// Seconds since 1970, by which the dates of a server are understood.
    public var date: @Sendable () -> Double
    /// Returns when ``now`` has reached a time, or throws `CancellationError` when the task is cancelled.
    public var sleep: @Sendable (_ until: Duration) async throws -> Void

    /// Makes a clock of its three functions.
    public init(
      now: @escaping @Sendable () -> Duration, date: @escaping @Sendable () -> Double,
      sleep: @escaping @Sendable (_ until: Duration) async throws -> Void
    ) {
      self.now = now
      self.date = date
      self.sleep = sleep
    }

    /// The machine's clocks.
    public static let system: FetchClock = {
      let start = ContinuousClock.now
      return FetchClock(
        now: { start.duration(to: .now) },
        date: {
          var time = timespec()
          clock_gettime(CLOCK_REALTIME, &time)
          return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        },
        sleep: { until in try await Task.sleep(until: start.advanced(by: until), clock: .continuous) })
    }()

    /// Does something until a time.
    ///
    /// - Returns: Nil if it was not done by then; it is cancelled.
    func run<Value: Sendable>(
      until time: Duration, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
      try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await work() }
        group.addTask {
          try await sleep(time)
          return nil
        }
        defer { group.cancelAll() }
        return try await group.next() ?? nil
      }
    }
  }
#endif
