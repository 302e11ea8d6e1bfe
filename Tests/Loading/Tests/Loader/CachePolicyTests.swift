// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import ImageCodersBuiltIn
import Testing

@testable import ImageLoading

@Suite struct CachePolicyTests {
  static let url = "https://example.org/cat.png"

  /// What is in the caches before a request.
  enum Stored: CaseIterable, Sendable {
    case nothing, freshEverywhere, freshOnDisk, staleEverywhere, staleOnDisk, staleInMemory
  }

  /// What a request does: where the picture comes from, what the server is asked, or the error.
  enum Answer: Equatable, Sendable {
    case memory, disk, full, validated, staleFromMemory, staleFromDisk, notCached
  }

  static let answers: [(CachePolicy, Stored, Answer)] = [
    (.use, .nothing, .full), (.use, .freshEverywhere, .memory), (.use, .freshOnDisk, .disk),
    (.use, .staleEverywhere, .validated), (.use, .staleOnDisk, .validated), (.use, .staleInMemory, .validated),
    (.reload, .nothing, .full), (.reload, .freshEverywhere, .validated), (.reload, .freshOnDisk, .validated),
    (.reload, .staleEverywhere, .validated), (.reload, .staleOnDisk, .validated),
    (.reload, .staleInMemory, .validated),
    (.ignore, .nothing, .full), (.ignore, .freshEverywhere, .full), (.ignore, .freshOnDisk, .full),
    (.ignore, .staleEverywhere, .full), (.ignore, .staleOnDisk, .full), (.ignore, .staleInMemory, .full),
    (.cacheOnly, .nothing, .notCached), (.cacheOnly, .freshEverywhere, .memory), (.cacheOnly, .freshOnDisk, .disk),
    (.cacheOnly, .staleEverywhere, .staleFromMemory), (.cacheOnly, .staleOnDisk, .staleFromDisk),
    (.cacheOnly, .staleInMemory, .staleFromMemory),
    (.preferCache, .nothing, .full), (.preferCache, .freshEverywhere, .memory), (.preferCache, .freshOnDisk, .disk),
    (.preferCache, .staleEverywhere, .staleFromMemory), (.preferCache, .staleOnDisk, .staleFromDisk),
    (.preferCache, .staleInMemory, .staleFromMemory),
    (.noStore, .nothing, .full), (.noStore, .freshEverywhere, .memory), (.noStore, .freshOnDisk, .disk),
    (.noStore, .staleEverywhere, .validated), (.noStore, .staleOnDisk, .validated),
    (CachePolicy(.use, reads: .disk), .freshEverywhere, .disk),
    (CachePolicy(.use, reads: .memory), .freshOnDisk, .full),
    (CachePolicy(.use, reads: []), .freshEverywhere, .full),
    (CachePolicy(.only, reads: .disk), .staleInMemory, .notCached),
  ]

  @Test(arguments: answers.indices) func eachPolicyDoesWhatItSays(_ index: Int) async throws {
    let (policy, stored, expected) = Self.answers[index]
    let body = try TestPicture.png()
    let test = TestLoader(
      ScriptedFetcher { request, _ in
        if request.revalidating != nil { return [.notModified()] }
        return [
          .head(headers: [.cacheControl: "max-age=100", .eTag: "\"a\""], length: body.count), .bytes(body),
        ]
      })
    if stored != .nothing {
      _ = try await test.loader.image(for: ImageRequest(Self.url))
      await test.loader.flush()
      #expect(test.bodies.all.count == 1 && test.pictures.keys.count == 1)
    }
    if [.freshOnDisk, .staleOnDisk].contains(stored) { await test.loader.removeAll(from: .memory) }
    if stored == .staleInMemory { await test.bodies.removeAll() }
    if [.staleEverywhere, .staleOnDisk, .staleInMemory].contains(stored) { test.time.advance(101) }
    let before = test.fetcher.count
    let picture = try TestPicture.pixels(64, 48)
    let answer: Answer
    do throws(LoadingError) {
      let loaded = try await test.loader.image(for: ImageRequest(Self.url, cachePolicy: policy))
      #expect(loaded.pixels.isSame(as: picture))
      switch (loaded.origin, loaded.isStale) {
      case (.memory, false): answer = .memory
      case (.memory, true): answer = .staleFromMemory
      case (.disk, false): answer = .disk
      case (.disk, true): answer = .staleFromDisk
      case (.validated, _): answer = .validated
      default: answer = .full
      }
    } catch {
      #expect(error.code == .notCached)
      answer = .notCached
    }
    #expect(answer == expected, "\(policy.lookup) reads \(policy.reads.rawValue), \(stored)")
    let sent = Array(test.fetcher.requests.dropFirst(before))
    switch expected {
    case .full: #expect(sent.map { $0.revalidating == nil } == [true])
    case .validated: #expect(sent.map { $0.revalidating == nil } == [false])
    default: #expect(sent.isEmpty)
    }
  }

