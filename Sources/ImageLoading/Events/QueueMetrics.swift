// SPDX-License-Identifier: Apache-2.0
#if Loading
  public import CoreMetrics
  public import ImageCoderEngine
  import ImageCoderModel

  /// Counts what happens in a queue of work, for all that the program decodes, encodes and processes.
  ///
  ///     let queue = QueueMetrics(MetricsSystem.factory) { $0.map { plan(of: $0) } ?? "none" }
  ///     WorkQueue.shared.onEvent = queue.note
  ///
  /// | metric | says |
  /// |---|---|
  /// | `image_queue_waiting`, `image_queue_running` | jobs, at the last event or ``record()`` |
  /// | `image_queue_longest_wait_seconds` | how long the first job that waits has waited, at the same time |
  /// | `image_queue_refused` | jobs that the policy refused |
  /// | `image_queue_wait_seconds`, `image_queue_run_seconds` | timers of jobs that have run |
  ///
  /// With a closure that names tenants, all but `image_queue_running` and `image_queue_longest_wait_seconds` have the dimension
  /// `tenant`; the sum of `image_queue_run_seconds` is a tenant's share of the processors.
  public final class QueueMetrics: Sendable {
    private let queue: WorkQueue
    private let factory: any MetricsFactory
    private let tenant: (@Sendable (String?) -> String)?
    private let running, longestWait: Gauge
    private let all = Lock<[String: Series]>([:])

    /// The metrics of some tenants.
    private struct Series {
      let refused: Counter
      let waiting: Gauge
      let waits, runs: Timer
    }

    /// - Parameters:
    ///   - factory: Where the metrics go, such as `MetricsSystem.factory`.
    ///   - tenant: The value of the dimension `tenant` for a tenant's name, or for work without a tenant. Few values are for
    ///     many tenants: each has its own series for good. Nil for no such dimension. Called on any thread.
    public init(
      _ factory: any MetricsFactory, queue: WorkQueue = .shared, tenant: (@Sendable (_ name: String?) -> String)? = nil
    ) {
      self.queue = queue
      self.factory = factory
      self.tenant = tenant
      running = Gauge(label: "image_queue_running", factory: factory)
      longestWait = Gauge(label: "image_queue_longest_wait_seconds", factory: factory)
    }

    /// Counts an event of the queue.
    @Sendable public func note(_ event: WorkQueue.Event) {
      switch event {
      case .finished(let tenant, let waited, let ran):
        let series = series(label(tenant?.name))
        series.waits.recordNanoseconds(waited.nanoseconds)
        series.runs.recordNanoseconds(ran.nanoseconds)
      case .refused(let tenant): series(label(tenant?.name)).refused.increment()
      }
      record()
    }

    /// Records what runs and waits now. To be called before values are read: while long jobs run, there are no events.
    public func record() {
      let status = queue.status
      running.record(status.running)
      longestWait.record(status.longestWait / .seconds(1))
      var waiting = all.withLock { $0.mapValues { _ in 0 } }
      for (name, count) in status.waitingByTenant { waiting[label(name), default: 0] += count }
      waiting[label(nil), default: 0] += status.waiting - status.waitingByTenant.values.reduce(0, +)
      for (label, count) in waiting { series(label).waiting.record(count) }
    }

    private func label(_ name: String?) -> String { tenant?(name) ?? "" }

    private func series(_ label: String) -> Series {
      all.withLock { all in
        if let known = all[label] { return known }
        let dimensions = tenant == nil ? [] : [("tenant", label)]
        let made = Series(
          refused: Counter(label: "image_queue_refused", dimensions: dimensions, factory: factory),
          waiting: Gauge(label: "image_queue_waiting", dimensions: dimensions, factory: factory),
          waits: Timer(label: "image_queue_wait_seconds", dimensions: dimensions, factory: factory),
          runs: Timer(label: "image_queue_run_seconds", dimensions: dimensions, factory: factory))
        all[label] = made
        return made
      }
    }
  }

  extension Duration {
    var nanoseconds: Int64 {
      let (seconds, attoseconds) = components
      return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
  }
#endif
