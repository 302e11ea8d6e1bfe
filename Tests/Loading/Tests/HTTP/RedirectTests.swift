// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Synchronization
import Testing

@testable import ImageLoading

@Suite(.timeLimit(.minutes(2))) struct RedirectTests {
  @Test(arguments: [301, 302, 303, 307, 308]) func redirectsAreFollowed(_ status: Int) async throws {
    let server = try await FaultServer { request in
      request.target == "/a/b"
        ? [.answer(status, ["Location: ../c?x=1#y"], Array("moved".utf8))] : [.answer(200, [], [7])]
    }
    let test = TestFetcher()
    let got = await test.get(server.url("/a/b"))
    #expect(got.bytes == [7])
    #expect(got.heads.first?.url == server.url("/c?x=1"))
    #expect(server.targets == ["/a/b", "/c?x=1"])
    #expect(test.notes.metrics?.redirects == 1)
    #expect(test.notes.metrics?.bytesReceived == 1)
    await server.stop()
  }

  @Test(arguments: [300, 305, 306]) func otherStatusesOfTheirKindAreErrors(_ status: Int) async throws {
    let server = try await FaultServer { _ in [.answer(status, ["Location: /b"])] }
    let got = await TestFetcher().get(server.url("/a"))
    #expect(got.error?.code == .status)
    #expect(got.error?.status == status)
    #expect(server.targets == ["/a"])
    await server.stop()
  }

  @Test func redirectThatLeadsNowhereIsAStatus() async throws {
    let server = try await FaultServer { _ in [.answer(302)] }
    let got = await TestFetcher().get(server.url("/a"))
    #expect(got.error?.code == .status)
    #expect(got.error?.status == 302)
    await server.stop()
  }

  @Test func loopsEndWhenTheyClose() async throws {
    let server = try await FaultServer { request in
      [.answer(302, ["Location: \(request.target == "/a" ? "/b" : "/a")"])]
    }
    let got = await TestFetcher().get(server.url("/a"))
    #expect(got.error?.code == .redirects)
    #expect(server.targets == ["/a", "/b"])
    await server.stop()
  }

  @Test func redirectsAreCounted() async throws {
    let server = try await FaultServer { request in [.answer(302, ["Location: /\(request.index)"])] }
    let got = await TestFetcher().get(server.url("/a")) { $0.limits.maxRedirects = 3 }
    #expect(got.error?.code == .redirects)
    // The first request and three redirects; the fourth is not followed.
    #expect(server.targets == ["/a", "/0", "/1", "/2"])
    await server.stop()
  }

  @Test func confirmationWithALocationIsNotFollowed() async throws {
    let server = try await FaultServer { _ in
      [.head(304, ["Location: /elsewhere", "ETag: \"a\"", "Cache-Control: max-age=5"])]
    }
    let got = await TestFetcher().get(server.url("/a")) {
      $0.revalidating = StoredResponse(
        url: server.url("/a"), headers: [["etag", "\"a\""], ["last-modified", "Sun, 06 Nov 1994 08:49:37 GMT"]],
        requestTime: 0, responseTime: 0)
    }
    #expect(got.error == nil)
    #expect(got.events == ["notModified"])
    #expect(got.confirmed?[.cacheControl] == "max-age=5")
    #expect(server.targets == ["/a"])
    #expect(server.requests.first?.headers["if-none-match"] == "\"a\"")
    #expect(server.requests.first?.headers["if-modified-since"] == "Sun, 06 Nov 1994 08:49:37 GMT")
    await server.stop()
  }

  @Test func confirmationThatNobodyAskedForIsRefused() async throws {
    let server = try await FaultServer { _ in [.head(304, ["ETag: \"a\""])] }
    let got = await TestFetcher().get(server.url("/a"))
    #expect(got.error?.code == .badResponse)
    await server.stop()
  }

  @Test func onlyTheURLOfTheStoredAnswerIsAskedToConfirm() async throws {
    let server = try await FaultServer { request in
      request.target == "/a" ? [.answer(302, ["Location: /b"])] : [.head(304, [])]
    }
    let got = await TestFetcher().get(server.url("/a")) {
      $0.revalidating = StoredResponse(
        url: server.url("/b"), headers: [["etag", "\"b\""]], requestTime: 0, responseTime: 0)
    }
    #expect(got.events == ["notModified"])
    #expect(server.requests.map { $0.headers["if-none-match"] } == [nil, "\"b\""])
    await server.stop()
  }

  @Test func headersStayWithTheirOriginForGood() async throws {
    let other = Reference()
    let server = try await FaultServer { request in
      switch request.target {
      case "/a": [.answer(302, ["Location: /b"])]
      case "/b": [.answer(302, ["Location: \(other.url)/c"])]
      default: [.answer(200, [], [1])]
      }
    }
    let elsewhere = try await FaultServer { _ in [.answer(302, ["Location: \(server.url("/d"))"])] }
    other.set(elsewhere.url(""))
    let fields: HTTPFields = [
      .authorization: "Bearer x", .cookie: "a=b", HTTPField.Name("X-Api-Key")!: "k", .accept: "image/webp",
      .acceptLanguage: "de", .userAgent: "Me",
    ]
    let got = await TestFetcher().get(server.url("/a")) { $0.headers = fields }
    #expect(got.bytes == [1])
    #expect(server.targets == ["/a", "/b", "/d"])
    let secrets = ["authorization", "cookie", "x-api-key"]
    for request in server.requests.prefix(2) {
      #expect(secrets.map { request.headers[$0] } == ["Bearer x", "a=b", "k"])
    }
    for request in elsewhere.requests + server.requests.suffix(1) {
      #expect(secrets.allSatisfy { request.headers[$0] == nil })
      #expect(["accept", "accept-language", "user-agent"].map { request.headers[$0] } == ["image/webp", "de", "Me"])
    }
    #expect(elsewhere.requests.count == 1)
    await server.stop()
    await elsewhere.stop()
  }

  @Test func redirectToAnotherSchemeIsRefused() async throws {
    let server = try await FaultServer { request in [.answer(302, ["Location: file:///etc/passwd"])] }
    let got = await TestFetcher().get(server.url("/a"))
    #expect(got.error?.code == .badResponse)
    #expect(server.requests.count == 1)
    await server.stop()
  }

  @Test(arguments: [
    "http://169.254.169.254/latest/meta-data", "http://10.0.0.1/", "http://[::1]/", "http://[::ffff:127.0.0.1]/",
    "http://127.0.0.2/", "http://inner.test/", "http://93.184.216.34:22/",
  ])
  func redirectToAForbiddenAddressIsRefused(_ location: String) async throws {
    let server = try await FaultServer { _ in [.answer(302, ["Location: \(location)"])] }
    // The server of the test is the one exception.
    var policy = AddressPolicy.publicOnly
    policy.exceptions = [try #require(AddressRange("127.0.0.1/32"))]
    policy.ports = [80, server.port]
    let resolver = FixedResolver(known: ["inner.test": ["93.184.216.34", "192.168.1.1"]])
    let got = await TestFetcher(policy: policy, resolver: resolver).get(server.url("/a"))
    #expect(got.error?.code == .forbidden)
    #expect(server.requests.count == 1)
    await server.stop()
  }

  @Test func judgedAddressIsTheOneThatIsConnectedTo() async throws {
    // No resolver but the test's knows this name: the connection can only go where it was judged.
    let server = try await FaultServer { _ in [.answer(200, [], [1])] }
    var policy = AddressPolicy.publicOnly
    policy.exceptions = [try #require(AddressRange("127.0.0.1/32"))]
    policy.ports = nil
    let resolver = FixedResolver(known: ["pictures.test": ["127.0.0.1"]])
    let got = await TestFetcher(policy: policy, resolver: resolver).get("http://pictures.test:\(server.port)/a")
    #expect(got.error == nil)
    #expect(got.bytes == [1])
    #expect(server.requests.first?.headers["host"] == "pictures.test:\(server.port)")
    await server.stop()
  }

  @Test func connectionIsJudgedAgainBeforeTheRequest() async throws {
    // The name is judged by a public address, and the connection goes to the loopback address all the same.
    let server = try await FaultServer { _ in [.answer(200, [], [1])] }
    var policy = AddressPolicy.publicOnly
    policy.ports = nil
    let resolver = FixedResolver(known: ["localhost": ["93.184.216.34"]])
    let test = TestFetcher(policy: policy, resolver: resolver, pins: false)
    let got = await test.get("http://localhost:\(server.port)/a")
    #expect(got.error?.code == .forbidden)
    #expect(got.error?.message == "a connection to the address 127.0.0.1, which is not public")
    #expect(server.requests.isEmpty)
    #expect(test.clock.sleeps.isEmpty)
    await server.stop()
  }

  @Test(arguments: ["127.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.0.1", "0", "localhost"])
  func otherSpellingsAreWhatTheResolverMakesOfThem(_ host: String) async throws {
    let server = try await FaultServer { _ in [.answer(200, [], [1])] }
    var policy = AddressPolicy.publicOnly
    policy.ports = nil
    let test = TestFetcher(policy: policy)
    let got = await test.get("http://\(host):\(server.port)/")
    #expect(got.error?.code == .forbidden)
    #expect(server.requests.isEmpty)
    // Applications may ask the same servers.
    let allowed = await TestFetcher().get("http://\(host):\(server.port)/")
    #expect(allowed.bytes == [1])
    await server.stop()
  }
}

/// A text that is known later.
final class Reference: Sendable {
  private let text = Mutex("")
  var url: String { text.withLock { $0 } }
  func set(_ new: String) { text.withLock { $0 = new } }
}
