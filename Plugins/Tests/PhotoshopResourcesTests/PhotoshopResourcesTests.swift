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
}
