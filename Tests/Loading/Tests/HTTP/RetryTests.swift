// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import ImageLoading

@Suite(.timeLimit(.minutes(2))) struct RetryTests {
  @Test(arguments: [408, 429, 502, 503, 504]) func passingStatusesAreTriedAgain(_ status: Int) async throws {
    let server = try await FaultServer { request in
      request.index < 2 ? [.answer(status, ["Content-Type: text/html"])] : [.answer(200, [], [1])]
    }
    let test = TestFetcher()
    let got = await test.get(server.url("/"))
    #expect(got.bytes == [1])
    #expect(server.requests.count == 3)
    #expect(test.clock.sleeps == [.milliseconds(150), .milliseconds(300)])
    await server.stop()
  }

  @Test func internalErrorIsTriedAgainOnce() async throws {
    let server = try await FaultServer { _ in [.answer(500)] }
    let got = await TestFetcher().get(server.url("/"))
    #expect(got.error?.code == .status)
    #expect(got.error?.status == 500)
    #expect(server.requests.count == 2)
    await server.stop()
  }

  @Test(arguments: [201, 204, 400, 401, 403, 404, 410, 416, 425, 451, 501, 505])
  func otherStatusesAreErrorsAtOnce(_ status: Int) async throws {
    let server = try await FaultServer { _ in [status == 204 ? .head(204, []) : .answer(status)] }
    let got = await TestFetcher().get(server.url("/"))
    #expect(got.error?.code == .status)
    #expect(got.error?.status == status)
    #expect(server.requests.count == 1)
    await server.stop()
  }

  @Test func busyServerIsAskedFourTimes() async throws {
    let server = try await FaultServer { _ in [.answer(503)] }
    let got = await TestFetcher().get(server.url("/"))
    #expect(got.error?.code == .status)
    #expect(got.error?.message == "the server answered with the status 503, after 4 tries")
    #expect(server.requests.count == 4)
    await server.stop()
  }

  @Test func retryAfterIsTheLeast() async throws {
    let server = try await FaultServer { request in
      switch request.index {
      case 0: [.answer(429, ["Retry-After: 7"])]
      // The clock of the test shows 1,000,000,007.
      case 1: [.answer(503, ["Retry-After: Sun, 09 Sep 2001 01:46:50 GMT"])]
      case 2: [.answer(503, ["Retry-After: 0"])]
      default: [.answer(200, [], [1])]
      }
    }
    let test = TestFetcher()
    let got = await test.get(server.url("/"))
    #expect(got.bytes == [1])
    #expect(test.clock.sleeps == [.seconds(7), .seconds(3), .milliseconds(600)])
    await server.stop()
  }

  @Test func retryAfterBeyondTheDeadlineEndsIt() async throws {
    let server = try await FaultServer { _ in [.answer(503, ["Retry-After: 60"])] }
    let test = TestFetcher()
    let got = await test.get(server.url("/"))
    #expect(got.error?.status == 503)
    #expect(server.requests.count == 1)
    #expect(test.clock.sleeps.isEmpty)
    await server.stop()
  }

  @Test func hostThatIsDownRunsOutOfRetries() async throws {
    let server = try await FaultServer { _ in [.answer(503)] }
    let test = TestFetcher()
    // Ten are saved: three requests take nine, the fourth one, and the rest none: a tenth for each is too little.
    for _ in 0..<6 { _ = await test.get(server.url("/")) }
    #expect(server.requests.count == 6 + 10)
    await server.stop()
  }

  @Test func budgetGrowsByATenthOfTheRequests() {
    let budgets = RetryBudgets(RetryPolicy())
    for _ in 0..<10 { #expect(budgets.take("a")) }
    #expect(!budgets.take("a"))
    #expect(budgets.take("b"))
    for _ in 0..<9 { budgets.noteRequest("a") }
    #expect(!budgets.take("a"))
    budgets.noteRequest("a")
    #expect(budgets.take("a"))
    #expect(!budgets.take("a"))
    // A host that has all again is forgotten.
    for _ in 0..<11 { budgets.noteRequest("b") }
    #expect(budgets.hostCount == 1)
  }

  @Test func delaysAreRandomUpToALimitThatDoubles() {
    let policy = RetryPolicy()
    func delay(_ tries: Int, _ random: Double, _ after: Duration? = nil) -> Duration {
      policy.delay(afterTries: tries, retryAfter: after, random: random)
    }
    #expect(delay(1, 0) == .zero)
    #expect(delay(1, 1) == .milliseconds(300))
    #expect(delay(2, 1) == .milliseconds(600))
    #expect(delay(7, 1) == .milliseconds(19200))
    #expect(delay(8, 1) == .seconds(20))
    #expect(delay(Int.max, 0.5) == .seconds(10))
    #expect(delay(1, 1, .seconds(5)) == .seconds(5))
    #expect(delay(8, 1, .seconds(5)) == .seconds(20))
  }

  @Test(arguments: [
    "Host", "Range", "If-Range", "Accept-Encoding", "Connection", "Content-Length", "Proxy-Authorization",
  ])
  func headersOfTheRequestItselfAreRefused(_ name: String) async throws {
    let server = try await FaultServer { _ in [.answer(200)] }
    let field = HTTPField(name: try #require(HTTPField.Name(name)), value: "x")
    let got = await TestFetcher().get(server.url("/")) { $0.headers = HTTPFields([field]) }
    #expect(got.error?.code == .badRequest)
    #expect(server.requests.isEmpty)
    await server.stop()
  }
}
