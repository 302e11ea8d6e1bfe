// SPDX-License-Identifier: Apache-2.0

import InMemoryTracing
import Tracing

/// Messages of the OpenTelemetry Protocol in JSON: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding. Integers of
/// 64 bits are texts, as Protobuf's JSON has them.
enum OTLP {
  struct Attribute: Encodable {
    struct Value: Encodable {
      var stringValue: String?
      var intValue: String?
      var boolValue: Bool?
    }

    let key: String
    let value: Value
  }

  struct Resource: Encodable {
    var attributes = [Attribute(key: "service.name", value: .init(stringValue: "thumbnails"))]
  }

  struct Scope: Encodable { var name = "server" }

  // MARK: Metrics

  struct Metrics: Encodable {
    struct Point: Encodable {
      let attributes: [Attribute]
      let startTimeUnixNano: String
      let timeUnixNano: String
      var asDouble: Double?
      var count: String?
      var sum: Double?
    }

    struct Points: Encodable {
      let dataPoints: [Point]
      /// 2 says that values are counted from the start on.
      var aggregationTemporality: Int?
      var isMonotonic: Bool?
    }

    struct Metric: Encodable {
      let name: String
      var unit: String?
      var sum: Points?
      var gauge: Points?
      var summary: Points?
    }

    struct OfScope: Encodable {
      var scope = Scope()
      let metrics: [Metric]
    }

    struct OfResource: Encodable {
      var resource = Resource()
      let scopeMetrics: [OfScope]
    }

    let resourceMetrics: [OfResource]

    init(_ series: [Series], from start: UInt64, to now: UInt64) {
      let metrics = series.map { series in
        let value = series.value
        var point = Point(
          attributes: series.dimensions.map { Attribute(key: $0, value: .init(stringValue: $1)) },
          startTimeUnixNano: "\(start)", timeUnixNano: "\(now)")
        var metric = Metric(name: series.name)
        switch series.kind {
        case .sum:
          point.asDouble = value.value
          metric.sum = Points(dataPoints: [point], aggregationTemporality: 2, isMonotonic: true)
        case .gauge:
          point.asDouble = value.value
          metric.gauge = Points(dataPoints: [point])
        case .summary:
          (point.count, point.sum) = ("\(value.count)", value.value)
          metric.unit = "s"
          metric.summary = Points(dataPoints: [point])
        }
        return metric
      }
      resourceMetrics = [OfResource(scopeMetrics: [OfScope(metrics: metrics)])]
    }
  }

  // MARK: Traces

  struct Traces: Encodable {
    struct Status: Encodable {
      let code: Int
      let message: String?
    }

    struct Span: Encodable {
      let traceId: String
      let spanId: String
      let parentSpanId: String?
      let name: String
      let kind: Int
      let startTimeUnixNano: String
      let endTimeUnixNano: String
      let attributes: [Attribute]
      let status: Status?
    }

    struct OfScope: Encodable {
      var scope = Scope()
      let spans: [Span]
    }

    struct OfResource: Encodable {
      var resource = Resource()
      let scopeSpans: [OfScope]
    }

    let resourceSpans: [OfResource]

    init(_ spans: [FinishedInMemorySpan]) {
      resourceSpans = [OfResource(scopeSpans: [OfScope(spans: spans.map(Span.init))])]
    }
  }
}

extension OTLP.Traces.Span {
  init(_ span: FinishedInMemorySpan) {
    (traceId, spanId, parentSpanId) = (span.traceID, span.spanID, span.parentSpanID)
    name = span.operationName
    kind =
      switch span.kind {
      case .server: 2
      case .client: 3
      default: 1
      }
    startTimeUnixNano = "\(span.startInstant.nanosecondsSinceEpoch)"
    endTimeUnixNano = "\(span.endInstant.nanosecondsSinceEpoch)"
    var attributes: [OTLP.Attribute] = []
    func add(_ name: String, _ value: SpanAttribute) {
      let value: OTLP.Attribute.Value? =
        switch value {
        case .int32(let number): .init(intValue: "\(number)")
        case .int64(let number): .init(intValue: "\(number)")
        case .bool(let flag): .init(boolValue: flag)
        case .string(let text): .init(stringValue: text)
        default: nil
        }
      if let value { attributes.append(OTLP.Attribute(key: name, value: value)) }
    }
    span.attributes.forEach(add)
    self.attributes = attributes
    status = span.status.map { OTLP.Traces.Status(code: $0.code == .error ? 2 : 1, message: $0.message) }
  }
}
