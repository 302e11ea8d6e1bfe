// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import Testing

@testable import JPEGCoder

@Suite struct ExifThumbnailTests {
  private static let picture: [UInt8] = [0xFF, 0xD8, 1, 2, 3, 0xFF, 0xD9]

  @Test(arguments: [ByteOrder.bigEndian, .littleEndian]) func removesWhatItAdded(_ order: ByteOrder) throws {
    let payload =
      order == .bigEndian
      ? ExifOrientation.payload(.right)
      : [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0]
    let with = try #require(ExifThumbnail.adding(Self.picture, to: payload))
    #expect(with.suffix(Self.picture.count) == Self.picture[...])
    #expect(ExifOrientation.read(with) == .right)
    #expect(ExifThumbnail.removing(from: with) == payload)
  }

  @Test func theDirectoryStatesWhereThePictureIs() throws {
    let with = try #require(ExifThumbnail.adding(Self.picture, to: ExifOrientation.payload(.up)))
    // After 26 bytes: six entries, the link, two resolutions.
    #expect(Array(with[22..<26]) == [0, 0, 0, 26])
    let reader = ByteReader(with.span.bytes)
    let (count, tag) = (try reader.uint16(at: 26), try reader.uint16(at: 28 + 48))
    let (place, length) = (try reader.uint32(at: 28 + 48 + 8), try reader.uint32(at: 28 + 60 + 8))
    #expect(count == 6 && tag == 0x0201)
    #expect(place == 26 + 78 + 16 && length == UInt32(Self.picture.count))
  }

  @Test func payloadsThatCannotBeReadAreLeftAlone() throws {
    let whole = try #require(ExifThumbnail.adding(Self.picture, to: ExifOrientation.payload(.up)))
    for count in 0..<26 {
      #expect(ExifThumbnail.removing(from: Array(whole.prefix(count))) == nil, "\(count) bytes")
      #expect(ExifThumbnail.adding(Self.picture, to: Array(whole.prefix(count))) == nil, "\(count) bytes")
    }
    // A second directory that is cut costs the link to it.
    for count in 26..<whole.count {
      let removed = try #require(ExifThumbnail.removing(from: Array(whole.prefix(count))))
      #expect(removed.count == count && Array(removed[22..<26]) == [0, 0, 0, 0])
    }
  }

  @Test(arguments: 0..<64) func changedBytesNeverTrap(_ seed: UInt64) throws {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    var payload = try #require(ExifThumbnail.adding(Self.picture, to: ExifOrientation.payload(.left)))
    for _ in 0..<200 {
      payload[4 + random(payload.count - 4)] = UInt8(random(256))
      _ = ExifThumbnail.removing(from: payload)
      _ = ExifThumbnail.adding(Self.picture, to: payload)
      _ = ExifOrientation.read(payload)
    }
  }
}
