// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import Testing

@Suite struct ExifPayloadTests {
  private static let big: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8]
  private static let little: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0]

  @Test func knowsBothByteOrders() {
    #expect(Self.order(Self.big) == .bigEndian)
    #expect(Self.order(Self.little) == .littleEndian)
  }

  /// Also one of BigTIFF, which Exif is not, and one of mixed byte orders.
  @Test(
    arguments: [[], [0x4D, 0x4D, 0], [0x49, 0x49, 43, 0], [0x49, 0x4D, 42, 0], [0x49, 0x49, 0, 42]] as [[UInt8]])
  func otherBytesAreNoTIFFStructure(_ bytes: [UInt8]) {
    let isTIFF = ExifPayload.isTIFF(bytes.span.bytes)
    #expect(!isTIFF)
  }

  @Test func passesOverThePrefixWhenItIsThere() {
    let prefixed = ExifPayload.prefix + Self.big
    #expect(Self.start(prefixed) == 6)
    #expect(Self.start(Self.big) == 0)
    #expect(Self.start([0x45, 0x78, 0x69, 0x66, 0]) == 0)
  }

  private static let distances: [([UInt8], Int)] = [
    ([0, 0, 0, 0] + big, 4),
    ([0, 0, 0, 6] + ExifPayload.prefix + little, 10),
    ([0, 0, 0, 0] + ExifPayload.prefix + big, 10),  // the prefix is not counted
    ([0, 0, 0, 4] + little, 4),  // counted from the first byte
    (little, 0),  // no distance
    (ExifPayload.prefix + big, 6),
    ([0, 0, 0, 1, 9, 9], 5),  // no TIFF header anywhere
  ]

  @Test(arguments: distances)
  func findsTheHeaderAfterADistance(_ bytes: [UInt8], _ start: Int) {
    #expect(Self.startAfterDistance(bytes) == start)
  }

  @Test(arguments: [[], [0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 2, 9, 9], [255, 255, 255, 255, 9]] as [[UInt8]])
  func aDistanceThatLeadsOutsideHasNoStart(_ bytes: [UInt8]) {
    #expect(Self.startAfterDistance(bytes) == nil)
  }

  // Macros of the test library take no span.
  private static func order(_ bytes: [UInt8]) -> ByteOrder? { ExifPayload.byteOrder(of: bytes.span.bytes) }
  private static func start(_ bytes: [UInt8]) -> Int { ExifPayload.start(in: bytes.span.bytes) }
  private static func startAfterDistance(_ bytes: [UInt8]) -> Int? {
    ExifPayload.start(afterDistanceIn: bytes.span.bytes)
  }
}
