// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import ImageCodersBuiltIn
import ImageProcessing
import Testing

@testable import ImageLoading

@Suite struct FreshnessTests {
  static let url = "https://example.org/cat.png"

  /// What comes of a second request so many seconds after the first.
  struct Case: Sendable {
    let headers: [String: String]
    let seconds: Double
    let origin: ImageResponse.Origin
    var isStale = false
    /// Requests for the second one, those in the background among them.
    var sent = 0
  }

  static let cases: [Case] = [
    Case(headers: ["Cache-Control": "max-age=60", "ETag": "\"a\""], seconds: 59, origin: .memory),
    Case(headers: ["Cache-Control": "max-age=60", "ETag": "\"a\""], seconds: 61, origin: .validated, sent: 1),
    // Nothing to confirm it with.
    Case(headers: ["Cache-Control": "max-age=60"], seconds: 61, origin: .network, sent: 1),
    Case(headers: ["Cache-Control": "no-cache", "ETag": "\"a\""], seconds: 0, origin: .validated, sent: 1),
    Case(headers: ["ETag": "\"a\""], seconds: 1, origin: .validated, sent: 1),
    Case(headers: ["Cache-Control": "max-age=60", "Age": "50", "ETag": "\"a\""], seconds: 9, origin: .memory),
    Case(
      headers: ["Cache-Control": "max-age=60", "Age": "50", "ETag": "\"a\""], seconds: 11, origin: .validated, sent: 1),
    Case(
      headers: ["Cache-Control": "max-age=60, stale-while-revalidate=30", "ETag": "\"a\""], seconds: 80,
      origin: .memory,
      isStale: true, sent: 1),
    Case(
      headers: ["Cache-Control": "max-age=60, stale-while-revalidate=30", "ETag": "\"a\""], seconds: 91,
      origin: .validated, sent: 1),
    // 14 November 2023 22:13:20 is the time of the first request; ten days of age are fresh for one.
    Case(
      headers: ["Last-Modified": "Sat, 04 Nov 2023 22:13:20 GMT", "Date": "Tue, 14 Nov 2023 22:13:20 GMT"],
      seconds: 86_399, origin: .memory),
    Case(
      headers: ["Last-Modified": "Sat, 04 Nov 2023 22:13:20 GMT", "Date": "Tue, 14 Nov 2023 22:13:20 GMT"],
      seconds: 86_401, origin: .validated, sent: 1),
    Case(
      headers: ["Expires": "Tue, 14 Nov 2023 22:14:20 GMT", "Date": "Tue, 14 Nov 2023 22:13:20 GMT"], seconds: 59,
      origin: .memory),
  ]

