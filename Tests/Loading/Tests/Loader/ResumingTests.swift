// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import ImageCodersBuiltIn
import Testing

@testable import ImageLoading

@Suite struct ResumingTests {
  static let url = "https://example.org/cat.png"

  @Test func aBrokenDownloadIsContinued() async throws {
    let body = try TestPicture.png()
    let test = TestLoader(
      ScriptedFetcher { request, call in
        guard let partial = request.partial else {
          return [
            .head(headers: [.eTag: "\"a\""], length: body.count), .bytes(Array(body.prefix(300))),
            .fail(LoadingError(.connection, "reset")),
          ]
        }
        return [
          .head(status: 206, headers: [.eTag: "\"a\""], length: body.count, offset: partial.count),
          .bytes(Array(body.dropFirst(partial.count))),
        ]
      })
    let error = await #expect(throws: LoadingError.self) { try await test.loader.image(for: ImageRequest(Self.url)) }
    #expect(error?.code == .connection)
    #expect(test.loader.partials.byteCount == 300)
    let loaded = try await test.loader.image(for: ImageRequest(Self.url))
    #expect(loaded.pixels.isSame(as: try TestPicture.pixels(64, 48)))
    #expect(loaded.bytesSaved == 300 && loaded.bytesReceived == body.count - 300)
    let sent = try #require(test.fetcher.requests.last?.partial)
    #expect(sent == PartialBody(count: 300, total: body.count, validator: "\"a\""))
    #expect(test.loader.partials.byteCount == 0)
    await test.loader.flush()
    #expect(test.bodies.all.values.map(\.bytes) == [body])
  }

  @Test func aPartIsKeptWhenTheNextTryFailsToo() async throws {
    let body = try TestPicture.png()
    let test = TestLoader(
      ScriptedFetcher { request, call in
        let broken = ScriptedFetcher.Step.fail(LoadingError(.connection, "reset"))
        switch call {
        case 1: return [.head(headers: [.eTag: "\"a\""], length: body.count), .bytes(Array(body.prefix(300))), broken]
        case 2: return [broken]
        default: return [.head(length: body.count, offset: 300), .bytes(Array(body.dropFirst(300)))]
        }
      })
    for _ in 0..<2 { _ = try? await test.loader.image(for: ImageRequest(Self.url)) }
    #expect(try await test.loader.image(for: ImageRequest(Self.url)).bytesSaved == 300)
  }

  @Test func whatWasCancelledIsContinued() async throws {
    let (body, door) = (try TestPicture.png(), Door())
    let test = TestLoader(
      ScriptedFetcher { request, _ in
        let offset = request.partial?.count ?? 0
        let head = ScriptedFetcher.Step.head(headers: [.eTag: "\"a\""], length: body.count, offset: offset)
        return offset == 0
          ? [head, .bytes(Array(body.prefix(200))), .wait(door)] : [head, .bytes(Array(body.dropFirst(offset)))]
      })
    let task = test.loader.task(for: ImageRequest(Self.url))
    #expect(await eventually { door.arrivals == 1 })
    task.cancel()
    #expect(await eventually { test.loader.partials.byteCount == 200 })
    #expect(try await test.loader.image(for: ImageRequest(Self.url)).bytesSaved == 200)
  }

  @Test func aServerThatSendsAllBytesAgainIsTaken() async throws {
    let (old, new) = (try TestPicture.png(seed: 1), try TestPicture.png(seed: 2))
    let test = TestLoader(
      ScriptedFetcher { request, call in
        call == 1
          ? [
            .head(headers: [.eTag: "\"a\""], length: old.count), .bytes(Array(old.prefix(300))),
            .fail(LoadingError(.connection, "reset")),
          ] : [.head(headers: [.eTag: "\"b\""], length: new.count), .bytes(new)]
      })
    _ = try? await test.loader.image(for: ImageRequest(Self.url))
    let loaded = try await test.loader.image(for: ImageRequest(Self.url))
    #expect(loaded.pixels.isSame(as: try TestPicture.pixels(64, 48, seed: 2)))
    #expect(loaded.bytesSaved == 0)
  }

  @Test func anOffsetNobodyAskedForIsRefused() async throws {
    let body = try TestPicture.png()
    let test = TestLoader(
      ScriptedFetcher { _, _ in [.head(status: 206, length: body.count, offset: 7), .bytes(body)] })
    let error = await #expect(throws: LoadingError.self) { try await test.loader.image(for: ImageRequest(Self.url)) }
    #expect(error?.code == .badResponse)
  }

  @Test func withoutAValidatorNothingIsKept() async throws {
    let body = try TestPicture.png()
    let test = TestLoader(
      ScriptedFetcher { _, _ in
        [
          .head(length: body.count), .bytes(Array(body.prefix(300))), .fail(LoadingError(.connection, "reset")),
        ]
      })
    _ = try? await test.loader.image(for: ImageRequest(Self.url))
    #expect(test.loader.partials.byteCount == 0)
  }

  @Test func aShortBodyIsBroken() async throws {
    let body = try TestPicture.png()
    let test = TestLoader(
      ScriptedFetcher { _, _ in
        [.head(headers: [.eTag: "\"a\""], length: body.count + 1), .bytes(body)]
      })
    let error = await #expect(throws: LoadingError.self) { try await test.loader.image(for: ImageRequest(Self.url)) }
    #expect(error?.code == .connection)
    await test.loader.flush()
    #expect(test.bodies.all.isEmpty && test.pictures.keys.isEmpty)
  }

  @Test func theOldestPartsGoFirst() throws {
    let partials = PartialBodies(limit: 10)
    func body(_ count: Int) throws -> PartialBodies.Partial {
      let body = Body(BodyMemory(limit: 100), folder: "/tmp")
      try body.append([UInt8](repeating: 1, count: count))
      return PartialBodies.Partial(body: body, validator: "v", total: nil)
    }
    partials.keep(try body(4), "a")
    partials.keep(try body(4), "b")
    partials.keep(try body(5), "c")
    partials.keep(try body(11), "d")
    #expect(partials.byteCount == 9)
    #expect(partials.take("a") == nil && partials.take("d") == nil)
    #expect(partials.take("b")?.body.count == 4)
    #expect(partials.take("b") == nil)
    #expect(partials.byteCount == 5)
  }
}
