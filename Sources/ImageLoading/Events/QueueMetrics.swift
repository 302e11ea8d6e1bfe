// SPDX-License-Identifier: Apache-2.0
#if Loading
  public import CoreMetrics
  public import ImageCoderEngine

  /// Counts what happens in a queue of work, for all that the program decodes, encodes and processes.
  ///
  ///     WorkQueue.shared.onEvent = QueueMetrics(MetricsSystem.factory).note
  ///
  /// | metric | says |
  /// |---|---|
  /// | `image_queue_waiting`, `image_queue_running` | jobs, at the last event |
  /// | `image_queue_refused` | jobs that the policy refused |
  /// | `image_queue_wait_seconds`, `image_queue_run_seconds` | timers of jobs that have run |
  ///
  /// Tenants are no dimension: a server may have any number of them.
  public final class QueueMetrics: Sendable {
    private let queue: WorkQueue
    private let refused: Counter
    private let (waiting, running): (Gauge, Gauge)
    private let (waits, runs): (Timer, Timer)

    /// - Parameter factory: Where the metrics go, such as `MetricsSystem.factory`.
    public init(_ factory: any MetricsFactory, queue: WorkQueue = .shared) {
      self.queue = queue
      refused = Counter(label: "image_queue_refused", factory: factory)
      waiting = Gauge(label: "image_queue_waiting", factory: factory)
      running = Gauge(label: "image_queue_running", factory: factory)
      waits = Timer(label: "image_queue_wait_seconds", factory: factory)
      runs = Timer(label: "image_queue_run_seconds", factory: factory)
    }

    /// Counts an event of the queue.
    @Sendable public func note(_ event: WorkQueue.Event) {
      switch event {
      case .finished(_, let waited, let ran):
        waits.recordNanoseconds(waited.nanoseconds)
        runs.recordNanoseconds(ran.nanoseconds)
      case .refused: refused.increment()
      }
      let status = queue.status
      waiting.record(status.waiting)
      running.record(status.running)
    }
  }

  extension Duration {
    var nanoseconds: Int64 {
      let (seconds, attoseconds) = components
      return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
  }
#endif