  @Test func noStoreKeepsNothing() async throws {
    let test = TestLoader(ScriptedFetcher(try TestPicture.png(), headers: [.cacheControl: "max-age=100"]))
    _ = try await test.loader.image(for: ImageRequest(Self.url, cachePolicy: .noStore))
    await test.loader.flush()
    #expect(test.bodies.all.isEmpty && test.pictures.keys.isEmpty)
    _ = try await test.loader.image(for: ImageRequest(Self.url, cachePolicy: CachePolicy(stores: .memory)))
    await test.loader.flush()
    #expect(test.bodies.all.isEmpty && test.pictures.keys.count == 1)
    #expect(test.fetcher.count == 2)
  }

  @Test func anAnswerThatMayNotBeStoredIsNotStored() async throws {
    let test = TestLoader(ScriptedFetcher(try TestPicture.png(), headers: [.cacheControl: "no-store"]))
    for _ in 0..<2 { _ = try await test.loader.image(for: ImageRequest(Self.url)) }
    await test.loader.flush()
    #expect(test.bodies.all.isEmpty && test.pictures.keys.isEmpty)
    #expect(test.fetcher.count == 2)
  }

  @Test func removingForgetsEverything() async throws {
    let test = TestLoader(ScriptedFetcher(try TestPicture.png(), headers: [.cacheControl: "max-age=100"]))
    _ = try await test.loader.image(for: ImageRequest(Self.url))
    _ = try await test.loader.image(for: ImageRequest("https://example.org/dog.png"))
    await test.loader.flush()
    try await test.loader.remove(ImageRequest(Self.url))
    #expect(test.bodies.all.count == 1 && test.pictures.keys.count == 1)
    await test.loader.removeAll()
    #expect(test.bodies.all.isEmpty && test.pictures.keys.isEmpty)
  }

  @Test func whatWasRemovedDoesNotComeBackWithALateAnswer() async throws {
    let (body, door) = (try TestPicture.png(), Door())
    let test = TestLoader(
      ScriptedFetcher { _, _ in
        [.head(headers: [.cacheControl: "max-age=100"], length: body.count), .wait(door), .bytes(body)]
      })
    let task = test.loader.task(for: ImageRequest(Self.url))
    #expect(await eventually { door.arrivals == 1 })
    try await test.loader.remove(ImageRequest(Self.url))
    door.open()
    _ = try await task.image
    await test.loader.flush()
    #expect(test.bodies.all.isEmpty && test.pictures.keys.isEmpty)
  }

  @Test func aLateAnswerDoesNotReplaceANewerOne() async throws {
    let (old, new) = (try TestPicture.png(seed: 1), try TestPicture.png(seed: 2))
    let door = Door()
    let test = TestLoader(
      ScriptedFetcher { _, call in
        let headers: HTTPFields = [.cacheControl: "max-age=100"]
        return call == 1
          ? [.head(headers: headers, length: old.count), .wait(door), .bytes(old)]
          : [.head(headers: headers, length: new.count), .bytes(new)]
      })
    let first = test.loader.task(for: ImageRequest(Self.url))
    #expect(await eventually { door.arrivals == 1 })
    let newer = try await test.loader.image(for: ImageRequest(Self.url, cachePolicy: .reload))
    #expect(newer.pixels.isSame(as: try TestPicture.pixels(64, 48, seed: 2)))
    door.open()
    // Who asked first gets what was sent then.
    #expect(try await first.image.pixels.isSame(as: try TestPicture.pixels(64, 48, seed: 1)))
    await test.loader.flush()
    #expect(test.bodies.all.values.map(\.bytes) == [new])
    let kept = try await test.loader.image(for: ImageRequest(Self.url))
    #expect(kept.origin == .memory)
    #expect(kept.pixels.isSame(as: newer.pixels))
  }
}
