// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import ImageCodersBuiltIn
import ImageProcessing
import InMemoryLogging
import InMemoryTracing
import Logging
import MetricsTestKit
import Testing
import Tracing

@testable import ImageLoading

@Suite struct ObserverTests {
  static let url = "https://example.org/cat.png"

  private func fetcher() throws -> ScriptedFetcher {
    let body = try TestPicture.png()
    return ScriptedFetcher { request, _ in
      if request.url.hasSuffix("none") { return [.fail(LoadingError(.status, "gone", status: 410))] }
      if request.revalidating != nil { return [.notModified()] }
      return [.head(headers: [.cacheControl: "max-age=100", .eTag: "\"a\""], length: body.count), .bytes(body)]
    }
  }

  /// One load from the server, one from memory, one that is validated, and one that fails.
  private func run(_ test: TestLoader) async throws {
    for _ in 0..<2 { _ = try await test.loader.image(for: ImageRequest(Self.url)) }
    test.time.advance(200)
    _ = try await test.loader.image(for: ImageRequest(Self.url))
    await #expect(throws: LoadingError.self) { try await test.loader.image(for: "https://example.org/none") }
    await test.loader.flush()
  }

  @Test func metricsCountWhatHappens() async throws {
    let metrics = TestMetrics()
    let test = TestLoader(try fetcher()) { $0.observers.append(MetricsObserver(metrics)) }
    try await run(test)
    let count = try TestPicture.png().count
    func value(_ label: String, _ dimensions: [(String, String)] = []) throws -> Int64 {
      try metrics.expectCounter(label, dimensions).totalValue
    }
    #expect(try value("image_loads", [("result", "network")]) == 1)
    #expect(try value("image_loads", [("result", "memory")]) == 1)
    #expect(try value("image_loads", [("result", "validated")]) == 1)
    #expect(try value("image_loads", [("result", "status")]) == 1)
    #expect(try value("image_load_memory_lookups", [("result", "hit")]) == 1)
    #expect(try value("image_load_memory_lookups", [("result", "stale")]) == 1)
    #expect(try value("image_load_memory_lookups", [("result", "miss")]) == 2)
    #expect(try value("image_load_disk_lookups", [("result", "miss")]) == 2)
    #expect(try value("image_load_disk_lookups", [("result", "stale")]) == 1)
    #expect(try value("image_load_requests", [("kind", "full")]) == 2)
    #expect(try value("image_load_requests", [("kind", "validation")]) == 1)
    #expect(try value("image_load_bytes_received") == Int64(count))
    #expect(try value("image_load_bytes_saved") == Int64(count))
    #expect(try value("image_load_decodes") == 1)
    #expect(try metrics.expectTimer("image_load_seconds").values.count == 4)
    #expect(try metrics.expectTimer("image_load_work_seconds", [("stage", "bytes")]).values.count == 3)
  }

  @Test func logsSayWhatHappensAndNoSecrets() async throws {
    let handler = InMemoryLogHandler()
    var logger = Logger(label: "loads") { _ in handler }
    logger.logLevel = .trace
    let test = TestLoader(try fetcher()) { [logger] in $0.observers.append(LogObserver(logger)) }
    try await run(test)
    var secret = ImageRequest("https://example.org/secret.png")
    secret.headers[.authorization] = "Bearer word"
    _ = try await test.loader.image(for: secret)
    let entries = handler.entries
    #expect(entries.count { $0.message == "loaded" && $0.level == .debug } == 4)
    let failed = try #require(entries.first { $0.message == "not loaded" })
    #expect(failed.level == .notice)
    #expect(failed.metadata["code"] == "status" && failed.metadata["status"] == "410")
    #expect(!entries.contains { "\($0)".contains("word") })
  }

