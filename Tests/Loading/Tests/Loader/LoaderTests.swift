// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import ImageCodersBuiltIn
import ImageProcessing
import Testing

@testable import ImageLoading

@Suite struct LoaderTests {
  static let url = "https://example.org/cat.png"

  @Test func givesThePixelsOfTheFile() async throws {
    let test = TestLoader(ScriptedFetcher(try TestPicture.png()))
    let loaded = try await test.loader.image(for: ImageRequest(Self.url))
    #expect(loaded.pixels.isSame(as: try TestPicture.pixels(64, 48)))
    #expect(loaded.origin == .network)
    #expect(loaded.url == Self.url)
    #expect(loaded.byteCount == loaded.bytesReceived)
    #expect(loaded.bytesSaved == 0)
    // The bytes go with the last task that holds them, which may end after the picture is given.
    #expect(
      await eventually { test.loader.activity == .init(downloads: 0, pictures: 0, waiting: 0, bytesInMemory: 0) })
  }

  @Test func oneDownloadServesAllSizes() async throws {
    let (door, body) = (Door(), try TestPicture.png())
    let test = TestLoader(
      ScriptedFetcher { _, _ in
        [.head(length: body.count), .bytes(Array(body.prefix(100))), .wait(door), .bytes(Array(body.dropFirst(100)))]
      }
    ) { $0.derivesFromLarger = false }
    let tasks = [64, 32, 16, 16].map { width in
      test.loader.task(for: ImageRequest(Self.url, thumbnail: Size(width: width, height: 0)))
    }
    #expect(await eventually { door.arrivals == 1 })
    door.open()
    var widths: [Int] = []
    for task in tasks { widths.append(try await task.image.image.size.width) }
    #expect(widths == [64, 32, 16, 16])
    #expect(test.fetcher.count == 1)
    #expect(test.events.decodes == 3)
  }

  @Test func pipelinesShareWhatTheyBeginWith() async throws {
    let test = TestLoader(ScriptedFetcher(try TestPicture.png()), memory: false)
    let crop = ImageOperation.crop(Rect(x: 0, y: 0, width: 32, height: 32))
    let pipelines = [
      ImagePipeline([crop, .grayscale(1)]), ImagePipeline([crop, .flipHorizontal]), ImagePipeline([crop]),
      ImagePipeline([.blur(sigma: 0), crop, .flipHorizontal]),
    ]
    let tasks = pipelines.map { test.loader.task(for: ImageRequest(Self.url, pipeline: $0)) }
    let original = try TestPicture.pixels(64, 48)
    for (task, pipeline) in zip(tasks, pipelines) {
      let expected = try await pipeline.async.applied(to: original)
      #expect(try await task.image.pixels.isSame(as: expected))
    }
    #expect(test.fetcher.count == 1)
    #expect(test.events.decodes == 1)
    // The crop, gray, and flipped: what does nothing is no operation.
    #expect(test.events.operations == 3)
  }

  @Test func whatIsInMemoryIsNeitherLoadedNorDecoded() async throws {
    let test = TestLoader(ScriptedFetcher(try TestPicture.png(), headers: [.cacheControl: "max-age=100"]))
    let crop = ImageOperation.crop(Rect(x: 0, y: 0, width: 32, height: 32))
    _ = try await test.loader.image(for: ImageRequest(Self.url, pipeline: ImagePipeline([crop])))
    let again = try await test.loader.image(for: ImageRequest(Self.url, pipeline: ImagePipeline([crop])))
    #expect(again.origin == .memory)
    // The longer pipeline begins with what is there.
    let longer = try await test.loader.image(
      for: ImageRequest(Self.url, pipeline: ImagePipeline([crop, .flipVertical])))
    #expect(longer.image.size == Size(width: 32, height: 32))
    #expect(test.fetcher.count == 1)
    #expect(test.events.decodes == 1)
  }

  @Test func localSourcesNeedNoServer() async throws {
    let png = try TestPicture.png(20, 10)
    let test = TestLoader(ScriptedFetcher([]))
    let bytes = try await test.loader.image(for: ImageRequest(.bytes(png, key: "k")))
    #expect(bytes.image.size == Size(width: 20, height: 10))
    #expect(bytes.origin == .local)
    #expect(try await test.loader.image(for: ImageRequest(.bytes(png, key: "k"))).origin == .memory)

    let hex = png.map { byte in "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    let data = try await test.loader.image(for: ImageRequest("data:image/png,\(hex)"))
    #expect(data.pixels.isSame(as: bytes.pixels))
    #expect(test.fetcher.count == 0)
  }

  @Test func badURLsFail() async throws {
    let test = TestLoader(ScriptedFetcher([]))
    for url in [
      "nothing", "ftp://example.org/a", "http:/a", "https://user:word@example.org/", "https://a:99999/",
      "file:relative", "https://example.org/a\nb", "data:image/png;base64,====",
    ] {
      let error = await #expect(throws: LoadingError.self) { try await test.loader.image(for: ImageRequest(url)) }
      #expect(error?.code == .badRequest, "\(url)")
    }
    #expect(test.fetcher.count == 0)
  }

  @Test func whatIsNoPictureEndsEarly() async throws {
    let door = Door()
    let test = TestLoader(
      ScriptedFetcher { _, _ in [.head(length: 1 << 20), .bytes(Array("<!doctype html>".utf8)), .wait(door)] })
    let error = await #expect(throws: LoadingError.self) { try await test.loader.image(for: ImageRequest(Self.url)) }
    #expect(error?.code == .notAPicture)
    #expect(door.arrivals == 0)
    #expect(await eventually { test.fetcher.running == 0 })
  }

  @Test func bodiesHaveALimit() async throws {
    let png = try TestPicture.png()
    for length in [png.count, nil] {
      let test = TestLoader(ScriptedFetcher { _, _ in [.head(length: length), .bytes(png)] }) {
        $0.fetchLimits.maxBytes = png.count - 1
      }
      let error = await #expect(throws: LoadingError.self) { try await test.loader.image(for: ImageRequest(Self.url)) }
      #expect(error?.code == .tooLarge)
    }
    let fits = TestLoader(ScriptedFetcher(png)) { $0.fetchLimits.maxBytes = png.count }
    _ = try await fits.loader.image(for: ImageRequest(Self.url))
  }

  @Test func anAnswerThatBeginsAnewReplacesTheBytes() async throws {
    let (first, second) = (try TestPicture.png(seed: 1), try TestPicture.png(seed: 2))
    let test = TestLoader(
      ScriptedFetcher { _, _ in
        [.head(length: first.count), .bytes(Array(first.prefix(200))), .head(length: second.count), .bytes(second)]
      })
    var request = ImageRequest(Self.url)
    request.wantsPreviews = true
    let loaded = try await test.loader.image(for: request)
    #expect(loaded.pixels.isSame(as: try TestPicture.pixels(64, 48, seed: 2)))
  }

  @Test func whatFailedForGoodIsNotAskedForAgainForSomeTime() async throws {
    let test = TestLoader(ScriptedFetcher { _, _ in [.fail(LoadingError(.status, "404", status: 404))] }) {
      $0.failureLifetime = .seconds(30)
    }
    func code(_ request: ImageRequest) async -> LoadingError.Code? {
      await #expect(throws: LoadingError.self) { try await test.loader.image(for: request) }?.code
    }
    #expect(await code(ImageRequest(Self.url)) == .status)
    #expect(await code(ImageRequest(Self.url)) == .failedBefore)
    #expect(await code(ImageRequest(Self.url, thumbnail: Size(width: 5, height: 5))) == .failedBefore)
    var again = ImageRequest(Self.url)
    again.retriesFailed = true
    #expect(await code(again) == .status)
    #expect(test.fetcher.count == 2)
    test.time.advance(31)
    #expect(await code(ImageRequest(Self.url)) == .status)
    #expect(test.fetcher.count == 3)
  }

  @Test func whatFailedForOnceIsAskedForAgain() async throws {
    for error in [
      LoadingError(.connection, "reset"), LoadingError(.timeout, "slow"), LoadingError(.status, "503", status: 503),
      LoadingError(.status, "429", status: 429),
    ] {
      let test = TestLoader(ScriptedFetcher { _, _ in [.fail(error)] })
      for _ in 0..<2 { _ = try? await test.loader.image(for: ImageRequest(Self.url)) }
      #expect(test.fetcher.count == 2)
    }
  }
}
