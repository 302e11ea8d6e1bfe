// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ImageLoading

/// Connections to addresses that were judged.
@Suite(.timeLimit(.minutes(2))) struct JudgedConnectionTests {
  private static func policy() throws -> AddressPolicy {
    var policy = AddressPolicy.publicOnly
    policy.exceptions = [try #require(AddressRange("127.0.0.0/8"))]
    policy.ports = nil
    return policy
  }

  @Test func nextAddressIsTriedWhenOneRefuses() async throws {
    // The server listens at 127.0.0.1 alone.
    let server = try await FaultServer { _ in [.answer(200, [], [1])] }
    let resolver = FixedResolver(known: ["a.test": ["127.0.0.2", "127.0.0.3", "127.0.0.1"]])
    let test = TestFetcher(policy: try Self.policy(), resolver: resolver)
    let got = await test.get("http://a.test:\(server.port)/")
    #expect(got.error == nil)
    #expect(got.bytes == [1])
    #expect(test.clock.sleeps.isEmpty)
    await server.stop()
  }

  @Test func oneForbiddenAddressForbidsTheHost() async throws {
    let server = try await FaultServer { _ in [.answer(200, [], [1])] }
    let resolver = FixedResolver(known: ["a.test": ["127.0.0.1", "10.0.0.1"]])
    let got = await TestFetcher(policy: try Self.policy(), resolver: resolver).get("http://a.test:\(server.port)/")
    #expect(got.error?.code == .forbidden)
    #expect(got.error?.message == "the host a.test has the address 10.0.0.1, which is not public")
    #expect(server.requests.isEmpty)
    await server.stop()
  }

  @Test func hostWithoutAddressIsNoConnection() async throws {
    let test = TestFetcher(policy: try Self.policy(), resolver: FixedResolver(known: ["a.test": []]))
    #expect(await test.get("http://a.test/").error?.code == .connection)
    #expect(await test.get("http://b.test/").error?.code == .connection)
  }

  @Test func clientsOfManyHostsAreLetGoOf() async throws {
    let server = try await FaultServer { _ in [.answer(200, [], [1])] }
    let names = (0..<40).map { "h\($0).test" }
    let resolver = FixedResolver(known: Dictionary(uniqueKeysWithValues: names.map { ($0, ["127.0.0.1"]) }))
    let transport = AsyncHTTPClientTransport(policy: try Self.policy(), resolver: resolver)
    let fetcher = HTTPFetcher(transport: transport)
    for name in names {
      let got = await collect(fetcher, FetchRequest(url: "http://\(name):\(server.port)/"))
      #expect(got.bytes == [1])
    }
    #expect(server.requests.count == 40)
    // The last one is let go of when its connection is done with.
    while transport.pinnedCount > 32 { try await Task.sleep(for: .milliseconds(1)) }
    #expect(transport.pinnedCount == 32)
    await server.stop()
  }

  @Test func systemKnowsTheLoopbackAddress() async throws {
    let addresses = try await SystemResolver().addresses(of: "127.1")
    #expect(addresses.map(\.description) == ["127.0.0.1"])
    await #expect(throws: TransportFailure.self) { try await SystemResolver().addresses(of: "nothing.invalid.") }
  }
}
