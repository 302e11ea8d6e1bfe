// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import ImageCodersBuiltIn
import Synchronization
import Testing

@testable import ImageLoading

@Suite struct CredentialTests {
  static let url = "https://example.org/private.png"

  /// Answers with another picture for each value of a header.
  private func fetcher(_ name: HTTPField.Name) -> ScriptedFetcher {
    ScriptedFetcher { request, _ in
      let seed = Int(request.headers[name]?.split(separator: " ").last ?? "0") ?? 0
      guard let body = try? TestPicture.png(seed: seed) else { return [] }
      return [.head(headers: [.cacheControl: "max-age=100"], length: body.count), .bytes(body)]
    }
  }

  @Test(arguments: ["Authorization", "Cookie", "X-Api-Key"])
  func differentCredentialsNeverShare(_ header: String) async throws {
    let name = try #require(HTTPField.Name(header))
    let test = TestLoader(fetcher(name))
    // At the same time, then from memory, then from disk.
    for round in 0..<3 {
      let tasks = (0..<4).map { user in
        var request = ImageRequest(Self.url)
        if user > 0 { request.headers[name] = "token \(user)" }
        return test.loader.task(for: request)
      }
      for (user, task) in tasks.enumerated() {
        let loaded = try await task.image
        #expect(loaded.pixels.isSame(as: try TestPicture.pixels(64, 48, seed: user)))
        #expect(loaded.origin == [.network, .memory, .disk][round])
      }
      await test.loader.flush()
      if round == 1 { await test.loader.removeAll(from: .memory) }
    }
    #expect(test.fetcher.count == 4)
    #expect(test.bodies.all.count == 4)
    // Keys tell nobody what the credentials are.
    if header != "X-Api-Key" { #expect(!test.bodies.all.keys.contains { $0.contains("token") }) }
  }

  @Test func theHookRunsBeforeTheKeyIsMade() async throws {
    let tokens = Mutex(0)
    let test = TestLoader(fetcher(.authorization)) { options in
      options.authorize = { request in
        let number = tokens.withLock { tokens in
          tokens += 1
          return tokens
        }
        // A new token each time; the name says who it is.
        let user = request.name.hasSuffix("anna") ? "anna" : "bert"
        return ImageLoader.Authorization(
          url: Self.url + "?signature=\(number)", headers: [.authorization: "Bearer \(user == "anna" ? 1 : 2)"],
          scope: user, identity: Self.url)
      }
    }
    let anna = try await test.loader.image(for: ImageRequest("https://x.org/anna"))
    let again = try await test.loader.image(for: ImageRequest("https://x.org/anna"))
    let bert = try await test.loader.image(for: ImageRequest("https://x.org/bert"))
    #expect(anna.origin == .network && again.origin == .memory && bert.origin == .network)
    #expect(!bert.pixels.isSame(as: anna.pixels))
    #expect(test.fetcher.requests.map(\.url) == [Self.url + "?signature=1", Self.url + "?signature=3"])
    #expect(test.fetcher.requests.map { $0.headers[.authorization] } == ["Bearer 1", "Bearer 2"])
  }

  @Test func whatTheHookThrowsEndsTheLoad() async throws {
    struct Refused: Error {}
    let test = TestLoader(fetcher(.authorization)) { $0.authorize = { _ in throw Refused() } }
    let error = await #expect(throws: LoadingError.self) { try await test.loader.image(for: ImageRequest(Self.url)) }
    #expect(error?.code == .forbidden)
    #expect(test.fetcher.count == 0)
  }

  @Test func cancellingDuringTheHookSendsNothing() async throws {
    let door = Door()
    let test = TestLoader(fetcher(.authorization)) { options in
      options.authorize = { _ in
        await door.pass()
        return ImageLoader.Authorization()
      }
    }
    let task = test.loader.task(for: ImageRequest(Self.url))
    #expect(await eventually { door.arrivals == 1 })
    task.cancel()
    door.open()
    let error = await #expect(throws: LoadingError.self) { try await task.image }
    #expect(error?.code == .cancelled)
    #expect(test.fetcher.count == 0)
  }

  @Test func aScopeCannotBeForgedByALineOfAnother() throws {
    func key(_ scope: String) throws -> String {
      try ResolvedRequest(
        ImageRequest(Self.url), ImageLoader.Authorization(scope: scope), load: 0, options: ImageLoader.Options(),
        registry: .standard
      ).diskKey
    }
    #expect(try key("a\nscope b") != key("a\\nscope b"))
    #expect(try key("a\nscope b").split(separator: "\n").count == 2)
  }
}
