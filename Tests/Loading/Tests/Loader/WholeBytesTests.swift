// SPDX-License-Identifier: Apache-2.0

import Glibc
import HTTPTypes
import ImageCodersBuiltIn
import ImageProcessing
import Testing

@testable import ImageLoading

@Suite struct WholeBytesTests {
  static let url = "https://example.org/cat.png"

  @Test func bytesAreThoseThatCameAndShareTheDownload() async throws {
    let (body, door) = (try TestPicture.png(), Door())
    let test = TestLoader(
      ScriptedFetcher { _, _ in
        let headers: HTTPFields = [.cacheControl: "max-age=100", .eTag: "\"a\""]
        return [.head(headers: headers, length: body.count), .wait(door), .bytes(body)]
      })
    let picture = test.loader.task(for: ImageRequest(Self.url))
    async let bytes = test.loader.bytes(for: ImageRequest(Self.url))
    #expect(await eventually { test.events.all.count { if case .joined = $0 { true } else { false } } == 3 })
    door.open()
    let loaded = try await bytes
    #expect(loaded.bytes == body && loaded.origin == .network && !loaded.isStale)
    #expect(loaded.bytesReceived == body.count && loaded.url == Self.url)
    #expect(loaded.httpResponse?.headers.contains(["etag", "\"a\""]) == true)
    #expect(try await picture.image.pixels.isSame(as: try TestPicture.pixels(64, 48)))
    #expect(test.fetcher.count == 1)
    await test.loader.flush()
    #expect(try await test.loader.bytes(for: ImageRequest(Self.url)).origin == .disk)
    #expect(test.fetcher.count == 1)
  }

  /// The picture in memory can be confirmed, but its bytes are not kept: they are asked for.
  @Test func bytesOfAPictureInMemoryAreAskedFor() async throws {
    let body = try TestPicture.png()
    let test = TestLoader(
      ScriptedFetcher { request, _ in
        let headers: HTTPFields = [.cacheControl: "max-age=100", .eTag: "\"a\""]
        return request.revalidating != nil ? [.notModified()] : [.head(headers: headers, length: nil), .bytes(body)]
      }, disk: false)
    _ = try await test.loader.image(for: ImageRequest(Self.url))
    #expect(try await test.loader.bytes(for: ImageRequest(Self.url)).bytes == body)
    #expect(try await test.loader.image(for: ImageRequest(Self.url)).origin == .memory)
  }

  @Test func bytesOfLocalSourcesAreRead() async throws {
    let body = try TestPicture.png()
    let test = TestLoader(ScriptedFetcher([]))
    let path = "/tmp/whole-bytes-\(UInt32.random(in: 0...UInt32.max)).png"
    let file = open(path, O_WRONLY | O_CREAT, 0o600)
    defer { unlink(path) }
    #expect(body.withUnsafeBytes { write(file, $0.baseAddress, $0.count) } == body.count)
    close(file)
    let read = try await test.loader.bytes(for: ImageRequest("file://\(path)"))
    #expect(read.bytes == body && read.origin == .local)
    #expect(try await test.loader.bytes(for: ImageRequest(.bytes([1, 2], key: "two"))).bytes == [1, 2])
    var small = ImageRequest("file://\(path)")
    small.fetchLimits = FetchLimits()
    small.fetchLimits?.maxBytes = body.count - 1
    await #expect { try await test.loader.bytes(for: small) } throws: { ($0 as? LoadingError)?.code == .tooLarge }
    await #expect { try await test.loader.bytes(for: "file:///tmp/no-such-file") } throws: {
      ($0 as? LoadingError)?.code == .io
    }
    #expect(test.fetcher.count == 0)
  }

  @Test func allLoadsAreGivenUpTogether() async throws {
    let door = Door()
    let body = try TestPicture.png()
    let test = TestLoader(
      ScriptedFetcher { request, _ in
        (request.url.hasSuffix("late.png") ? [] : [.wait(door)]) + [.head(length: body.count), .bytes(body)]
      })
    let tasks = (0..<3).map { test.loader.task(for: ImageRequest("https://example.org/\($0).png")) }
    let prefetch = test.loader.prefetch((3..<20).map { ImageRequest("https://example.org/\($0).png") }, concurrency: 2)
    let animation = test.loader.animation(for: "https://example.org/party.gif")
    let bytes = Task { try await test.loader.bytes(for: "https://example.org/bytes.png") }
    #expect(await eventually { door.arrivals == 7 })
    test.loader.cancelAll()
    for task in tasks {
      await #expect { try await task.image } throws: { ($0 as? LoadingError)?.code == .cancelled }
    }
    #expect(await prefetch.finished() == PrefetchTask.Counts(loaded: 0, failed: 0, cancelled: 17))
    await #expect(throws: LoadingError.self) { try await animation.finished() }
    await #expect(throws: (any Error).self) { try await bytes.value }
    #expect(await eventually { test.fetcher.running == 0 && test.loader.live.count == 0 })
    #expect(test.loader.activity == ImageLoader.Activity())
    #expect(try await test.loader.image(for: "https://example.org/late.png").origin == .network)
  }

  @Test func loadsThatWaitForTheHookAreGivenUpToo() async throws {
    let door = Door()
    let test = TestLoader(ScriptedFetcher(try TestPicture.png())) {
      $0.authorize = { _ in
        await door.pass()
        return ImageLoader.Authorization()
      }
    }
    let task = test.loader.task(for: ImageRequest(Self.url))
    #expect(await eventually { door.arrivals == 1 })
    test.loader.cancelAll()
    await #expect { try await task.image } throws: { ($0 as? LoadingError)?.code == .cancelled }
    #expect(test.fetcher.count == 0)
  }

  @Test func anOperationThatFailsSaysSo() async throws {
    let test = TestLoader(ScriptedFetcher(try TestPicture.png()))
    let outside = ImageOperation.crop(Rect(x: 1000, y: 0, width: 32, height: 32))
    let request = ImageRequest(Self.url, pipeline: ImagePipeline([outside]))
    await #expect { try await test.loader.image(for: request) } throws: { error in
      let error = error as? LoadingError
      return error?.code == .processing && error?.cause?.code == .invalidArgument
        && error?.message.contains("crop") == true
    }
  }
}
