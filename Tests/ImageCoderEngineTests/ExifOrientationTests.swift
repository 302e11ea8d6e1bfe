// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Testing

/// The Orientation tag in payloads that are right, and in payloads that are not.
@Suite struct ExifOrientationTests {
  /// "II", 42, a directory with one entry of the tag as a SHORT.
  private static func littleEndian(_ value: UInt8) -> [UInt8] {
    [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, value, 0, 0, 0, 0, 0, 0, 0]
  }

  @Test(arguments: Orientation.allCases)
  func readsBothByteOrders(_ orientation: Orientation) {
    #expect(ExifOrientation.read(Self.littleEndian(UInt8(orientation.rawValue))) == orientation)
    #expect(ExifOrientation.read(ExifOrientation.payload(orientation)) == orientation)
  }

  @Test(arguments: [0, 9, 255] as [UInt8])
  func valuesWithoutMeaningAreUpright(_ value: UInt8) { #expect(ExifOrientation.read(Self.littleEndian(value)) == .up) }

  @Test func everyCutOfAPayloadIsUprightOrTheTag() {
    let payload = Self.littleEndian(6)
    for length in 0..<payload.count {
      let found = ExifOrientation.read(Array(payload[..<length]))
      #expect(found == (length >= 22 ? .right : .up), "\(length) bytes")
    }
  }

  @Test func aDirectoryOutsideThePayloadIsUpright() {
    var payload = Self.littleEndian(6)
    payload[4...7] = [255, 255, 255, 255]
    #expect(ExifOrientation.read(payload) == .up)
  }

  @Test func changesTheTagInItsPlaceAlone() {
    var payload = Self.littleEndian(6)
    #expect(ExifOrientation.set(.up, in: &payload))
    #expect(payload == Self.littleEndian(1))
    var empty: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    let before = empty
    #expect(!ExifOrientation.set(.left, in: &empty))
    #expect(empty == before)
  }

  @Test func addsTheTagToAPayloadWithoutOne() throws {
    let payload: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    let longer = try #require(ExifOrientation.adding(.left, to: payload))
    #expect(ExifOrientation.read(longer) == .left)
  }
}
