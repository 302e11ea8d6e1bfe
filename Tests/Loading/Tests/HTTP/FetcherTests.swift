// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Synchronization
import Testing

@testable import ImageLoading

/// What needs no connection: a transport that answers from a script, and a clock that is moved by it.
@Suite(.timeLimit(.minutes(2))) struct FetcherTests {
  final class Script: HTTPTransport {
    let answer: @Sendable (TransportRequest, Int) async throws -> TransportResponse
    private let sent = Mutex<[TransportRequest]>([])
    var requests: [TransportRequest] { sent.withLock { $0 } }

    init(_ answer: @escaping @Sendable (TransportRequest, Int) async throws -> TransportResponse) {
      self.answer = answer
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      let index = sent.withLock { sent in
        sent.append(request)
        return sent.count - 1
      }
      return try await answer(request, index)
    }
  }

  final class ScriptedBody: TransportBody {
    private let index = Mutex(0)
    private let step: @Sendable (Int) async throws -> [UInt8]?
    init(_ step: @escaping @Sendable (Int) async throws -> [UInt8]?) { self.step = step }

    func next() async throws -> [UInt8]? {
      let index = index.withLock { index in
        index += 1
        return index - 1
      }
      return try await step(index)
    }
  }

  private static func response(
    _ status: Int, _ headers: HTTPFields = [:],
    _ step: @escaping @Sendable (Int) async throws -> [UInt8]? = { _ in nil }
  ) -> TransportResponse {
    TransportResponse(status: status, headers: headers, body: ScriptedBody(step))
  }

  private static func fetcher(
    _ script: Script, _ clock: JumpingClock = JumpingClock(), _ change: (inout HTTPFetcher.Options) -> Void = { _ in }
  ) -> HTTPFetcher {
    var options = HTTPFetcher.Options()
    options.clock = clock.clock()
    options.random = { 0 }
    change(&options)
    return HTTPFetcher(transport: script, options: options)
  }

  @Test func redirectFromHTTPSToHTTPIsRefusedUnlessAllowed() async {
    let script = Script { request, _ in
      request.url.scheme == "https"
        ? Self.response(302, [.location: "http://a.test/"]) : Self.response(200) { $0 == 0 ? [1] : nil }
    }
    let refused = await collect(Self.fetcher(script), FetchRequest(url: "https://a.test/"))
    #expect(refused.error?.code == .forbidden)
    #expect(script.requests.count == 1)
    let allowed = await collect(
      Self.fetcher(script) { $0.allowsInsecureRedirects = true }, FetchRequest(url: "https://a.test/"))
    #expect(allowed.bytes == [1])
  }

  /// Each body gives bytes that take a second: 1,023 a second are too few, 1,024 are not.
  @Test(arguments: [(1023, true), (1024, false)]) func slowBodiesEnd(_ count: Int, _ isSlow: Bool) async {
    let clock = JumpingClock()
    clock.horizon = .seconds(-1)
    let script = Script { _, _ in
      Self.response(200) { index in
        guard index < 20 else { return nil }
        clock.advance(.seconds(1))
        return [UInt8](repeating: 1, count: count)
      }
    }
    let got = await collect(Self.fetcher(script, clock), FetchRequest(url: "http://a.test/"))
    #expect(got.error?.code == (isSlow ? .timeout : nil))
    // The tenth second shows it, and its bytes are not given out.
    #expect(got.bytes.count == (isSlow ? 9 * count : 20 * count))
    #expect(script.requests.count == 1)
  }

  @Test func timeThatTheReaderTakesIsNotTheServers() async throws {
    let clock = JumpingClock()
    let script = Script { _, _ in Self.response(200) { $0 < 10 ? [1] : nil } }
    var request = FetchRequest(url: "http://a.test/")
    request.limits.deadline = .seconds(1000)
    var count = 0
    for try await event in Self.fetcher(script, clock).fetch(request) {
      if case .bytes = event { count += 1 }
      clock.advance(.seconds(20))
    }
    #expect(count == 10)
  }

  @Test func silentBodyIsAskedForAgain() async {
    // The first body says nothing for ten seconds, which pass at once when it is silent.
    let clock = JumpingClock()
    let script = Script { _, index in
      guard index == 0 else {
        clock.horizon = .seconds(9)
        return Self.response(206, [.contentRange: "bytes 2-3/4", .eTag: "\"a\""]) { $0 == 0 ? [3, 4] : nil }
      }
      return Self.response(200, [.contentLength: "4", .eTag: "\"a\""]) { index in
        if index == 0 { return [1, 2] }
        clock.horizon = .seconds(10)
        try await Task.sleep(for: .seconds(3600))
        return nil
      }
    }
    let got = await collect(
      Self.fetcher(script, clock) { $0.headTimeout = .seconds(20) },
      FetchRequest(url: "http://a.test/"))
    #expect(got.error == nil)
    #expect(got.events == ["head 200 0"])
    #expect(got.bytes == [1, 2, 3, 4])
    #expect(script.requests.map { $0.headers[.range] }.last == "bytes=2-")
  }

  @Test func deadlineIsForTheWholeExchange() async {
    let clock = JumpingClock()
    let script = Script { _, _ in
      // The time for the head is measured from here on.
      while !clock.hasBegun(until: clock.now + .seconds(15)) { await Task.yield() }
      clock.advance(.seconds(20))
      throw TransportFailure(.broken, "the connection broke")
    }
    let got = await collect(Self.fetcher(script, clock), FetchRequest(url: "http://a.test/"))
    // Three tries take the minute that is allowed.
    #expect(script.requests.count == 3)
    #expect(got.error?.code == .connection)
    #expect(got.error?.message == "the connection broke, after 3 tries")
  }

  @Test(arguments: [
    (TransportFailure.Kind.connect, LoadingError.Code.connection, 4), (.broken, .connection, 4),
    (.timeout, .timeout, 4),
    (.security, .connection, 1), (.malformed, .badResponse, 1), (.forbidden, .forbidden, 1),
  ])
  func failuresHaveTheirCodes(_ kind: TransportFailure.Kind, _ code: LoadingError.Code, _ count: Int) async {
    let script = Script { _, _ in throw TransportFailure(kind, "a failure") }
    let got = await collect(Self.fetcher(script), FetchRequest(url: "http://a.test/"))
    #expect(got.error?.code == code)
    #expect(script.requests.count == count)
  }

  @Test func bodyLongerThanItsLengthIsRefused() async {
    let script = Script { _, _ in Self.response(200, [.contentLength: "3"]) { $0 == 0 ? [1, 2, 3, 4] : nil } }
    let got = await collect(Self.fetcher(script), FetchRequest(url: "http://a.test/"))
    #expect(got.error?.code == .badResponse)
    #expect(got.bytes.isEmpty)
  }

  @Test func hookRefusesByTheHead() async {
    let script = Script { _, _ in Self.response(200, [.contentType: "image/png"]) { _ in [1] } }
    let fetcher = Self.fetcher(script) { $0.refusal = { $0.headers[.contentType] == "image/png" ? "a PNG" : nil } }
    let got = await collect(fetcher, FetchRequest(url: "http://a.test/"))
    #expect(got.error?.code == .notAPicture)
    #expect(got.error?.message == "a PNG")
  }

  @Test func nothingIsSentBeforeTheFirstEvent() async throws {
    let script = Script { _, _ in Self.response(200) { $0 == 0 ? [1] : nil } }
    let fetcher = Self.fetcher(script)
    let events = fetcher.fetch(FetchRequest(url: "http://a.test/"))
    #expect(script.requests.isEmpty)
    for try await _ in events {}
    #expect(script.requests.count == 1)
    #expect(fetcher.queue.runningCount == 0)
  }

  @Test func wrongURLsAreRefused() async {
    let script = Script { _, _ in Self.response(200) }
    for url in ["", "a", "ftp://a/", "http://u@a/"] {
      let got = await collect(Self.fetcher(script), FetchRequest(url: url))
      #expect(got.error?.code == .badRequest)
    }
    #expect(script.requests.isEmpty)
  }
}
