// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import ImageAnimation
import ImageCodersBuiltIn
import ImageProcessing
import Testing

@testable import ImageLoading

@Suite struct PreviewTests {
  static let url = "https://example.org/large.qoi"

  /// A picture that arrives in two halves.
  private func halves(_ body: [UInt8], _ door: Door) -> ScriptedFetcher {
    ScriptedFetcher { _, _ in
      [
        .head(length: body.count), .bytes(Array(body.prefix(body.count / 2))), .wait(door),
        .bytes(Array(body.dropFirst(body.count / 2))),
      ]
    }
  }

  private func request(_ pipeline: ImagePipeline = ImagePipeline()) -> ImageRequest {
    var request = ImageRequest(Self.url, pipeline: pipeline)
    request.wantsPreviews = true
    return request
  }

  @Test func aPreviewComesBeforeThePicture() async throws {
    let (body, door) = (try TestPicture.qoi(200, 200), Door())
    let test = TestLoader(halves(body, door))
    var events = test.loader.task(for: request()).events.makeAsyncIterator()
    var (fractions, qualities): ([Double], [Double]) = ([], [])
    while let event = try await events.next() {
      switch event {
      case .progress(let progress): fractions.append(try #require(progress.fraction))
      case .preview(let preview):
        qualities.append(preview.quality)
        #expect(preview.image.size == Size(width: 200, height: 200))
        door.open()
      case .finished(let loaded):
        #expect(loaded.pixels.isSame(as: try TestPicture.pixels(200, 200)))
      }
    }
    #expect(abs(try #require(fractions.first) - 0.5) < 0.01)
    #expect(try #require(qualities.first) > 0.2 && qualities[0] < 1)
    // The decoder of the previews also made the picture.
    #expect(test.events.decodes == 1)
  }

  @Test func whoComesLateGetsTheLastPreview() async throws {
    let (body, door) = (try TestPicture.qoi(200, 200), Door())
    let test = TestLoader(halves(body, door))
    let first = test.loader.task(for: request())
    var events = first.events.makeAsyncIterator()
    while case .progress? = try await events.next() {}
    // Nothing arrives meanwhile.
    let late = test.loader.task(for: request())
    var later = late.events.makeAsyncIterator()
    var hasPreview = false
    while !hasPreview, let event = try await later.next() {
      if case .preview = event { hasPreview = true }
    }
    #expect(hasPreview)
    door.open()
    #expect(try await first.image.pixels.isSame(as: try await late.image.pixels))
    #expect(test.fetcher.count == 1)
  }

  @Test func previewsArePossibleAlthoughTheFirstDidNotWantThem() async throws {
    let (body, first, second) = (try TestPicture.qoi(200, 200), Door(), Door())
    let part = body.count / 3
    let test = TestLoader(
      ScriptedFetcher { _, _ in
        [
          .head(length: body.count), .bytes(Array(body[..<part])), .wait(first), .bytes(Array(body[part..<(2 * part)])),
          .wait(second), .bytes(Array(body[(2 * part)...])),
        ]
      })
    let plain = test.loader.task(for: ImageRequest(Self.url))
    #expect(await eventually { first.arrivals == 1 })
    let task = test.loader.task(for: request())
    first.open()
    for try await event in task.events {
      if case .preview = event { second.open() }
    }
    for try await event in plain.events {
      if case .preview = event { Issue.record("a preview for one who did not ask") }
    }
    #expect(test.events.decodes == 1)
  }

  @Test func previewsAreProcessedLikeThePicture() async throws {
    let (body, door) = (try TestPicture.qoi(200, 200), Door())
    let test = TestLoader(halves(body, door))
    let flip = ImagePipeline([.crop(Rect(x: 0, y: 0, width: 50, height: 20)), .flipHorizontal])
    for try await event in test.loader.task(for: request(flip)).events {
      guard case .preview(let preview) = event else { continue }
      #expect(preview.image.size == Size(width: 50, height: 20))
      // Its rows have come.
      let flipped = try await flip.async.applied(to: try TestPicture.pixels(200, 200))
      let whole = try flipped.converted(to: preview.image.pixels.layout)
      #expect(preview.image.pixels.isSame(as: whole))
      door.open()
    }
  }

  @Test func nothingComesAfterThePicture() {
    let box = LoadBox(ImageRequest(Self.url), 1, LoadObservers(all: []))
    box.put(.update(StageUpdate(progress: ImageTask.Progress(bytesReceived: 1, bytesExpected: 2))))
    box.put(.outcome(.failure(LoadingError(.io, "first"))))
    box.put(.update(StageUpdate(progress: ImageTask.Progress(bytesReceived: 2, bytesExpected: 2))))
    box.put(.outcome(.failure(LoadingError(.io, "second"))))
    #expect(box.isFinished)
    #expect(throws: LoadingError(.io, "first")) { try box.outcome?.get() }
  }

  @Test func previewsStopAtTheLimits() async throws {
    let (body, door) = (try TestPicture.qoi(200, 200), Door())
    let test = TestLoader(halves(body, door)) { $0.maxPreviewBytes = body.count - 1 }
    let task = test.loader.task(for: request())
    #expect(await eventually { door.arrivals == 1 })
    door.open()
    for try await event in task.events {
      if case .preview = event { Issue.record("a preview of a file that is too large") }
    }
  }

  @Test func anAnimationPlaysWhileItArrives() async throws {
    let (body, door) = (try TestPicture.gif(frames: 8), Door())
    let test = TestLoader(halves(body, door))
    let loading = test.loader.animation(for: "https://example.org/party.gif")
    #expect(await eventually { loading.frames.frameCount >= 2 })
    let early = loading.frames.frameCount
    #expect(early < 8 && !loading.frames.isComplete)
    // Another one shares its bytes.
    let still = test.loader.task(for: "https://example.org/party.gif")
    door.open()
    try await loading.finished()
    #expect(loading.frames.frameCount == 8 && loading.frames.isComplete)
    #expect(loading.frames.problem == nil)
    let whole = try await TestLoader.registry.async.decode(.bytes(body))
    #expect(try loading.frames.frame(at: 7).pixels.isSame(as: whole.frames[7].pixels))
    #expect(try await still.image.image.frames.count == 8)
    #expect(test.fetcher.count == 1)
  }

  @Test func anAnimationThatBreaksKeepsItsFrames() async throws {
    let body = try TestPicture.gif(frames: 8)
    let test = TestLoader(
      ScriptedFetcher { _, _ in
        [
          .head(length: body.count), .bytes(Array(body.prefix(body.count / 2))),
          .fail(LoadingError(.connection, "reset")),
        ]
      })
    let loading = test.loader.animation(for: "https://example.org/party.gif")
    let error = await #expect(throws: LoadingError.self) { try await loading.finished() }
    #expect(error?.code == .connection)
    #expect(loading.frames.isComplete)
    #expect(await eventually { test.loader.activity.downloads == 0 })
  }
}
