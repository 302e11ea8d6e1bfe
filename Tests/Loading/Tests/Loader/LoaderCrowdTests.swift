// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import ImageCodersBuiltIn
import Synchronization
import Testing

@testable import ImageLoading

@Suite struct LoaderCrowdTests {
  @Test func aThousandRequestsForAHundredURLsAreAHundredDownloads() async throws {
    let body = try TestPicture.png(96, 72)
    let door = Door()
    weak var left: ImageLoader?
    weak var pictures: DictionaryPictures?
    do {
      let half = body.count / 2
      let fetcher = ScriptedFetcher { _, _ in
        [.head(length: body.count), .bytes(Array(body.prefix(half))), .wait(door), .bytes(Array(body.dropFirst(half)))]
      }
      let test = TestLoader(fetcher) { options in
        options.derivesFromLarger = false
        options.maxFetches = 100
        // Room for half of the bodies at a time.
        options.bodyMemory = body.count * 50
      }
      left = test.loader
      pictures = test.pictures
      // Five of each size of each URL.
      let tasks = (0..<1000).map { number in
        let size = Size(width: number / 100 % 2 == 0 ? 48 : 24, height: 0)
        return test.loader.task(for: ImageRequest("https://example.org/\(number % 100).png", thumbnail: size))
      }
      #expect(await eventually { door.arrivals == 100 })
      #expect(test.loader.activity.downloads == 100)
      #expect(test.loader.activity.pictures == 200)
      door.open()
      for (number, task) in tasks.enumerated() {
        #expect(try await task.image.image.size.width == (number / 100 % 2 == 0 ? 48 : 24))
      }
      #expect(test.fetcher.count == 100)
      #expect(test.events.decodes == 200)
      #expect(test.loader.bodyMemory.peak <= body.count * 50)
      #expect(test.loader.bodyMemory.spilledCount > 0)
      #expect(
        await eventually { test.loader.activity == .init(downloads: 0, pictures: 0, waiting: 0, bytesInMemory: 0) })
      await test.loader.flush()
      #expect(await eventually { test.loader.generations.count == 0 && test.loader.background.count == 0 })
      #expect(test.bodies.all.count == 100)
      #expect(test.pictures.keys.count == 200)
      #expect(await eventually { test.fetcher.running == 0 })
    }
    #expect(await eventually { left == nil && pictures == nil })
  }

  @Test func cancellingAllButOneLeavesOneThatFinishes() async throws {
    let (body, door) = (try TestPicture.png(), Door())
    let test = TestLoader(
      ScriptedFetcher { _, _ in
        [.head(length: body.count), .bytes(Array(body.prefix(50))), .wait(door), .bytes(Array(body.dropFirst(50)))]
      })
    let tasks = (0..<1000).map { _ in test.loader.task(for: "https://example.org/cat.png") }
    #expect(await eventually { door.arrivals == 1 })
    await withTaskGroup(of: Void.self) { group in
      for (number, task) in tasks.enumerated() where number != 700 { group.addTask { task.cancel() } }
    }
    #expect(test.loader.pictureWork.memberCount(try key(test, "https://example.org/cat.png")) == 1)
    door.open()
    #expect(try await tasks[700].image.pixels.isSame(as: try TestPicture.pixels(64, 48)))
    for (number, task) in tasks.enumerated() where number != 700 {
      let error = await #expect(throws: LoadingError.self) { try await task.image }
      #expect(error?.code == .cancelled)
    }
    #expect(test.fetcher.count == 1)
    #expect(test.events.decodes == 1)
  }

  private func key(_ test: TestLoader, _ url: String) throws -> PictureKey {
    try ResolvedRequest(ImageRequest(url), nil, load: 0, options: test.loader.options, registry: test.loader.registry)
      .pictureKey(0)
  }

  @Test func cancellingAllStopsTheDownload() async throws {
    let (body, door) = (try TestPicture.png(), Door())
    let test = TestLoader(
      ScriptedFetcher { _, call in
        call == 1
          ? [.head(length: body.count), .bytes(Array(body.prefix(50))), .wait(door)]
          : [.head(length: body.count), .bytes(body)]
      })
    let tasks = (0..<20).map { _ in test.loader.task(for: "https://example.org/cat.png") }
    #expect(await eventually { door.arrivals == 1 })
    for task in tasks { task.cancel() }
    // Whoever comes now begins anew, without waiting for the end of the old one.
    let loaded = try await test.loader.image(for: "https://example.org/cat.png")
    #expect(loaded.image.size.width == 64)
    #expect(test.fetcher.count == 2)
    #expect(await eventually { test.fetcher.running == 0 })
    #expect(door.arrivals == 1)
  }

  @Test func aTaskThatIsLetGoOfIsGivenUp() async throws {
    let door = Door()
    let test = TestLoader(ScriptedFetcher { _, _ in [.wait(door)] })
    do { _ = test.loader.task(for: "https://example.org/cat.png") }
    #expect(await eventually { test.loader.activity.pictures == 0 && test.loader.activity.downloads == 0 })
    #expect(await eventually { test.fetcher.running == 0 })
  }

  @Test func cancellingTheSwiftTaskCancelsTheLoad() async throws {
    let door = Door()
    let test = TestLoader(ScriptedFetcher { _, _ in [.wait(door)] })
    let loader = test.loader
    let task = Task { try await loader.image(for: "https://example.org/cat.png") }
    #expect(await eventually { door.arrivals == 1 })
    task.cancel()
    let error = await #expect(throws: LoadingError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    #expect(await eventually { test.fetcher.running == 0 })
  }

  @Test func aRaisedPriorityReorders() async throws {
    let (body, door) = (try TestPicture.png(), Door())
    let test = TestLoader(
      ScriptedFetcher { _, call in
        call == 1 ? [.wait(door), .head(length: body.count), .bytes(body)] : [.head(length: body.count), .bytes(body)]
      }
    ) { $0.maxFetches = 1 }
    let first = test.loader.task(for: "https://example.org/0.png")
    #expect(await eventually { door.arrivals == 1 })
    var tasks: [ImageTask] = []
    for number in 1...5 {
      tasks.append(test.loader.task(for: ImageRequest("https://example.org/\(number).png", priority: .low)))
      #expect(await eventually { test.loader.activity.waiting == number })
    }
    // One is raised directly, one by another who wants the same, and one is lowered.
    tasks[3].priority = .highest
    let another = test.loader.task(for: ImageRequest("https://example.org/5.png", priority: .high))
    tasks[0].priority = .lowest
    door.open()
    _ = try await first.image
    for task in tasks { _ = try await task.image }
    _ = try await another.image
    let order = test.fetcher.requests.map { $0.url.split(separator: "/").last.map(String.init) ?? "" }
    #expect(order == ["0.png", "4.png", "5.png", "2.png", "3.png", "1.png"])
  }

  @Test func noMoreDownloadsRunThanAllowed() async throws {
    let body = try TestPicture.png()
    let test = TestLoader(ScriptedFetcher(body)) { $0.maxFetches = 3 }
    let tasks = (0..<50).map { test.loader.task(for: ImageRequest("https://example.org/\($0).png")) }
    for task in tasks { _ = try await task.image }
    #expect(test.fetcher.peak <= 3)
  }
}
