// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import FoundationEssentials
import Hummingbird
import ImageLoading
import InMemoryTracing
import Logging
import NIOCore
import ServiceLifecycle
import Tracing

/// Sends what is measured and what requests have done to a collector of OpenTelemetry, each second and once more at the end.
///
/// It stands before the server in the group of services, so that it ends after it and sends what the last requests did.
/// Nothing is registered for the whole process: no request to a server of strangers tells of traces.
struct Telemetry: Service {
  let measurements = Measurements()
  let tracer = InMemoryTracer(
    idGenerator: InMemoryTracer.IDGenerator {
      hex(.random(in: 1 ... .max)) + hex(.random(in: 1 ... .max))
    } nextSpanID: {
      hex(.random(in: 1 ... .max))
    }, recordInjections: false, recordExtractions: false)
  private let queue: QueueMetrics
  private let collector: String
  private let client: HTTPClient
  private let logger: Logger
  private let start = DefaultTracerClock.now.nanosecondsSinceEpoch

  /// - Parameter collector: Its address, such as `http://127.0.0.1:4318`.
  init(collector: String, logger: Logger) {
    self.collector = collector
    self.logger = logger
    // Hosts are as many as links name: together they are one value of the dimension.
    queue = QueueMetrics(measurements) { $0 == FairShares<BasicRequestContext>.uploads ? "uploads" : "hosts" }
    WorkQueue.shared.onEvent = queue.note
    var configuration = HTTPClient.Configuration()
    configuration.tracing.tracer = nil
    client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  func run() async throws {
    var isOver = false
    while !isOver {
      isOver = await cancelWhenGracefulShutdown { (try? await Task.sleep(for: .seconds(1))) == nil }
      await send()
    }
    try await client.shutdown()
  }

  private func send() async {
    queue.record()
    let now = DefaultTracerClock.now.nanosecondsSinceEpoch
    await post("/v1/metrics", OTLP.Metrics(measurements.series, from: start, to: now))
    let spans = tracer.popFinishedSpans()
    if !spans.isEmpty { await post("/v1/traces", OTLP.Traces(spans)) }
  }

  private func post(_ path: String, _ message: some Encodable) async {
    do {
      var request = HTTPClientRequest(url: collector + path)
      request.method = .POST
      request.headers.add(name: "Content-Type", value: "application/json")
      request.body = .bytes(ByteBuffer(bytes: try JSONEncoder().encode(message)))
      let answer = try await client.execute(request, timeout: .seconds(5))
      guard answer.status.code / 100 == 2 else { throw HTTPError(.badGateway, message: "\(answer.status)") }
    } catch {
      logger.warning("the collector takes nothing", metadata: ["path": "\(path)", "error": "\(error)"])
    }
  }

  private static func hex(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

/// Makes a span of each request, in which those of its loads are.
struct RequestSpans<Context: RequestContext>: RouterMiddleware {
  let tracer: InMemoryTracer

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    // Named by the route: paths are as many as strangers make up.
    let result: Result<Response, any Error> = await tracer.withSpan("\(request.method)", ofKind: .server) { span in
      defer { if let route = context.endpointPath { span.operationName = "\(request.method) \(route)" } }
      span.attributes["url.path"] = request.uri.path
      do {
        let response = try await next(request, context)
        span.attributes["http.response.status_code"] = Int(response.status.code)
        return .success(response)
      } catch {
        let status = (error as? HTTPError)?.status ?? .internalServerError
        span.attributes["http.response.status_code"] = Int(status.code)
        // What a client did wrong is no error of the server.
        if status.code >= 500 { span.setStatus(SpanStatus(code: .error, message: "\(error)")) }
        return .failure(error)
      }
    }
    return try result.get()
  }
}
