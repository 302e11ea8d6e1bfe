// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import ImageCodersBuiltIn
import Testing

@testable import ImageLoading

@Suite struct MemoryVariantTests {
  static let url = "https://example.org/cat.png"

  private func request(_ side: Int) -> ImageRequest {
    ImageRequest(Self.url, thumbnail: Size(width: side, height: 0))
  }

  /// A loader without a cache on disk, and pictures that are not made of one another.
  private func loader(_ script: @escaping ScriptedFetcher.Script) -> TestLoader {
    TestLoader(ScriptedFetcher(script), disk: false) { $0.derivesFromLarger = false }
  }

  @Test(arguments: [[.cacheControl: "max-age=3600", .eTag: "\"a\""], [.cacheControl: "max-age=3600"]] as [HTTPFields])
  func sizesOfAURLStayBesideEachOther(_ headers: HTTPFields) async throws {
    let body = try TestPicture.png(200, 150)
    let test = loader { request, _ in
      request.revalidating != nil ? [.notModified()] : [.head(headers: headers, length: body.count), .bytes(body)]
    }
    var origins: [ImageResponse.Origin] = []
    for side in [100, 40, 100, 40, 100, 40] {
      let loaded = try await test.loader.image(for: request(side))
      #expect(loaded.image.size.width == side)
      origins.append(loaded.origin)
    }
    #expect(origins == [.network, .network, .memory, .memory, .memory, .memory])
    // What cannot be made of pictures in memory is not asked to be confirmed.
    #expect(test.fetcher.requests.map { $0.revalidating == nil } == [true, true])
  }

  @Test func bytesThatComeAgainUnchangedKeepOtherSizes() async throws {
    let body = try TestPicture.png(200, 150)
    let test = loader { _, _ in [.head(headers: [.cacheControl: "max-age=100"], length: body.count), .bytes(body)] }
    for side in [100, 40] { _ = try await test.loader.image(for: request(side)) }
    test.time.advance(101)
    // Without a validator, the bytes come once more, and are the same.
    #expect(try await test.loader.image(for: request(100)).origin == .network)
    #expect(try await test.loader.image(for: request(40)).origin == .memory)
    #expect(test.fetcher.count == 3)
  }

  @Test func otherBytesReleaseWhatWasMadeOfTheOldOnes() async throws {
    let (old, new) = (try TestPicture.png(200, 150, seed: 1), try TestPicture.png(200, 150, seed: 2))
    let test = loader { _, call in
      let body = call <= 2 ? old : new
      return [.head(headers: [.cacheControl: "max-age=100"], length: body.count), .bytes(body)]
    }
    for side in [100, 40] { _ = try await test.loader.image(for: request(side)) }
    test.time.advance(101)
    for side in [100, 40] {
      let loaded = try await test.loader.image(for: request(side))
      #expect(loaded.origin == .network)
      let options = DecodeOptions(size: .fitting(Size(width: side, height: 0)))
      let direct = try await TestLoader.registry.async.decode(.bytes(new), options: options)
      #expect(loaded.pixels.isSame(as: direct.pixels))
    }
    #expect(test.fetcher.count == 4 && test.pictures.keys.count == 2)
  }

  @Test(arguments: [true, false]) func theSameBytesHaveTheSameVersion(_ isInMemory: Bool) throws {
    let bytes = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 * $0 / 7) }
    func version(_ bytes: [UInt8], parts: Int) throws -> ContentVersion {
      let body = Body(BodyMemory(limit: isInMemory ? 1 << 20 : 0), folder: "/tmp")
      var offset = 0
      while offset < bytes.count {
        let end = min(bytes.count, offset + parts)
        try body.append(Array(bytes[offset..<end]))
        offset = end
      }
      body.finish()
      #expect(body.isSpilled == !isInMemory)
      return try body.version()
    }
    let whole = try version(bytes, parts: 600_000)
    #expect(try version(bytes, parts: 7_777) == whole)
    var other = bytes
    other[299_999] ^= 1
    #expect(try version(other, parts: 600_000) != whole)
    #expect(try version(Array(bytes.dropLast()), parts: 600_000) != whole)
  }

  /// The cache has room for nothing: what the application has is found all the same, and for as long as it has it.
  @Test func picturesInUseAreFoundAgain() async throws {
    let (body, animation) = (try TestPicture.png(200, 150), try TestPicture.gif(frames: 3))
    let fetcher = ScriptedFetcher { request, _ in
      let bytes = request.url.hasSuffix("gif") ? animation : body
      return [.head(headers: [.cacheControl: "max-age=100"], length: bytes.count), .bytes(bytes)]
    }
    var options = ImageLoader.Options()
    options.memory?.maxBytes = 1000
    let loader = ImageLoader(fetcher: fetcher, registry: TestLoader.registry, options: options)
    for url in [Self.url, "https://example.org/cat.gif"] {
      let before = fetcher.count
      var shown: ImageResponse? = try await loader.image(for: ImageRequest(url))
      #expect(shown?.origin == .network)
      let again = try await loader.image(for: ImageRequest(url))
      #expect(again.origin == .memory && again.image.frames.count == shown?.image.frames.count)
      for (one, other) in zip(again.image.frames, shown?.image.frames ?? []) {
        #expect(one.pixels === other.pixels && one.delay == other.delay)
      }
      #expect(fetcher.count == before + 1)
      shown = nil
    }
    // The first is not in use any more.
    #expect(try await loader.image(for: ImageRequest(Self.url)).origin == .network)
  }

  @Test func theFirstFrameOfAnAnimationInMemoryIsNotLoadedAgain() async throws {
    let body = try TestPicture.gif(frames: 3)
    let test = loader { _, _ in [.head(headers: [.cacheControl: "max-age=100"], length: body.count), .bytes(body)] }
    #expect(try await test.loader.image(for: ImageRequest(Self.url)).image.frames.count == 3)
    var first = ImageRequest(Self.url)
    first.output.firstFrameOnly = true
    for _ in 0..<2 {
      let loaded = try await test.loader.image(for: first)
      let direct = try await TestLoader.registry.async.decode(
        .bytes(body), options: DecodeOptions(firstFrameOnly: true))
      #expect(loaded.origin == .memory && loaded.image.frames.count == 1)
      #expect(loaded.pixels.isSame(as: direct.pixels))
      #expect(loaded.image.loopCount == direct.loopCount && loaded.image.header?.canvas == direct.header?.canvas)
      #expect(loaded.image.frames[0].delay == direct.frames[0].delay)
    }
    #expect(test.fetcher.count == 1 && test.events.decodes == 1)
  }
}
