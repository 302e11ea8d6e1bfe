// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import ImageLoading

/// Servers that break, over real connections.
@Suite(.timeLimit(.minutes(2))) struct FaultTests {
  static let body = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

  @Test func wholeBodyComesAsItIs() async throws {
    let server = try await FaultServer { _ in [.answer(200, ["ETag: \"a\""], Self.body)] }
    let test = TestFetcher()
    let got = await test.get(server.url("/a.png"))
    #expect(got.error == nil)
    #expect(got.events == ["head 200 0"])
    #expect(got.heads.first?.length == 1000)
    #expect(got.bytes == Self.body)
    #expect(server.targets == ["/a.png"])
    #expect(server.requests.first?.headers["accept-encoding"] == "identity")
    #expect(server.requests.first?.headers["host"] == "127.0.0.1:\(server.port)")
    var metrics = HTTPFetcher.Metrics()
    metrics.requests = 1
    metrics.bytesReceived = 1000
    #expect(test.notes.metrics == metrics)
    await server.stop()
  }

  @Test func bodyWithoutLengthEndsWithTheConnection() async throws {
    let server = try await FaultServer { _ in
      [.head(200, ["Content-Type: image/png", "Connection: close"]), .bytes(Self.body), .close]
    }
    let got = await TestFetcher().get(server.url("/"))
    #expect(got.error == nil)
    #expect(got.heads.first.map { $0.length == nil } == true)
    #expect(got.bytes == Self.body)
    await server.stop()
  }

  @Test func bytesAtIntervalsArriveWhole() async throws {
    let server = try await FaultServer { _ in
      [.head(200, ["Content-Length: 20"]), .drip(count: 20, milliseconds: 2)]
    }
    let got = await TestFetcher().get(server.url("/"))
    #expect(got.error == nil)
    #expect(got.bytes == [UInt8](repeating: 0x42, count: 20))
    await server.stop()
  }

  @Test func shortBodyIsContinued() async throws {
    let server = try await FaultServer { request in
      guard request.headers["range"] == "bytes=400-" else {
        return [
          .head(200, ["ETag: \"a\"", "Content-Length: 1000"]), .bytes(Array(Self.body[..<400])),
          .close,
        ]
      }
      return [
        .head(206, ["ETag: \"a\"", "Content-Range: bytes 400-999/1000", "Content-Length: 600"]),
        .bytes(Array(Self.body[400...])),
      ]
    }
    let test = TestFetcher()
    let got = await test.get(server.url("/"))
    #expect(got.error == nil)
    #expect(got.events == ["head 200 0"])
    #expect(got.bytes == Self.body)
    #expect(server.requests.map { $0.headers["range"] } == [nil, "bytes=400-"])
    #expect(server.requests.last?.headers["if-range"] == "\"a\"")
    #expect(test.clock.sleeps == [.milliseconds(150)])
    var metrics = HTTPFetcher.Metrics()
    (metrics.requests, metrics.retries, metrics.bytesReceived, metrics.bytesSaved) = (2, 1, 1000, 400)
    #expect(test.notes.metrics == metrics)
    await server.stop()
  }

  @Test func resetInTheMiddleIsContinued() async throws {
    // The client may see any number of the bytes before the reset: the rest is asked for, or all.
    let server = try await FaultServer { request in
      guard let start = request.headers["range"].flatMap({ Int($0.dropFirst(6).dropLast()) }) else {
        let whole: [FaultServer.Step] = [.head(200, ["ETag: \"a\"", "Content-Length: 1000"])]
        return request.index == 0
          ? whole + [.bytes(Array(Self.body[..<400])), .reset] : whole + [.bytes(Self.body)]
      }
      let range = "Content-Range: bytes \(start)-999/1000"
      return [.answer(206, ["ETag: \"a\"", range], Array(Self.body[start...]))]
    }
    let got = await TestFetcher().get(server.url("/"))
    #expect(got.error == nil)
    #expect(got.bytes == Self.body)
    #expect(server.requests.count == 2)
    await server.stop()
  }

  @Test func resetBeforeTheHeadIsTriedFourTimes() async throws {
    let server = try await FaultServer { _ in [.reset] }
    let test = TestFetcher()
    let got = await test.get(server.url("/"))
    #expect(got.error?.code == .connection)
    #expect(server.requests.count == 4)
    #expect(test.clock.sleeps == [.milliseconds(150), .milliseconds(300), .milliseconds(600)])
    await server.stop()
  }

  @Test func bodyThatIsAlwaysShortEndsAsConnection() async throws {
    let server = try await FaultServer { _ in
      [.head(200, ["Content-Length: 1000"]), .bytes([1, 2, 3]), .close]
    }
    let got = await TestFetcher().get(server.url("/"))
    #expect(got.error?.code == .connection)
    // There is no validator, so each try begins anew.
    #expect(got.events == [String](repeating: "head 200 0", count: 4))
    #expect(got.bytes == [1, 2, 3])
    #expect(server.requests.map { $0.headers["range"] } == [nil, nil, nil, nil])
    await server.stop()
  }

  @Test func bytesBeyondTheLengthAreNotTaken() async throws {
    let server = try await FaultServer { _ in [.head(200, ["Content-Length: 3"]), .bytes([1, 2, 3, 4, 5]), .close] }
    let got = await TestFetcher().get(server.url("/"))
    #expect(got.error == nil)
    #expect(got.bytes == [1, 2, 3])
    #expect(server.requests.count == 1)
    await server.stop()
  }

  @Test func chunksThatEndTooSoonAreABrokenConnection() async throws {
    let server = try await FaultServer { _ in
      [.head(200, ["Transfer-Encoding: chunked"]), .text("5\r\nabcde\r\n"), .close]
    }
    let got = await TestFetcher().get(server.url("/")) { $0.limits.maxTries = 1 }
    #expect(got.error?.code == .connection)
    #expect(got.bytes == Array("abcde".utf8))
    #expect(server.requests.count == 1)
    await server.stop()
  }

  @Test func endlessBodyStopsAtTheLimit() async throws {
    let server = try await FaultServer { _ in [.head(200, ["Connection: close"]), .endless] }
    let got = await TestFetcher().get(server.url("/")) { $0.limits.maxBytes = 100_000 }
    #expect(got.error?.code == .tooLarge)
    #expect(got.bytes.count <= 100_000)
    #expect(server.requests.count == 1)
    await server.stop()
  }

  @Test func lengthBeyondTheLimitIsRefusedByTheHead() async throws {
    let server = try await FaultServer { _ in [.head(200, ["Content-Length: 100001"]), .stall] }
    let got = await TestFetcher().get(server.url("/")) { $0.limits.maxBytes = 100_000 }
    #expect(got.error?.code == .tooLarge)
    #expect(got.events.isEmpty)
    #expect(got.error?.message == "a body of 100001 bytes, 100000 are allowed")
    await server.stop()
  }

  @Test(arguments: ["gzip", "deflate", "br", "GZIP", "identity, gzip"])
  func encodedBodiesAreRefusedByTheHead(_ encoding: String) async throws {
    // A bomb would follow; not a byte of it is read.
    let server = try await FaultServer { _ in
      [.head(200, ["Content-Encoding: \(encoding)", "Connection: close"]), .endless]
    }
    let got = await TestFetcher().get(server.url("/"))
    #expect(got.error?.code == .badResponse)
    #expect(got.events.isEmpty)
    #expect(got.bytes.isEmpty)
    #expect(server.requests.count == 1)
    await server.stop()
  }

  @Test(arguments: [
    "text/html", "application/json; charset=utf-8", "TEXT/CSS", "video/mp4", "application/problem+json",
  ])
  func wrongTypesAreRefusedByTheHead(_ type: String) async throws {
    let server = try await FaultServer { _ in [.answer(200, ["Content-Type: \(type)"], [1])] }
    let got = await TestFetcher().get(server.url("/"))
    #expect(got.error?.code == .notAPicture)
    #expect(got.events.isEmpty)
    #expect(server.requests.count == 1)
    await server.stop()
  }

  @Test(arguments: ["image/avif", "application/octet-stream", "text/plain", "binary/octet-stream", "IMAGE/PNG"])
  func otherTypesGoOn(_ type: String) async throws {
    let server = try await FaultServer { _ in [.answer(200, ["Content-Type: \(type)"], [1])] }
    let got = await TestFetcher().get(server.url("/"))
    #expect(got.bytes == [1])
    await server.stop()
  }

  @Test(arguments: [
    "SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1 abc X\r\n\r\n", "HTTP/1.1 200 X\r\nContent-Length: 1x\r\n\r\n",
    "HTTP/1.1 200 X\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na",
    "HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
  ])
  func malformedAnswersAreNotTriedAgain(_ answer: String) async throws {
    let server = try await FaultServer { _ in [.text(answer), .close] }
    let got = await TestFetcher().get(server.url("/"))
    #expect(got.error?.code == .badResponse)
    #expect(server.requests.count == 1)
    await server.stop()
  }

  @Test func stallBeforeTheHeadEndsAtTheDeadline() async throws {
    // The deadline passes when the server has the request.
    let clock = JumpingClock()
    let server = try await FaultServer { _ in
      clock.horizon = .seconds(12)
      return [.stall]
    }
    let got = await TestFetcher(clock: clock).get(server.url("/")) { $0.limits.deadline = .seconds(12) }
    #expect(got.error?.code == .timeout)
    #expect(got.error?.message == "no answer after 12.0 seconds, the time allowed")
    #expect(server.requests.count == 1)
    await server.stop()
  }

  @Test func stallBeforeTheHeadIsTriedAgain() async throws {
    let clock = JumpingClock()
    let server = try await FaultServer { request in
      guard request.index == 0 else { return [.answer(200, [], [9])] }
      clock.horizon = .seconds(15)
      return [.stall]
    }
    let got = await TestFetcher(clock: clock) {
      $0.onEvent = { if case .retrying = $0 { clock.horizon = .seconds(9) } }
    }.get(server.url("/"))
    #expect(got.error == nil)
    #expect(got.bytes == [9])
    #expect(server.requests.count == 2)
    await server.stop()
  }

  @Test func stallWithinTheBodyEndsAtTheDeadline() async throws {
    let clock = JumpingClock()
    let server = try await FaultServer { _ in [.head(200, ["Content-Length: 10"]), .bytes([1]), .stall] }
    let got = await TestFetcher(clock: clock).get(
      server.url("/"), { $0.limits.deadline = .seconds(9.5) }, onBytes: { clock.horizon = .seconds(9.5) })
    #expect(got.error?.code == .timeout)
    #expect(got.bytes == [1])
    #expect(server.requests.count == 1)
    await server.stop()
  }

  @Test func dripOutlivesNoDeadline() async throws {
    // A byte is never long in coming, so a limit for the time between bytes would not end it.
    let clock = JumpingClock()
    let server = try await FaultServer { _ in
      [.head(200, ["Connection: close"]), .drip(count: 1_000_000, milliseconds: 1)]
    }
    let got = await TestFetcher(clock: clock).get(
      server.url("/"), { $0.limits.deadline = .seconds(20) }, onBytes: { clock.advance(.milliseconds(500)) })
    #expect(got.error?.code == .timeout)
    #expect(got.error?.message == "the body had \(got.bytes.count) bytes after 20.0 seconds, the time allowed")
    #expect(server.requests.count == 1)
    await server.stop()
  }

  @Test func refusedConnectionIsTriedFourTimes() async throws {
    let server = try await FaultServer { _ in [.close] }
    let url = server.url("/")
    await server.stop()
    let test = TestFetcher()
    let got = await test.get(url)
    #expect(got.error?.code == .connection)
    #expect(test.clock.sleeps.count == 3)
    #expect(server.requests.isEmpty)
  }

  @Test func leavingTheEventsClosesTheConnection() async throws {
    let server = try await FaultServer { _ in [.head(200, ["Connection: close"]), .endless] }
    let test = TestFetcher()
    do {
      for try await event in test.fetcher.fetch(FetchRequest(url: server.url("/"))) {
        if case .bytes = event { break }
      }
    }
    while server.closedCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
    #expect(test.fetcher.queue.runningCount == 0)
    await server.stop()
  }

  @Test func slowReaderStopsTheServer() async throws {
    let server = try await FaultServer { _ in [.head(200, ["Connection: close"]), .endless] }
    let test = TestFetcher()
    var events = test.fetcher.fetch(FetchRequest(url: server.url("/"))).makeAsyncIterator()
    _ = try await events.next()
    _ = try await events.next()
    // The server sends as fast as it can until the buffers of both ends are full.
    var sent = -1
    while server.bytesSent != sent {
      sent = server.bytesSent
      try await Task.sleep(for: .milliseconds(200))
    }
    #expect(sent < 16 << 20)
    await server.stop()
  }

  @Test func cancellingEndsTheExchange() async throws {
    let server = try await FaultServer { _ in [.stall] }
    let test = TestFetcher()
    let task = Task { await test.get(server.url("/")) }
    while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    task.cancel()
    // A stream that is cancelled may end before it says why.
    let got = await task.value
    #expect(got.error == nil || got.error?.code == .cancelled)
    #expect(got.events.isEmpty)
    while server.closedCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
    await server.stop()
  }
}
