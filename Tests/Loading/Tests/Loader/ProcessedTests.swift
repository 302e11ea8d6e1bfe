// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import ImageCodersBuiltIn
import ImageProcessing
import Testing

@testable import ImageLoading

@Suite struct ProcessedTests {
  static let url = "https://example.org/cat.png"
  static let request = ImageRequest(
    url, thumbnail: Size(width: 32, height: 0), pipeline: ImagePipeline([.flipVertical, .brightness(0.5)]))

  private func loader(_ format: ImageFormat?) throws -> TestLoader {
    let body = try TestPicture.png()
    return TestLoader(
      ScriptedFetcher { request, _ in
        request.revalidating != nil
          ? [.notModified()]
          : [.head(headers: [.cacheControl: "max-age=60", .eTag: "\"a\""], length: body.count), .bytes(body)]
      }
    ) { $0.processedFormat = format }
  }

  @Test func processedPicturesAreOnDiskOnlyIfAskedFor() async throws {
    for (format, count) in [(nil, 1), (ImageFormat.png, 2)] as [(ImageFormat?, Int)] {
      let test = try loader(format)
      _ = try await test.loader.image(for: Self.request)
      await test.loader.flush()
      #expect(test.bodies.all.count == count)
      #expect(test.bodies.all.values.count { $0.processed } == count - 1)
    }
  }

  @Test func theyAreReadInsteadOfTheFile() async throws {
    let test = try loader(.png)
    let first = try await test.loader.image(for: Self.request)
    await test.loader.flush()
    await test.loader.removeAll(from: .memory)
    let second = try await test.loader.image(for: Self.request)
    #expect(second.origin == .disk)
    #expect(second.pixels.isSame(as: first.pixels))
    #expect(test.events.decodes == 1 && test.fetcher.count == 1)
    // The file itself is there for other pictures.
    #expect(try await test.loader.image(for: ImageRequest(Self.url)).origin == .disk)
    #expect(test.fetcher.count == 1)
    // What is stale is validated; the policy `reload` asks as well.
    await test.loader.removeAll(from: .memory)
    test.time.advance(100)
    let third = try await test.loader.image(for: Self.request)
    #expect(third.pixels.isSame(as: first.pixels) && third.origin == .validated)
    #expect(test.fetcher.count == 2)
  }

  @Test func whatWasMadeOfOtherBytesIsNotUsed() async throws {
    let (old, new) = (try TestPicture.png(seed: 1), try TestPicture.png(seed: 2))
    let test = TestLoader(
      ScriptedFetcher { _, call in
        let body = call == 1 ? old : new
        return [.head(headers: [.cacheControl: "max-age=60", .eTag: "\"\(call)\""], length: body.count), .bytes(body)]
      }
    ) { $0.processedFormat = .png }
    _ = try await test.loader.image(for: Self.request)
    await test.loader.flush()
    await test.loader.removeAll(from: .memory)
    test.time.advance(100)
    let second = try await test.loader.image(for: Self.request)
    let expected = try await Self.request.pipeline.async.applied(
      to: TestLoader.registry.async.decode(
        .bytes(new), options: DecodeOptions(size: .fitting(Size(width: 32, height: 0)))
      ).pixels)
    #expect(second.pixels.isSame(as: expected))
    #expect(test.fetcher.count == 2)
  }
}
