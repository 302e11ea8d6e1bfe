// SPDX-License-Identifier: Apache-2.0

import ImageCodersBuiltIn
import Testing

@testable import ImageLoading

/// The loader over real connections, with servers that break.
@Suite(.timeLimit(.minutes(3))) struct ServerTests {
  private func loader(_ change: (inout ImageLoader.Options) -> Void = { _ in }) -> (
    ImageLoader, EventList, DictionaryBodies
  ) {
    let (events, bodies) = (EventList(), DictionaryBodies())
    var options = ImageLoader.Options()
    options.observers = [events]
    change(&options)
    var fetching = HTTPFetcher.Options()
    fetching.retry.base = .milliseconds(1)
    let loader = ImageLoader(
      fetcher: HTTPFetcher(policy: .any, options: fetching), registry: TestLoader.registry,
      pictures: DictionaryPictures(), bodies: bodies, options: options)
    return (loader, events, bodies)
  }

  @Test func aThousandRequestsAreAHundredDownloads() async throws {
    let body = try TestPicture.png()
    let server = try await FaultServer { _ in [.answer(200, ["Cache-Control: max-age=600"], body)] }
    let (loader, events, bodies) = loader { $0.derivesFromLarger = false }
    let tasks = (0..<1000).map { number in
      let size = Size(width: number / 100 % 2 == 0 ? 32 : 16, height: 0)
      return loader.task(for: ImageRequest(server.url("/\(number % 100).png"), thumbnail: size))
    }
    for (number, task) in tasks.enumerated() {
      #expect(try await task.image.image.size.width == (number / 100 % 2 == 0 ? 32 : 16))
    }
    #expect(server.requests.count == 100)
    #expect(events.decodes == 200)
    await loader.flush()
    #expect(bodies.all.count == 100)
    #expect(await eventually { loader.activity == .init(downloads: 0, pictures: 0, waiting: 0, bytesInMemory: 0) })
    await server.stop()
  }

  @Test func aResetIsContinuedAndValidated() async throws {
    let body = try TestPicture.png(seed: 3)
    let server = try await FaultServer { request in
      if request.headers["if-none-match"] == "\"a\"" {
        return [.head(304, ["ETag: \"a\"", "Cache-Control: max-age=60"])]
      }
      guard let range = request.headers["range"] else {
        return [
          .head(
            200, ["Content-Length: \(body.count)", "ETag: \"a\"", "Cache-Control: no-cache", "Content-Type: image/png"]),
          .bytes(Array(body.prefix(300))), .reset,
        ]
      }
      guard range == "bytes=300-" else { return [.answer(416)] }
      return [
        .head(
          206,
          [
            "Content-Length: \(body.count - 300)", "Content-Range: bytes 300-\(body.count - 1)/\(body.count)",
            "ETag: \"a\"",
            "Cache-Control: no-cache", "Content-Type: image/png",
          ]), .bytes(Array(body.dropFirst(300))),
      ]
    }
    let (loader, events, _) = loader()
    let first = try await loader.image(for: ImageRequest(server.url("/a.png")))
    #expect(first.pixels.isSame(as: try TestPicture.pixels(64, 48, seed: 3)))
    await loader.flush()
    // It has to be validated each time, and is confirmed.
    let second = try await loader.image(for: ImageRequest(server.url("/a.png")))
    #expect(second.origin == .validated)
    #expect(second.bytesSaved == body.count)
    #expect(second.pixels.isSame(as: first.pixels))
    #expect(events.decodes == 1)
    await server.stop()
  }

  @Test func whatIsNoPictureFailsAndIsNotAskedForAgain() async throws {
    let server = try await FaultServer { _ in
      [
        .head(200, ["Content-Length: 100000", "Content-Type: application/octet-stream"]), .text("not a picture"),
        .stall,
      ]
    }
    let (loader, _, _) = loader()
    var codes: [LoadingError.Code?] = []
    for _ in 0..<2 {
      codes.append(
        await #expect(throws: LoadingError.self) { try await loader.image(for: ImageRequest(server.url("/a"))) }?.code)
    }
    #expect(codes == [.notAPicture, .failedBefore])
    #expect(server.requests.count == 1)
    await server.stop()
  }

  @Test func leavingClosesTheConnection() async throws {
    let server = try await FaultServer { _ in [.head(200, ["Content-Type: image/png"]), .stall] }
    let (loader, _, _) = loader()
    do {
      let task = loader.task(for: ImageRequest(server.url("/a.png")))
      #expect(await eventually { server.requests.count == 1 })
      task.cancel()
    }
    #expect(await eventually { loader.activity.downloads == 0 && server.closedCount == 1 })
    await server.stop()
  }
}