  @Test func spansAreOfLoadsAndTheirStages() async throws {
    let tracer = InMemoryTracer()
    let test = TestLoader(try fetcher()) { $0.observers.append(TracingObserver(tracer)) }
    let loader = test.loader
    // Cropped, so that there are three stages.
    let request = ImageRequest(Self.url, pipeline: ImagePipeline([.flipVertical]))
    _ = try await tracer.withSpan("page") { _ in try await loader.image(for: request) }
    await #expect(throws: LoadingError.self) { try await loader.image(for: "https://example.org/none") }
    let spans = tracer.finishedSpans
    #expect(tracer.activeSpans.isEmpty)
    let page = try #require(spans.first { $0.operationName == "page" })
    let loads = spans.filter { $0.operationName == "image.load" }
    #expect(loads.count == 2)
    let load = try #require(loads.first { $0.parentSpanID == page.spanID })
    let stages = spans.filter { $0.parentSpanID == load.spanID }
    #expect(Set(stages.map(\.operationName)) == ["image.bytes", "image.decode", "image.process"])
    let failed = try #require(loads.first { $0.spanID != load.spanID })
    #expect(failed.status?.code == .error)
    #expect(failed.errors.count == 1)
  }

  @Test func withoutObserversNoEventIsMade() {
    let observers = LoadObservers(all: [])
    func event() -> LoadEvent {
      Issue.record("an event nobody gets")
      return .began(load: 1, name: "")
    }
    observers.note(event())
  }

  @Test func metricsTellOfTheQueue() async throws {
    let metrics = TestMetrics()
    let observer = QueueMetrics(metrics)
    observer.note(.finished(nil, waited: .milliseconds(3), ran: .milliseconds(5)))
    observer.note(.finished(WorkQueue.Tenant("one"), waited: .milliseconds(4), ran: .microseconds(7)))
    observer.note(.refused(nil))
    #expect(try metrics.expectTimer("image_queue_wait_seconds").values == [3_000_000, 4_000_000])
    #expect(try metrics.expectTimer("image_queue_run_seconds").values == [5_000_000, 7_000])
    #expect(try metrics.expectCounter("image_queue_refused").totalValue == 1)
    #expect(try metrics.expectGauge("image_queue_waiting").values.count == 3)
    #expect(try metrics.expectGauge("image_queue_running").values.count == 3)
    // And the queue itself tells it.
    WorkQueue.shared.onEvent = observer.note
    defer { WorkQueue.shared.onEvent = nil }
    _ = try await WorkQueue.shared.run { 1 }
    let runs = try metrics.expectTimer("image_queue_run_seconds")
    #expect(await eventually { runs.values.count > 2 })
  }

  @Test func metricsOfTheQueueHaveTenants() async throws {
    let metrics = TestMetrics()
    let observer = QueueMetrics(metrics) { $0.map { $0.hasPrefix("host") ? "hosts" : $0 } ?? "none" }
    observer.note(.finished(WorkQueue.Tenant("host a"), waited: .milliseconds(3), ran: .milliseconds(5)))
    observer.note(.finished(WorkQueue.Tenant("host b"), waited: .zero, ran: .milliseconds(6)))
    observer.note(.refused(WorkQueue.Tenant("uploads")))
    observer.note(.refused(nil))
    func tenant(_ name: String) -> [(String, String)] { [("tenant", name)] }
    #expect(try metrics.expectTimer("image_queue_run_seconds", tenant("hosts")).values == [5_000_000, 6_000_000])
    #expect(try metrics.expectCounter("image_queue_refused", tenant("uploads")).totalValue == 1)
    #expect(try metrics.expectCounter("image_queue_refused", tenant("none")).totalValue == 1)
    // What waits for nobody any more is 0, and not what it was.
    observer.record()
    for name in ["hosts", "uploads", "none"] {
      #expect(try metrics.expectGauge("image_queue_waiting", tenant(name)).lastValue == 0, "\(name)")
    }
    #expect(try metrics.expectGauge("image_queue_longest_wait_seconds").lastValue == 0)
  }
}
