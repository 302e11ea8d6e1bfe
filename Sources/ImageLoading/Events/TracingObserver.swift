// SPDX-License-Identifier: Apache-2.0
#if Loading
  import ImageCoderModel
  public import Tracing

  /// Makes a span of each load, and in it one of each piece of work that was begun for it.
  ///
  /// The span of a load is within the span of the task that asked for it. A load that waits for work of another one has the
  /// number of that work in its attribute `image.load.work`, as the span of the work has.
  public final class TracingObserver: LoadObserver {
    private let tracer: any Tracer
    private let spans = Lock(Spans())

    private struct Spans {
      var loads: [Int: any Span] = [:]
      var work: [Int: any Span] = [:]
    }

    /// - Parameter tracer: Where spans go, such as `InstrumentationSystem.tracer`.
    public init(_ tracer: any Tracer) { self.tracer = tracer }

    /// Begins or ends a span.
    public func note(_ event: LoadEvent) {
      switch event {
      case .began(let load, let name):
        let span = tracer.startAnySpan("image.load", context: .current ?? .topLevel, ofKind: .client)
        span.attributes["image.load.number"] = load
        span.attributes["url.full"] = name
        spans.withLock { $0.loads[load] = span }
      case .lookedInMemory(let load, let lookup): set("image.load.memory", lookup.rawValue, load)
      case .lookedOnDisk(let load, let lookup): set("image.load.disk", lookup.rawValue, load)
      case .requested(let load, let validates, _): set("image.load.validates", "\(validates)", load)
      case .workBegan(let stage, let work, let load):
        let context = spans.withLock { $0.loads[load]?.context }
        let span = tracer.startAnySpan("image.\(stage.rawValue)", context: context ?? .topLevel, ofKind: .internal)
        span.attributes["image.load.work"] = work
        spans.withLock { $0.work[work] = span }
      case .joined(let work, let load):
        spans.withLock { $0.loads[load] }?.attributes["image.load.work"] = work
      case .workEnded(_, let work, _, let done, let error):
        guard let span = spans.withLock({ $0.work.removeValue(forKey: work) }) else { return }
        if done.bytesReceived > 0 { span.attributes["image.load.bytes_received"] = done.bytesReceived }
        if done.bytesSaved > 0 { span.attributes["image.load.bytes_saved"] = done.bytesSaved }
        if let error { fail(span, error) }
        span.end()
      case .madeOfLarger(let load): set("image.load.derived", "true", load)
      case .finished(let load, _, let origin, let isStale):
        guard let span = spans.withLock({ $0.loads.removeValue(forKey: load) }) else { return }
        span.attributes["image.load.origin"] = origin.rawValue
        if isStale { span.attributes["image.load.stale"] = true }
        span.end()
      case .failed(let load, _, let error):
        guard let span = spans.withLock({ $0.loads.removeValue(forKey: load) }) else { return }
        fail(span, error)
        span.end()
      }
    }

    private func set(_ name: String, _ value: String, _ load: Int) {
      spans.withLock { $0.loads[load] }?.attributes[name] = value
    }

    private func fail(_ span: any Span, _ error: LoadingError) {
      span.recordError(error)
      span.setStatus(SpanStatus(code: .error, message: error.code.description))
    }
  }
#endif
