// SPDX-License-Identifier: Apache-2.0

import ImageCodersBuiltIn
import Synchronization
import Testing

@testable import ImageLoading

@Suite struct ImageSlotTests {
  /// A view on its actor.
  actor View {
    let slot: ImageSlot
    private(set) var shown: [String] = []
    /// The newest request.
    private(set) var wanted = ""

    init(_ loader: ImageLoader) { slot = ImageSlot(loader) }

    func show(_ url: String) async -> Bool {
      wanted = url
      let loaded = try? await slot.load(ImageRequest(url)) { event in
        guard case .finished(let loaded) = event else { return }
        #expect(url == wanted)
        shown.append(loaded.url)
      }
      return loaded != nil
    }

    func clear() {
      wanted = ""
      slot.clear()
    }
  }

  @Test func onlyTheNewestIsShown() async throws {
    let body = try TestPicture.png()
    let doors = [Door(), Door(), Door()]
    let test = TestLoader(
      ScriptedFetcher { request, _ in
        let number = Int(request.url.split(separator: "/").last ?? "") ?? 0
        return [.wait(doors[number]), .head(length: body.count), .bytes(body)]
      })
    let view = View(test.loader)
    let first = Task { await view.show("https://example.org/0") }
    #expect(await eventually { doors[0].arrivals == 1 })
    let second = Task { await view.show("https://example.org/1") }
    #expect(await eventually { doors[1].arrivals == 1 })
    #expect(await first.value == false)
    // The earlier one was cancelled.
    #expect(await eventually { test.fetcher.running == 1 })
    doors[0].open()
    doors[1].open()
    #expect(await second.value)
    #expect(await view.shown == ["https://example.org/1"])
    #expect(view.slot.image?.url == "https://example.org/1")

    let third = Task { await view.show("https://example.org/2") }
    #expect(await eventually { doors[2].arrivals == 1 })
    #expect(view.slot.image == nil)
    await view.clear()
    doors[2].open()
    #expect(await third.value == false)
    #expect(await view.shown == ["https://example.org/1"])
    #expect(view.slot.image == nil)
  }

  @Test func manyRequestsInTurnEndWithTheLast() async throws {
    let body = try TestPicture.png()
    let test = TestLoader(ScriptedFetcher(body))
    let view = View(test.loader)
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<200 { group.addTask { _ = await view.show("https://example.org/\(number)") } }
    }
    let (shown, wanted) = (await view.shown, await view.wanted)
    #expect(shown.last == wanted)
    #expect(view.slot.image?.url == wanted)
    #expect(view.slot.generation == 200)
    #expect(await eventually { test.loader.activity.pictures == 0 })
  }

  @Test func fromManyThreadsTheImageIsThatOfTheNewest() async throws {
    let body = try TestPicture.png()
    let test = TestLoader(ScriptedFetcher(body))
    let slot = ImageSlot(test.loader)
    final class Names: Sendable {
      let all = Mutex<[String]>([])
      func add(_ name: String) { all.withLock { $0.append(name) } }
      func contains(_ name: String) -> Bool { all.withLock { $0.contains(name) } }
    }
    let won = Names()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        group.addTask {
          let loaded = try? await slot.load(ImageRequest("https://example.org/\(number)"))
          if let loaded { won.add(loaded.url) }
        }
      }
    }
    let image = try #require(slot.image)
    #expect(won.contains(image.url))
    #expect(slot.generation == 100)
  }

  @Test func anErrorReachesTheNewestAlone() async throws {
    let door = Door()
    let test = TestLoader(
      ScriptedFetcher { request, _ in
        request.url.hasSuffix("0")
          ? [.wait(door), .fail(LoadingError(.status, "404", status: 404))]
          : [
            .fail(LoadingError(.status, "410", status: 410))
          ]
      })
    let slot = ImageSlot(test.loader)
    let old = Task { try await slot.load("https://example.org/0") }
    #expect(await eventually { door.arrivals == 1 })
    let error = await #expect(throws: LoadingError.self) { try await slot.load("https://example.org/1") }
    #expect(error?.status == 410)
    door.open()
    #expect(try await old.value == nil)
  }

  @Test func cancellingTheTaskIsAnError() async throws {
    let door = Door()
    let test = TestLoader(ScriptedFetcher { _, _ in [.wait(door)] })
    let slot = ImageSlot(test.loader)
    let task = Task { try await slot.load("https://example.org/0") }
    #expect(await eventually { door.arrivals == 1 })
    task.cancel()
    let error = await #expect(throws: LoadingError.self) { try await task.value }
    #expect(error?.code == .cancelled)
  }
}
