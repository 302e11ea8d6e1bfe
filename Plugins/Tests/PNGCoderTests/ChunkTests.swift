// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import PNGCoder

@Suite struct ChunkTests {
  /// 300×2, 16 bits, RGBA, interlaced.
  private static let header: [UInt8] = [0, 0, 1, 44, 0, 0, 0, 2, 16, 6, 0, 0, 1]

  private func header(_ bytes: [UInt8]) throws(CoderError) -> ImageHeaderChunk {
    var reader = ByteReader(bytes.span.bytes, at: 16, of: "IHDR")
    return try ImageHeaderChunk(parsing: &reader)
  }

  @Test func readsEachFieldOfIHDR() throws {
    let header = try header(Self.header)
    #expect(header.canvas == Size(width: 300, height: 2))
    #expect(header.bitDepth == 16)
    #expect(header.colorType == .rgba)
    #expect(header.isInterlaced)
  }

  @Test func writesTheIHDRThatItRead() throws {
    var writer = ByteWriter()
    try header(Self.header).write(to: &writer)
    #expect(writer.bytes == Self.header)
  }

  @Test(arguments: [
    (3, 0, "an image of 256×2, 1 to 2147483647 are allowed"), (7, 0, "an image of 300×0, 1 to 2147483647 are allowed"),
    (4, 128, "an image of 300×2147483650, 1 to 2147483647 are allowed"),
    (8, 4, "bit depth 4 with color type 6, [8, 16] are allowed"),
    (9, 5, "color type 5, 0, 2, 3, 4 and 6 are known"), (10, 1, "compression method 1, only 0 is known"),
    (11, 64, "filter method 64, only 0 is known"), (12, 2, "interlace method 2, 0 and 1 are known"),
  ])
  func rejectsAFieldOfIHDROutOfRange(_ place: Int, _ value: UInt8, _ message: String) throws {
    var bytes = Self.header
    bytes[place] = value
    if place == 3 {
      #expect(try header(bytes).canvas.width == 256)
    } else {
      #expect(throws: CoderError.malformed(message, at: 16)) { _ = try header(bytes) }
    }
  }

  @Test func rejectsAnIHDRCutAtEachByte() {
    for count in 0..<Self.header.count {
      #expect(throws: CoderError.malformed("IHDR of \(count) bytes, 13 are needed", at: 16)) {
        _ = try header(Array(Self.header.prefix(count)))
      }
    }
  }

  private func steps(_ bytes: [UInt8]) throws -> [ChunkWalk.Step] {
    var walk = ChunkWalk(MemorySource(bytes).view, from: 0)
    var steps: [ChunkWalk.Step] = []
    while true {
      let step = try walk.next()
      steps.append(step)
      if case .chunk = step { continue }
      return steps
    }
  }

  @Test func goesFromChunkToChunk() throws {
    let bytes = LibPNG.chunk(.gama, [0, 0, 177, 143]) + LibPNG.chunk(.iend, [])
    let steps = try steps(bytes)
    guard steps.count == 3, case .chunk(let first) = steps[0], case .chunk(let second) = steps[1], case .end = steps[2]
    else {
      Issue.record("\(steps)")
      return
    }
    #expect(first.name == .gama && first.offset == 0 && first.length == 4 && first.lead == 45_455 && first.end == 16)
    #expect(second.name == .iend && second.offset == 16 && second.length == 0 && second.lead == nil)
  }

  @Test(arguments: [
    ([0, 0, 0, 1, 0x67, 0x41, 0x4D, 0x31] as [UInt8], 4, "a chunk name of 0x67414d31, four letters are needed"),
    ([0x80, 0, 0, 0, 0x67, 0x41, 0x4D, 0x41], 0, "a gAMA chunk of 2147483648 bytes, at most 2147483647 are allowed"),
  ])
  func damageIsNoChunk(_ bytes: [UInt8], _ offset: Int, _ message: String) throws {
    guard case .damage(let error) = try #require(try steps(bytes).first) else {
      Issue.record("no damage")
      return
    }
    #expect(error == CoderError.malformed(message, at: offset))
  }

  /// Cut at each byte: nothing is read beyond the end, and only a whole chunk has data.
  @Test func cutChunksHaveNoData() throws {
    let whole = LibPNG.chunk(.gama, [0, 0, 177, 143])
    for count in 0...whole.count {
      let source = MemorySource(Array(whole.prefix(count)))
      var walk = ChunkWalk(source.view, from: 0)
      let step = try walk.next()
      guard case .chunk(let chunk) = step else {
        #expect(count < 8)
        continue
      }
      #expect(chunk.lead == (count >= 12 ? 45_455 : nil))
      switch try ChunkData(of: chunk, in: source.view, limit: 100) {
      case .data(let data): #expect(count == whole.count && data == [0, 0, 177, 143])
      case .cut: #expect(count < whole.count)
      default: Issue.record("neither whole nor cut at \(count)")
      }
    }
  }

  @Test func aWrongCRCIsDamageAndALongChunkIsRefused() throws {
    var bytes = LibPNG.chunk(.gama, [0, 0, 177, 143])
    bytes[15] ^= 1
    let source = MemorySource(bytes)
    var walk = ChunkWalk(source.view, from: 0)
    guard case .chunk(let chunk) = try walk.next() else { return }
    guard case .damaged(let error) = try ChunkData(of: chunk, in: source.view, limit: 100) else {
      Issue.record("not damaged")
      return
    }
    #expect(error.code == .checksumMismatch && error.offset == 0)
    guard case .tooLong = try ChunkData(of: chunk, in: source.view, limit: 3) else {
      Issue.record("not too long")
      return
    }
  }
}
