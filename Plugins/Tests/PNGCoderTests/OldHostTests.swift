// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import PNGCoder

/// A host from before `view_available`: whoever calls it goes through a null pointer.
@Suite struct OldHostTests {
  /// Gray, 5×3, not interlaced or interlaced; each row 1, 2, 3, 4, 5.
  private static func file(isInterlaced: Bool) throws -> [UInt8] {
    let header = ImageHeaderChunk(
      canvas: Size(width: 5, height: 3), bitDepth: 8, colorType: .gray, isInterlaced: isInterlaced)
    let whole: [UInt8] = [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5]
    // Passes 1, 2, 4, 5, 6 and 7 of a picture of 5×3 (PNG Third Edition §8.1).
    let passes: [UInt8] = [0, 1, 0, 5, 0, 3, 0, 1, 3, 5, 0, 2, 4, 0, 2, 4, 0, 1, 2, 3, 4, 5]
    let memory = MemoryHost()
    return PNGFile.signature + header.chunk
      + LibPNG.chunk(.idat, try LibPNG.deflate(isInterlaced ? passes : whole, host: memory.host))
      + LibPNG.chunk(.iend, [])
  }

  @Test(arguments: [false, true], [MemorySource.Kind.complete, .incremental, .ofOldHost, .incrementalOfOldHost])
  func decodes(_ isInterlaced: Bool, _ kind: MemorySource.Kind) throws {
    let source = MemorySource(try Self.file(isInterlaced: isInterlaced), kind)
    let memory = MemoryHost()
    let reader = try PNGReader(source.view, host: memory.host, options: [.incremental])
    let offer = try reader.offer(for: DecodeRequest())
    let sink = MemorySink(offer)
    try reader.decode(offer, into: sink.sink)
    #expect(sink.pixels == [1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5])
  }
}