  @Test(arguments: cases.indices, [false, true])
  func aSecondRequestFollowsTheRules(_ index: Int, _ onDiskOnly: Bool) async throws {
    let one = Self.cases[index]
    let body = try TestPicture.png()
    var headers: HTTPFields = [:]
    for (name, value) in one.headers { headers[try #require(HTTPField.Name(name))] = value }
    let test = TestLoader(
      ScriptedFetcher { [headers] request, _ in
        request.revalidating != nil ? [.notModified()] : [.head(headers: headers, length: body.count), .bytes(body)]
      })
    _ = try await test.loader.image(for: ImageRequest(Self.url))
    await test.loader.flush()
    if onDiskOnly { await test.loader.removeAll(from: .memory) }
    test.time.advance(one.seconds)
    let second = try await test.loader.image(for: ImageRequest(Self.url))
    await test.loader.flush()
    #expect(second.origin == (onDiskOnly && one.origin == .memory ? .disk : one.origin))
    #expect(second.isStale == one.isStale)
    #expect(test.fetcher.count == 1 + one.sent)
    #expect(second.pixels.isSame(as: try TestPicture.pixels(64, 48)))
    if one.origin == .validated { #expect(second.bytesSaved == body.count && second.bytesReceived == 0) }
    // Whatever was validated is fresh again, or still has to be validated.
    if one.sent > 0, one.headers["Cache-Control"]?.hasPrefix("max-age=60") == true, one.headers["Age"] == nil {
      #expect(try await test.loader.image(for: ImageRequest(Self.url)).origin == .memory || one.isStale)
    }
  }

  @Test func whatIsUsedWhileStaleIsValidatedOnce() async throws {
    let (old, new, door) = (try TestPicture.png(seed: 1), try TestPicture.png(seed: 2), Door())
    let headers: HTTPFields = [.cacheControl: "max-age=60, stale-while-revalidate=600", .eTag: "\"a\""]
    let test = TestLoader(
      ScriptedFetcher { _, call in
        call == 1
          ? [.head(headers: headers, length: old.count), .bytes(old)]
          : [.wait(door), .head(headers: headers, length: new.count), .bytes(new)]
      })
    _ = try await test.loader.image(for: ImageRequest(Self.url))
    test.time.advance(100)
    for _ in 0..<10 {
      let stale = try await test.loader.image(for: ImageRequest(Self.url))
      #expect(stale.isStale && stale.origin == .memory)
    }
    #expect(await eventually { door.arrivals == 1 })
    door.open()
    await test.loader.flush()
    #expect(test.fetcher.count == 2)
    // The server has sent another picture; the old one is gone.
    let fresh = try await test.loader.image(for: ImageRequest(Self.url))
    #expect(!fresh.isStale)
    #expect(fresh.pixels.isSame(as: try TestPicture.pixels(64, 48, seed: 2)))
    #expect(test.fetcher.count == 2)
  }

  @Test func aConfirmedPictureWhoseBytesAreNotKeptIsUsedAgain() async throws {
    let body = try TestPicture.png()
    let test = TestLoader(
      ScriptedFetcher { request, _ in
        request.revalidating != nil
          ? [.notModified()]
          : [.head(headers: [.cacheControl: "max-age=60", .eTag: "\"a\""], length: body.count), .bytes(body)]
      }, disk: false)
    _ = try await test.loader.image(for: ImageRequest(Self.url))
    test.time.advance(100)
    #expect(try await test.loader.image(for: ImageRequest(Self.url)).origin == .validated)
    #expect(test.fetcher.count == 2 && test.events.decodes == 1)
    // Another layout has to be decoded: all bytes are asked for.
    test.time.advance(100)
    var other = ImageRequest(Self.url)
    other.output.pixelFormat = .rgba8
    #expect(try await test.loader.image(for: other).origin == .network)
    #expect(test.fetcher.requests.suffix(2).map { $0.revalidating == nil } == [false, true])
  }

  @Test func variantsAreKeptBesideEachOther() async throws {
    let test = TestLoader(
      ScriptedFetcher { request, _ in
        let seed = request.headers[.accept] == "image/webp" ? 1 : 2
        guard let body = try? TestPicture.png(seed: seed) else { return [] }
        return [.head(headers: [.cacheControl: "max-age=60", .vary: "Accept"], length: body.count), .bytes(body)]
      }, memory: false)
    for round in 0..<2 {
      for (seed, type) in [(1, "image/webp"), (2, "image/png")] {
        var request = ImageRequest(Self.url)
        request.headers[.accept] = type
        let loaded = try await test.loader.image(for: request)
        #expect(loaded.origin == (round == 0 ? .network : .disk))
        #expect(loaded.pixels.isSame(as: try TestPicture.pixels(64, 48, seed: seed)))
      }
      await test.loader.flush()
    }
    #expect(test.fetcher.count == 2)
  }

  @Test func whatIsStaleHelpsWhenTheServerIsGoneIfItSaysSo() async throws {
    let body = try TestPicture.png()
    for (words, isUsed) in [("max-age=60, stale-if-error=600", true), ("max-age=60", false)] {
      let test = TestLoader(
        ScriptedFetcher { _, call in
          call > 1
            ? [.fail(LoadingError(.status, "unavailable", status: 503))]
            : [.head(headers: [.cacheControl: words, .eTag: "\"a\""], length: body.count), .bytes(body)]
        })
      _ = try await test.loader.image(for: ImageRequest(Self.url))
      await test.loader.flush()
      test.time.advance(100)
      let second = try? await test.loader.image(for: ImageRequest(Self.url))
      #expect((second != nil) == isUsed)
      #expect(second?.isStale ?? true)
    }
  }

  /// What a request's own `Cache-Control` makes of a picture in memory that is 100 s old and fresh for 60 s.
  @Test(arguments: [
    ("max-stale=30", ImageResponse.Origin.validated), ("max-stale=50", .memory), ("max-stale", .memory),
    ("only-if-cached", nil), ("only-if-cached, max-stale=50", .memory), ("no-cache", .validated),
  ])
  func aRequestMayAskForMoreOrLess(_ words: String, _ origin: ImageResponse.Origin?) async throws {
    let body = try TestPicture.png()
    let test = TestLoader(
      ScriptedFetcher { request, _ in
        if request.revalidating != nil { return [.notModified()] }
        let headers: HTTPFields = [.cacheControl: "max-age=60", .eTag: "\"a\""]
        return [.head(headers: headers, length: body.count), .bytes(body)]
      }, disk: false)
    _ = try await test.loader.image(for: ImageRequest(Self.url))
    test.time.advance(100)
    var request = ImageRequest(Self.url)
    request.headers[.cacheControl] = words
    do throws(LoadingError) {
      #expect(try await test.loader.image(for: request).origin == origin)
    } catch {
      #expect(origin == nil && error.code == .notCached)
    }
    #expect(test.fetcher.count == (origin == .validated ? 2 : 1))
  }

  @Test func aRequestThatKeepsNothingLeavesWhatIsKept() async throws {
    let test = TestLoader(ScriptedFetcher(try TestPicture.png(), headers: [.cacheControl: "max-age=60"]))
    _ = try await test.loader.image(for: ImageRequest(Self.url))
    await test.loader.flush()
    var request = ImageRequest(Self.url)
    request.headers[.cacheControl] = "no-store"
    #expect(try await test.loader.image(for: request).origin == .network)
    await test.loader.flush()
    #expect(try await test.loader.image(for: ImageRequest(Self.url)).origin == .memory)
    #expect(test.bodies.all.count == 1 && test.fetcher.count == 2)
  }

  /// Without a cache on disk, pictures in memory help when the server is gone.
  @Test(arguments: [
    ("max-age=60, stale-if-error=600", true), ("max-age=60", false), ("max-age=60, stale-if-error=20", false),
    ("max-age=60, stale-if-error=600, must-revalidate", false),
  ])
  func whatIsStaleInMemoryHelpsWhenTheServerIsGone(_ words: String, _ isUsed: Bool) async throws {
    let body = try TestPicture.png(200, 150)
    let test = TestLoader(
      ScriptedFetcher { _, call in
        call > 1
          ? [.fail(LoadingError(.status, "unavailable", status: 503))]
          : [.head(headers: [.cacheControl: words, .eTag: "\"a\""], length: body.count), .bytes(body)]
      }, disk: false)
    let pipeline = ImagePipeline([.flipHorizontal])
    _ = try await test.loader.image(for: ImageRequest(Self.url))
    let flipped = try await test.loader.image(for: ImageRequest(Self.url, pipeline: pipeline))
    test.time.advance(100)
    let smaller = ImageRequest(Self.url, thumbnail: Size(width: 50, height: 0))
    for request in [ImageRequest(Self.url), ImageRequest(Self.url, pipeline: pipeline), smaller] {
      do throws(LoadingError) {
        let second = try await test.loader.image(for: request)
        #expect(isUsed && second.isStale && second.origin == .memory)
        if !request.pipeline.operations.isEmpty { #expect(second.pixels.isSame(as: flipped.pixels)) }
      } catch {
        #expect(!isUsed && error.code == .status)
      }
    }
    #expect(test.fetcher.count == 4)
  }

  @Test func aPictureIsKeptInTheRealCacheOnDisk() async throws {
    let folder = "/tmp/loading-test-\(UInt32.random(in: 0...UInt32.max))"
    let body = try TestPicture.png()
    let fetcher = ScriptedFetcher(body, headers: [.cacheControl: "max-age=600", .eTag: "\"a\""])
    for round in 0..<2 {
      let disk = try DiskCache(folder: folder)
      let loader = ImageLoader(fetcher: fetcher, registry: TestLoader.registry, disk: disk)
      let loaded = try await loader.image(for: ImageRequest(Self.url))
      #expect(loaded.origin == (round == 0 ? .network : .disk))
      #expect(loaded.pixels.isSame(as: try TestPicture.pixels(64, 48)))
      #expect(try await loader.image(for: ImageRequest(Self.url)).origin == .memory)
      await loader.flush()
      if round == 1 { try await disk.async.removeAll() }
    }
    #expect(fetcher.count == 1)
  }

  @Test func metadataIsReadAsItWasWritten() throws {
    let response = StoredResponse(
      url: Self.url, headers: [["etag", "\"a\tb\""], ["x", ""]], requestTime: 1.5, responseTime: 1_700_000_000.123,
      varying: [["accept", "image/webp"]])
    var metadata = BodyMetadata(response, ContentVersion("v1"))
    metadata.variants = ["accept"]
    #expect(BodyMetadata(metadata.bytes) == metadata)
    for damaged in [[], Array("image-loading 2".utf8), Array(metadata.bytes.prefix(40)), [0xFF, 0xFE]] {
      #expect(BodyMetadata(damaged) == nil)
    }
  }
}
