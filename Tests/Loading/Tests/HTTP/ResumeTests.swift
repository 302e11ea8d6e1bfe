// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import ImageLoading

/// Bodies that are continued, and those that may not be.
@Suite(.timeLimit(.minutes(2))) struct ResumeTests {
  static let body = FaultTests.body
  static let part = PartialBody(count: 400, total: 1000, validator: "\"a\"")

  /// A server that answers a request for a part with one answer, and others with the whole body.
  private static func server(_ answer: [FaultServer.Step]) async throws -> FaultServer {
    try await FaultServer { request in
      request.headers["range"] == nil ? [.answer(200, ["ETag: \"b\""], body)] : answer
    }
  }

  @Test func partIsContinued() async throws {
    let server = try await Self.server([
      .answer(206, ["Content-Range: bytes 400-999/1000", "ETag: \"a\""], Array(Self.body[400...]))
    ])
    let test = TestFetcher()
    let got = await test.get(server.url("/")) { $0.partial = Self.part }
    #expect(got.error == nil)
    #expect(got.events == ["head 206 400"])
    #expect(got.heads.first?.length == 1000)
    #expect(got.bytes == Array(Self.body[400...]))
    #expect(server.requests.map { $0.headers["range"] } == ["bytes=400-"])
    #expect(server.requests.map { $0.headers["if-range"] } == ["\"a\""])
    #expect(test.notes.metrics?.bytesSaved == 400)
    #expect(test.notes.metrics?.bytesReceived == 600)
    await server.stop()
  }

  @Test func changedBodyComesWhole() async throws {
    let server = try await Self.server([.answer(200, ["ETag: \"b\""], Self.body)])
    let test = TestFetcher()
    let got = await test.get(server.url("/")) { $0.partial = Self.part }
    #expect(got.events == ["head 200 0"])
    #expect(got.bytes == Self.body)
    #expect(server.requests.count == 1)
    #expect(test.notes.metrics?.bytesSaved == 0)
    await server.stop()
  }

  @Test(arguments: [
    ["Content-Range: bytes 399-999/1000"], ["Content-Range: bytes 401-999/1000"], ["Content-Range: bytes 0-999/1000"],
    ["Content-Range: bytes 400-1000/1001"], ["Content-Range: bytes 999-400/1000"], ["Content-Range: bytes 400-999/999"],
    ["Content-Range: bytes */1000"], ["Content-Range: items 400-999/1000"], ["Content-Range: bytes 400-998/1000"], [],
    ["Content-Range: bytes 400-999/1000", "ETag: \"b\""], ["Content-Range: bytes +400-999/1000"],
    ["Content-Range: bytes 400-99999999999999999999/1000"],
  ])
  func partThatDoesNotFitIsAskedForAgain(_ headers: [String]) async throws {
    let server = try await Self.server([.answer(206, headers, Array(Self.body[400...]))])
    let got = await TestFetcher().get(server.url("/")) { $0.partial = Self.part }
    #expect(got.error == nil)
    #expect(got.events == ["head 200 0"])
    #expect(got.bytes == Self.body)
    #expect(server.requests.map { $0.headers["range"] } == ["bytes=400-", nil])
    await server.stop()
  }

  @Test func rangeThatCannotBeSatisfiedIsDropped() async throws {
    let server = try await Self.server([.answer(416, ["Content-Range: bytes */300"])])
    let test = TestFetcher()
    let got = await test.get(server.url("/")) { $0.partial = Self.part }
    #expect(got.bytes == Self.body)
    #expect(server.requests.map { $0.headers["range"] } == ["bytes=400-", nil])
    #expect(test.clock.sleeps.isEmpty)
    await server.stop()
  }

  @Test func severalPartsAreRefused() async throws {
    let server = try await Self.server([.answer(206, ["Content-Type: multipart/byteranges; boundary=x"], [1])])
    let got = await TestFetcher().get(server.url("/")) { $0.partial = Self.part }
    #expect(got.error?.code == .badResponse)
    #expect(server.requests.count == 1)
    await server.stop()
  }

  @Test func encodedPartIsRefused() async throws {
    let server = try await Self.server([
      .answer(206, ["Content-Range: bytes 400-999/1000", "Content-Encoding: gzip"], Array(Self.body[400...]))
    ])
    let got = await TestFetcher().get(server.url("/")) { $0.partial = Self.part }
    #expect(got.error?.code == .badResponse)
    #expect(got.events.isEmpty)
    await server.stop()
  }

  @Test func partialAnswerThatNobodyAskedForIsRefused() async throws {
    let server = try await FaultServer { _ in [.answer(206, ["Content-Range: bytes 0-9/10"], Array(0..<10))] }
    let got = await TestFetcher().get(server.url("/"))
    #expect(got.error?.code == .badResponse)
    await server.stop()
  }

  @Test func weakTagsContinueNothing() async throws {
    let server = try await FaultServer { request in
      request.index > 0
        ? [.answer(200, [], Self.body)]
        : [.head(200, ["ETag: W/\"a\"", "Content-Length: 1000"]), .bytes(Array(Self.body[..<400])), .close]
    }
    let got = await TestFetcher().get(server.url("/"))
    #expect(got.events == ["head 200 0", "head 200 0"])
    #expect(got.bytes == Self.body)
    #expect(server.requests.map { $0.headers["range"] } == [nil, nil])
    await server.stop()
  }

  @Test func continuedBodyThatBreaksIsContinuedAgain() async throws {
    let server = try await FaultServer { request in
      let start = request.headers["range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
      let end = min(1000, start + 300)
      return [
        .head(
          start == 0 ? 200 : 206,
          ["ETag: \"a\"", "Content-Length: \(1000 - start)"]
            + (start == 0 ? [] : ["Content-Range: bytes \(start)-999/1000"])),
        .bytes(Array(Self.body[start..<end])), .close,
      ]
    }
    let test = TestFetcher()
    let got = await test.get(server.url("/"))
    #expect(got.error == nil)
    #expect(got.events == ["head 200 0"])
    #expect(got.bytes == Self.body)
    #expect(server.requests.map { $0.headers["range"] } == [nil, "bytes=300-", "bytes=600-", "bytes=900-"])
    #expect(test.notes.metrics?.bytesSaved == 300 + 600 + 900)
    #expect(test.notes.metrics?.bytesReceived == 1000)
    await server.stop()
  }

  @Test func partThatCannotBeIsRefusedBeforeAnyRequest() async throws {
    let server = try await FaultServer { _ in [.answer(200)] }
    let got = await TestFetcher().get(server.url("/")) {
      $0.partial = PartialBody(count: 1000, total: 1000, validator: "\"a\"")
    }
    #expect(got.error?.code == .badRequest)
    #expect(server.requests.isEmpty)
    await server.stop()
  }

  @Test func validatorsAreStrong() {
    func validator(_ fields: HTTPFields) -> String? { RangeRules.validator(fields) }
    #expect(validator([.eTag: "\"a\""]) == "\"a\"")
    #expect(validator([.eTag: "W/\"a\""]) == nil)
    #expect(validator([.eTag: "a"]) == nil)
    #expect(validator([.eTag: "\"a\"", .contentEncoding: "gzip"]) == nil)
    #expect(validator([.eTag: "\"a\"", .acceptRanges: "none"]) == nil)
    let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    #expect(validator([.lastModified: date, .date: "Sun, 06 Nov 1994 08:50:37 GMT"]) == date)
    #expect(validator([.lastModified: date, .date: "Sun, 06 Nov 1994 08:50:36 GMT"]) == nil)
    #expect(validator([.lastModified: date]) == nil)
    #expect(validator([.eTag: "W/\"a\"", .lastModified: date, .date: "Sun, 06 Nov 1994 09:50:37 GMT"]) == nil)
  }
}
