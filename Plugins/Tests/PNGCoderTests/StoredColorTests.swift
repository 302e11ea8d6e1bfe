// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import Testing

@testable import PNGCoder

@Suite struct StoredColorTests {
  @Test func primariesGammaAndLightAreStated() throws {
    var chunks = ColorChunks()
    #expect(chunks.stored == StoredColor())
    var points: [UInt8] = []
    for value in [31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6_000] as [UInt32] {
      points += (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) }
    }
    #expect(try chunks.read(points, of: .chrm) == nil)
    #expect(try chunks.read([0, 0, 0xC3, 0x50], of: .gama) == nil)
    let display = [UInt8](repeating: 0, count: 16) + [0, 0x98, 0x96, 0x80, 0, 0, 0, 100]
    #expect(try chunks.read(display, of: .mdcv) == nil)
    #expect(try chunks.read([0, 0x4C, 0x4B, 0x40, 0, 0x0F, 0x42, 0x40], of: .clli) == nil)
    let stored = chunks.stored
    #expect(stored.primaries?.red == SIMD2(0.68, 0.32) && stored.primaries?.white == SIMD2(0.3127, 0.3290))
    #expect(stored.gamma == SIMD3(2, 2, 2))
    #expect(stored.light.masteringPeak == 1000 && stored.light.masteringBlack == 0.01)
    #expect(stored.light.contentPeak == 500 && stored.light.frameAveragePeak == 100)
  }

  @Test func namesOfDraftsCountWithoutTheOthers() throws {
    let display = [UInt8](repeating: 0, count: 16) + [0, 0x98, 0x96, 0x80, 0, 0, 0, 100]
    let light: [UInt8] = [0, 0x4C, 0x4B, 0x40, 0, 0x0F, 0x42, 0x40]
    var chunks = ColorChunks()
    #expect(try chunks.read(display, of: FourCC("mDCv")) == nil)
    #expect(try chunks.read(light, of: FourCC("cLLi")) == nil)
    #expect(chunks.stored.light.masteringPeak == 1000 && chunks.stored.light.contentPeak == 500)
    // The final name counts, whichever comes first.
    #expect(try chunks.read([0, 0, 0x27, 0x10, 0, 0, 0, 0], of: .clli) == nil)
    #expect(chunks.stored.light.contentPeak == 1)
    #expect(try chunks.read(light, of: FourCC("cLLi")) != nil)
    #expect(chunks.stored.light.contentPeak == 1)
  }

  @Test(arguments: [(FourCC.mdcv, 24), (.clli, 8)])
  func aChunkOfAnotherLengthIsIgnored(_ name: FourCC, _ length: Int) throws {
    for count in 0...30 where count != length {
      var chunks = ColorChunks()
      #expect(try chunks.read([UInt8](repeating: 1, count: count), of: name) != nil, "\(count) bytes")
      #expect(chunks.stored == StoredColor())
    }
  }
}
