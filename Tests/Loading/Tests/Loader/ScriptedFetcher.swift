// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Synchronization

@testable import ImageLoading

/// A door that tests open; those who come before wait.
final class Door: Sendable {
  private struct State {
    var isOpen = false
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    var next = 0
    var arrived = 0
  }

  private let state = Mutex(State())

  /// Those who have come so far.
  var arrivals: Int { state.withLock { $0.arrived } }

  func open() {
    let waiters = state.withLock { state in
      state.isOpen = true
      defer { state.waiters = [:] }
      return state.waiters
    }
    for waiter in waiters.values { waiter.resume() }
  }

  /// Waits until it is open, or the task is cancelled.
  func pass() async {
    let number = state.withLock { state in
      state.next += 1
      state.arrived += 1
      return state.next
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let waits = state.withLock { state in
          guard !state.isOpen, !Task.isCancelled else { return false }
          state.waiters[number] = waiter
          return true
        }
        if !waits { waiter.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
    }
  }
}

/// Answers requests as a test says.
final class ScriptedFetcher: Fetching {
  enum Step: Sendable {
    case head(status: Int = 200, headers: HTTPFields = [:], length: Int?, offset: Int = 0)
    case bytes([UInt8])
    case notModified(HTTPFields = [:])
    case wait(Door)
    case fail(LoadingError)
  }

  typealias Script = @Sendable (_ request: FetchRequest, _ call: Int) -> [Step]

  private struct State {
    var requests: [FetchRequest] = []
    var running = 0
    var peak = 0
    var ended = 0
  }

  private let state = Mutex(State())
  private let script: Script

  init(_ script: @escaping Script) { self.script = script }

  /// Answers with a whole body.
  convenience init(_ body: [UInt8], headers: HTTPFields = [:]) {
    self.init { _, _ in [.head(headers: headers, length: body.count), .bytes(body)] }
  }

  var requests: [FetchRequest] { state.withLock { $0.requests } }
  var count: Int { state.withLock { $0.requests.count } }
  /// The most requests that ran at a time.
  var peak: Int { state.withLock { $0.peak } }
  var running: Int { state.withLock { $0.running } }

  func fetch(_ request: FetchRequest) -> AsyncThrowingStream<FetchPart, any Error> {
    let call = state.withLock { state in
      state.requests.append(request)
      state.running += 1
      state.peak = max(state.peak, state.running)
      return state.requests.count
    }
    let run = Run(script(request, call), request.url) { [self] in state.withLock { $0.running -= 1 } }
    return AsyncThrowingStream { try await run.next() }
  }

  private final class Run: Sendable {
    private let steps: Mutex<[Step]>
    private let url: String
    private let onEnd: @Sendable () -> Void

    init(_ steps: [Step], _ url: String, _ onEnd: @escaping @Sendable () -> Void) {
      self.steps = Mutex(steps)
      self.url = url
      self.onEnd = onEnd
    }

    deinit { onEnd() }

    func next() async throws -> FetchPart? {
      while true {
        let step = steps.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if Task.isCancelled { return nil }
        switch step {
        case nil: return nil
        case .head(let status, let headers, let length, let offset)?:
          return .head(FetchHead(url: url, status: status, headers: headers, length: length, offset: offset))
        case .bytes(let bytes)?: return .bytes(bytes)
        case .notModified(let headers)?: return .notModified(headers)
        case .wait(let door)?: await door.pass()
        case .fail(let error)?: throw error
        }
      }
    }
  }
}

/// Waits until something holds, by giving other tasks their turns.
func eventually(_ condition: () -> Bool) async -> Bool {
  for round in 0..<4000 {
    if condition() { return true }
    if round < 100 { await Task.yield() } else { try? await Task.sleep(for: .milliseconds(1)) }
  }
  return condition()
}
