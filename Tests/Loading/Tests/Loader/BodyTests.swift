// SPDX-License-Identifier: Apache-2.0

import ImageCodersBuiltIn
import Testing

@testable import ImageLoading

@Suite struct BodyTests {
  private func bytes(_ range: Range<Int>) -> [UInt8] { range.map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) } }

  @Test(arguments: [0, 10_000, 1 << 20]) func readersGetAllBytesInOrder(_ limit: Int) async throws {
    let memory = BodyMemory(limit: limit)
    do {
      let body = Body(memory, folder: "/tmp")
      let readers = (0..<5).map { _ in
        Task {
          var all: [UInt8] = []
          for try await chunk in body.chunks { all += chunk }
          return all
        }
      }
      var offset = 0
      for count in [1, 3, 5000, 0, 7000, 64 << 10, 17] {
        try body.append(bytes(offset..<(offset + count)))
        offset += count
        await Task.yield()
      }
      body.finish()
      for reader in readers { #expect(try await reader.value == bytes(0..<offset)) }
      #expect(try body.allBytes() == bytes(0..<offset))
      #expect(body.prefix(4) == bytes(0..<4))
      #expect(body.isSpilled == (limit < 1 << 20))
      #expect(memory.peak <= limit)
      #expect(memory.spilledCount == (limit < 1 << 20 ? 1 : 0))
    }
    #expect(memory.used == 0)
  }

  @Test(arguments: [0, 1 << 20]) func aDecoderReadsItWithoutACopy(_ limit: Int) throws {
    let body = Body(BodyMemory(limit: limit), folder: "/tmp")
    for byte in try TestPicture.png() { try body.append([byte]) }
    body.finish()
    let image = try TestLoader.registry.decode(try body.source())
    #expect(image.pixels.isSame(as: try TestPicture.pixels(64, 48)))
  }

  @Test func aBrokenBodyTellsWhy() async throws {
    let body = Body(BodyMemory(limit: 100), folder: "/tmp")
    try body.append([1, 2, 3])
    let reader = Task { () -> Result<[UInt8]?, LoadingError> in
      do throws(LoadingError) { return .success(try await body.next(from: 3, most: 10)) } catch {
        return .failure(error)
      }
    }
    body.finish(LoadingError(.connection, "reset"))
    let told = await reader.value
    #expect(throws: LoadingError(.connection, "reset")) { try told.get() }
    #expect(try await body.next(from: 1, most: 10) == [2, 3])
    body.resume()
    try body.append([4])
    body.finish()
    #expect(try await body.next(from: 3, most: 10) == [4])
    #expect(try await body.next(from: 4, most: 10) == nil)
  }

  @Test func waitingEndsWithTheTask() async throws {
    let body = Body(BodyMemory(limit: 100), folder: "/tmp")
    let reader = Task { try await body.next(from: 0, most: 10) }
    reader.cancel()
    let error = await #expect(throws: LoadingError.self) { try await reader.value }
    #expect(error?.code == .cancelled)
  }

  @Test func aFolderThatCannotBeWrittenToIsAnError() throws {
    let body = Body(BodyMemory(limit: 0), folder: "/nowhere/at/all")
    let error = #expect(throws: LoadingError.self) { try body.append([1]) }
    #expect(error?.code == .io)
  }
}
