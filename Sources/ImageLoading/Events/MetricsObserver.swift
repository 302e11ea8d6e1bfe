// SPDX-License-Identifier: Apache-2.0
#if Loading
  public import CoreMetrics
  import ImageCoderModel

  /// Counts the events of a loader.
  ///
  /// | metric | counts |
  /// |---|---|
  /// | `image_loads` | loads that ended, by `result`: an origin, `stale`, or a failure's code |
  /// | `image_load_memory_lookups`, `image_load_disk_lookups` | by `result`: `hit`, `stale`, `miss` |
  /// | `image_load_requests` | requests to servers, by `kind`: `full`, `validation`, `resumption` |
  /// | `image_load_bytes_received`, `image_load_bytes_saved` | bytes |
  /// | `image_load_decodes` | pictures that were decoded |
  /// | `image_load_work` | pieces of work, by `stage` |
  /// | `image_load_shared` | loads that waited for work of another one |
  /// | `image_load_derived` | pictures that were made of a larger one |
  /// | `image_load_seconds`, `image_load_work_seconds` | timers of loads, and of work by `stage` |
  public final class MetricsObserver: LoadObserver {
    private let factory: any MetricsFactory
    private let times = Lock(Times())
    private let received, saved, decodes, shared, derived: Counter

    private struct Times {
      var loads: [Int: ContinuousClock.Instant] = [:]
      var work: [Int: ContinuousClock.Instant] = [:]
      /// The load that work was begun for.
      var owners: [Int: Int] = [:]
    }

    /// - Parameter factory: Where the metrics go, such as `MetricsSystem.factory`.
    public init(_ factory: any MetricsFactory) {
      self.factory = factory
      received = Counter(label: "image_load_bytes_received", factory: factory)
      saved = Counter(label: "image_load_bytes_saved", factory: factory)
      decodes = Counter(label: "image_load_decodes", factory: factory)
      shared = Counter(label: "image_load_shared", factory: factory)
      derived = Counter(label: "image_load_derived", factory: factory)
    }

    /// Counts an event.
    public func note(_ event: LoadEvent) {
      switch event {
      case .began(let load, _): times.withLock { $0.loads[load] = .now }
      case .lookedInMemory(_, let lookup): count("image_load_memory_lookups", "result", lookup.rawValue)
      case .lookedOnDisk(_, let lookup): count("image_load_disk_lookups", "result", lookup.rawValue)
      case .requested(_, let validates, let offset):
        count("image_load_requests", "kind", validates ? "validation" : offset > 0 ? "resumption" : "full")
      case .workBegan(let stage, let work, let load):
        times.withLock { times in
          times.work[work] = .now
          times.owners[work] = load
        }
        count("image_load_work", "stage", stage.rawValue)
      case .joined(let work, let load):
        let owner = times.withLock { $0.owners[work] }
        if let owner, owner != load { shared.increment() }
      case .workEnded(let stage, let work, _, let done, _):
        let start = times.withLock { times in
          times.owners[work] = nil
          return times.work.removeValue(forKey: work)
        }
        record("image_load_work_seconds", [("stage", stage.rawValue)], since: start)
        if done.bytesReceived > 0 { received.increment(by: done.bytesReceived) }
        if done.bytesSaved > 0 { saved.increment(by: done.bytesSaved) }
        if done.decoded { decodes.increment() }
      case .madeOfLarger: derived.increment()
      case .finished(let load, _, let origin, let isStale): end(load, isStale ? "stale" : origin.rawValue)
      case .failed(let load, _, let error): end(load, error.code.description)
      }
    }

    private func end(_ load: Int, _ result: String) {
      count("image_loads", "result", result)
      record("image_load_seconds", [], since: times.withLock { $0.loads.removeValue(forKey: load) })
    }

    private func count(_ label: String, _ dimension: String, _ value: String) {
      Counter(label: label, dimensions: [(dimension, value)], factory: factory).increment()
    }

    private func record(_ label: String, _ dimensions: [(String, String)], since start: ContinuousClock.Instant?) {
      guard let start else { return }
      Timer(label: label, dimensions: dimensions, factory: factory)
        .recordNanoseconds((ContinuousClock.now - start).nanoseconds)
    }
  }
#endif
