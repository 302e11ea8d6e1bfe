// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Synchronization

@testable import ImageLoading

/// A clock that stands still until it is slept by: each sleep ends at once and moves it to the end of the sleep.
///
/// Sleeps that only guard a wait (those longer than ``horizon``) do not end: what they guard is what is tested.
final class JumpingClock: Sendable {
  private struct State {
    var now = Duration.zero
    var sleeps: [Duration] = []
    var begun: Set<Duration> = []
    var horizon = Duration.seconds(9)
  }
  private let state = Mutex(State())

  var horizon: Duration {
    get { state.withLock { $0.horizon } }
    set { state.withLock { $0.horizon = newValue } }
  }
  var now: Duration { state.withLock { $0.now } }
  /// How long each sleep was that ended.
  var sleeps: [Duration] { state.withLock { $0.sleeps } }
  /// Whether someone began to sleep until a time.
  func hasBegun(until time: Duration) -> Bool { state.withLock { $0.begun.contains(time) } }
  func advance(_ time: Duration) { state.withLock { $0.now += time } }

  func clock(date: Double = 1_000_000_000) -> FetchClock {
    FetchClock(
      now: { self.now }, date: { date + self.now / .seconds(1) },
      sleep: { until in
        let time = self.state.withLock { state in
          state.begun.insert(until)
          return until - state.now
        }
        while time > self.horizon { try await Task.sleep(for: .milliseconds(1)) }
        self.state.withLock { state in
          state.now = max(state.now, until)
          state.sleeps.append(time)
        }
      })
  }
}

/// What a fetch gave.
struct Fetched {
  var events: [String] = []
  var heads: [FetchHead] = []
  var bytes: [UInt8] = []
  var confirmed: HTTPFields?
  var error: LoadingError?
}

/// Iterates all events, as the loader does: a second head voids what came.
func collect(
  _ fetcher: HTTPFetcher, _ request: FetchRequest, onBytes: () -> Void = {}
) async -> Fetched {
  var fetched = Fetched()
  do {
    for try await event in fetcher.fetch(request) {
      switch event {
      case .head(let head):
        fetched.events.append("head \(head.status) \(head.offset)")
        fetched.heads.append(head)
        fetched.bytes = []
      case .bytes(let bytes):
        fetched.bytes += bytes
        onBytes()
      case .notModified(let headers):
        fetched.events.append("notModified")
        fetched.confirmed = headers
      }
    }
  } catch {
    fetched.error = error as? LoadingError
  }
  return fetched
}

/// Notes of a fetcher, in order.
final class Notes: Sendable {
  private let notes = Mutex<[HTTPFetcher.Event]>([])
  var all: [HTTPFetcher.Event] { notes.withLock { $0 } }
  func add(_ note: HTTPFetcher.Event) { notes.withLock { $0.append(note) } }

  var metrics: HTTPFetcher.Metrics? {
    all.lazy.compactMap { note -> HTTPFetcher.Metrics? in
      if case .finished(_, var metrics) = note {
        metrics.duration = .zero
        return metrics
      }
      return nil
    }.last
  }
}

/// A fetcher over real connections, whose waits between tries take no time.
struct TestFetcher {
  let fetcher: HTTPFetcher
  let clock: JumpingClock
  let notes: Notes

  init(
    policy: AddressPolicy = .any, resolver: any HostResolving = SystemResolver(), pins: Bool = true,
    clock: JumpingClock = JumpingClock(), _ change: (inout HTTPFetcher.Options) -> Void = { _ in }
  ) {
    self.clock = clock
    let notes = Notes()
    self.notes = notes
    var options = HTTPFetcher.Options()
    options.clock = clock.clock()
    options.random = { 0.5 }
    options.onEvent = { notes.add($0) }
    change(&options)
    let transport = AsyncHTTPClientTransport(
      policy: policy, options: AsyncHTTPClientTransport.Options(), resolver: resolver, pins: pins)
    fetcher = HTTPFetcher(transport: transport, options: options)
  }

  func get(
    _ url: String, _ change: (inout FetchRequest) -> Void = { _ in }, onBytes: () -> Void = {}
  ) async -> Fetched {
    var request = FetchRequest(url: url)
    change(&request)
    return await collect(fetcher, request, onBytes: onBytes)
  }
}

/// A resolver that knows a few names.
struct FixedResolver: HostResolving {
  let known: [String: [String]]

  func addresses(of host: String) async throws -> [IPAddress] {
    guard let texts = known[host] else { throw TransportFailure(.connect, "no address of \(host)") }
    return texts.compactMap { IPAddress($0) }
  }
}
