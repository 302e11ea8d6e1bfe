// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import PhotoshopResources
import Testing

@Suite struct PhotoshopResourcesTests {
  /// A resource with a name of three bytes, one of ImageReady, and one with the same identifier as the first.
  private static let bytes: [UInt8] =
    Array("8BIM".utf8) + [0x04, 0x04, 3, 97, 98, 99, 0, 0, 0, 1, 7, 0]
    + Array("MeSa".utf8) + [0x1B, 0x58, 0, 0, 0, 0, 0, 2, 8, 9]
    + Array("8BIM".utf8) + [0x04, 0x04, 0, 0, 0, 0, 0, 1, 6, 0]

  @Test func findsTheFirstOfEachIdentifier() {
    let reader = ByteReader(Self.bytes.span.bytes, at: 100)
    let places = PhotoshopResources.places(of: [0x0404, 0x1B58, 1], in: reader)
    #expect(places == [0x0404: 114..<115, 0x1B58: 128..<130])
  }

  @Test func keepsAllBytes() {
    #expect(PhotoshopResources(Self.bytes).bytes == Self.bytes)
    #expect(PhotoshopResources(Self.bytes).iptc == [7])
    for count in 0..<Self.bytes.count {
      let cut = Array(Self.bytes.prefix(count))
      #expect(PhotoshopResources(cut).bytes == cut)
      _ = PhotoshopResources.places(of: [0x0404], in: ByteReader(cut.span.bytes))
    }
  }

  /// The first resource says that it has 200 bytes, and another one begins after 3 of them; or 20, which reach into that one.
  @Test(arguments: [200, 20] as [UInt8]) func oneThatIsBrokenTakesNoOther(_ count: UInt8) {
    let broken = Array("8BIM".utf8) + [0x04, 0x0A, 0, 0, 0, 0, 0, count, 1, 2, 3]
    let joined = PhotoshopResources(broken + Self.bytes, joinedAt: [broken.count, broken.count + Self.bytes.count])
    #expect(joined.iptc == [7])
    #expect(joined.bytes == Self.bytes + broken)
  }

  /// A resource of 6 bytes, of which 2 are after the seam, goes on there.
  @Test func oneGoesOnAfterASeam() {
    let long = Array("8BIM".utf8) + [0x04, 0x04, 0, 0, 0, 0, 0, 6, 1, 2, 3, 4, 5, 6]
    #expect(PhotoshopResources(long + Self.bytes, joinedAt: [long.count - 2]).iptc == [1, 2, 3, 4, 5, 6])
    #expect(PhotoshopResources(long, joinedAt: [long.count - 2, long.count]).bytes == long)
  }
}
