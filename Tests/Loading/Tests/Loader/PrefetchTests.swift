// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import ImageCodersBuiltIn
import Testing

@testable import ImageLoading

@Suite struct PrefetchTests {
  private func requests(_ count: Int) -> [ImageRequest] {
    (0..<count).map { ImageRequest("https://example.org/\($0).png") }
  }

  @Test func picturesAreThereBeforeTheyAreWanted() async throws {
    let test = TestLoader(ScriptedFetcher(try TestPicture.png(), headers: [.cacheControl: "max-age=100"]))
    let counts = await test.loader.prefetch(requests(20), concurrency: 3).finished()
    #expect(counts == PrefetchTask.Counts(loaded: 20, failed: 0, cancelled: 0))
    #expect(test.fetcher.peak <= 3)
    #expect(try await test.loader.image(for: requests(20)[7]).origin == .memory)
    #expect(test.fetcher.count == 20)
  }

  @Test func bytesAloneAreNotDecoded() async throws {
    let test = TestLoader(ScriptedFetcher(try TestPicture.png(), headers: [.cacheControl: "max-age=100"]))
    let counts = await test.loader.prefetch(requests(5), depth: .bytes).finished()
    #expect(counts.loaded == 5)
    await test.loader.flush()
    #expect(test.events.decodes == 0)
    #expect(test.bodies.all.count == 5)
    #expect(try await test.loader.image(for: requests(5)[2]).origin == .disk)
  }

  @Test func whatIsWantedGoesFirst() async throws {
    let (body, door) = (try TestPicture.png(), Door())
    let test = TestLoader(
      ScriptedFetcher { _, call in
        (call == 1 ? [.wait(door)] : []) + [.head(length: body.count), .bytes(body)]
      }
    ) { $0.maxFetches = 1 }
    let prefetch = test.loader.prefetch(requests(4), concurrency: 4)
    #expect(await eventually { test.loader.activity.waiting == 3 })
    let wanted = test.loader.task(for: "https://example.org/wanted.png")
    #expect(await eventually { test.loader.activity.waiting == 4 })
    door.open()
    _ = try await wanted.image
    #expect(await prefetch.finished().loaded == 4)
    #expect(test.fetcher.requests[1].url == "https://example.org/wanted.png")
  }

  @Test func cancellingGivesTheRestUp() async throws {
    let (body, door) = (try TestPicture.png(), Door())
    let test = TestLoader(
      ScriptedFetcher { request, _ in
        (request.url.hasSuffix("/0.png") ? [] : [.wait(door)]) + [.head(length: body.count), .bytes(body)]
      })
    let prefetch = test.loader.prefetch(requests(50), concurrency: 2)
    #expect(await eventually { prefetch.counts.loaded == 1 && door.arrivals == 2 })
    prefetch.cancel()
    let counts = await prefetch.finished()
    #expect(counts == PrefetchTask.Counts(loaded: 1, failed: 0, cancelled: 49))
    #expect(await eventually { test.loader.activity.downloads == 0 })
    #expect(test.fetcher.count == 3)
  }

  @Test func releasingGivesTheRestUp() async throws {
    let (body, door) = (try TestPicture.png(), Door())
    let test = TestLoader(ScriptedFetcher { _, _ in [.wait(door), .head(length: body.count), .bytes(body)] })
    var prefetch: PrefetchTask? = test.loader.prefetch(requests(60), concurrency: 4)
    #expect(await eventually { door.arrivals == 4 })
    #expect(prefetch?.counts == PrefetchTask.Counts())
    prefetch = nil
    #expect(await eventually { test.fetcher.running == 0 && test.loader.activity.downloads == 0 })
    door.open()
    for _ in 0..<200 { await Task.yield() }
    #expect(test.fetcher.count == 4)
  }

  @Test func aGroupIsCancelledTogether() async throws {
    let door = Door()
    let test = TestLoader(ScriptedFetcher { _, _ in [.wait(door)] })
    let group = LoadGroup(test.loader)
    let tasks = requests(5).map { group.task(for: $0) }
    let other = test.loader.task(for: "https://example.org/0.png")
    #expect(group.count == 5)
    group.setPriority(.high)
    #expect(tasks.allSatisfy { $0.priority == .high })
    #expect(await eventually { door.arrivals == 5 })
    group.cancel()
    #expect(group.count == 0)
    #expect(tasks.allSatisfy(\.isFinished) && !other.isFinished)
    #expect(await eventually { test.fetcher.running == 1 })
    #expect(group.task(for: "https://example.org/late.png").isFinished)
  }
}
