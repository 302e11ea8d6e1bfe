// SPDX-License-Identifier: Apache-2.0

import CoreMetrics
import Synchronization

/// The metrics of the program, as numbers in memory that can be read at any time. `Telemetry` sends them.
final class Measurements: MetricsFactory {
  private let all = Mutex<[String: Series]>([:])

  /// The series of a name and its dimensions. Who asks again gets the same one.
  private func series(_ name: String, _ dimensions: [(String, String)], as kind: Series.Kind) -> Series {
    let key = ([name] + dimensions.map { "\($0)=\($1)" }).joined(separator: "\n")
    return all.withLock { all in
      if let known = all[key] { return known }
      let made = Series(name, dimensions, as: kind)
      all[key] = made
      return made
    }
  }

  /// All series, in no order.
  var series: [Series] { all.withLock { Array($0.values) } }

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    series(label, dimensions, as: .sum)
  }

  func makeFloatingPointCounter(label: String, dimensions: [(String, String)]) -> any FloatingPointCounterHandler {
    series(label, dimensions, as: .sum)
  }

  func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    series(label, dimensions, as: .gauge)
  }

  func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    series(label, dimensions, as: aggregate ? .summary : .gauge)
  }

  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    series(label, dimensions, as: .summary)
  }

  // Nothing goes: a counter counts from the start of the program on.
  func destroyCounter(_: any CounterHandler) {}
  func destroyFloatingPointCounter(_: any FloatingPointCounterHandler) {}
  func destroyMeter(_: any MeterHandler) {}
  func destroyRecorder(_: any RecorderHandler) {}
  func destroyTimer(_: any TimerHandler) {}
}

/// The values of one metric for one set of dimensions. Times are in seconds.
final class Series: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler, TimerHandler {
  enum Kind {
    /// The sum of all values.
    case sum
    /// The last value.
    case gauge
    /// The sum of all values, and how many there were.
    case summary
  }

  let name: String
  let dimensions: [(String, String)]
  let kind: Kind
  private let state = Mutex((value: 0.0, count: 0))

  init(_ name: String, _ dimensions: [(String, String)], as kind: Kind) {
    self.name = name
    self.dimensions = dimensions
    self.kind = kind
  }

  var value: (value: Double, count: Int) { state.withLock { $0 } }

  private func add(_ value: Double) { state.withLock { $0 = ($0.value + value, $0.count + 1) } }

  func set(_ value: Double) { state.withLock { $0 = (value, 1) } }
  func set(_ value: Int64) { set(Double(value)) }
  func increment(by amount: Double) { add(amount) }
  func increment(by amount: Int64) { add(Double(amount)) }
  func decrement(by amount: Double) { add(-amount) }
  func reset() { state.withLock { $0 = (0, 0) } }
  func record(_ value: Double) { if kind == .gauge { set(value) } else { add(value) } }
  func record(_ value: Int64) { record(Double(value)) }
  func recordNanoseconds(_ duration: Int64) { add(Double(duration) / 1e9) }
}
