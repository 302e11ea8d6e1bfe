// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import Testing

@Suite struct ExifPayloadTests {
  private static let big: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8]
  private static let little: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0]

  @Test func knowsBothByteOrders() {
    #expect(ExifPayload.byteOrder(of: Self.big.span.bytes) == .bigEndian)
    #expect(ExifPayload.byteOrder(of: Self.little.span.bytes) == .littleEndian)
  }

  /// Also one of BigTIFF, which Exif is not, and one of mixed byte orders.
  @Test(
    arguments: [[], [0x4D, 0x4D, 0], [0x49, 0x49, 43, 0], [0x49, 0x4D, 42, 0], [0x49, 0x49, 0, 42]] as [[UInt8]])
  func otherBytesAreNoTIFFStructure(_ bytes: [UInt8]) { #expect(!ExifPayload.isTIFF(bytes.span.bytes)) }

  @Test func passesOverThePrefixWhenItIsThere() {
    let prefixed = ExifPayload.prefix + Self.big
    #expect(ExifPayload.start(in: prefixed.span.bytes) == 6)
    #expect(ExifPayload.start(in: Self.big.span.bytes) == 0)
    #expect(ExifPayload.start(in: [0x45, 0x78, 0x69, 0x66, 0].span.bytes) == 0)
  }

  @Test(arguments: [
    ([0, 0, 0, 0] + big, 4),
    ([0, 0, 0, 6] + ExifPayload.prefix + little, 10),
    ([0, 0, 0, 0] + ExifPayload.prefix + big, 10),  // the prefix is not counted
    ([0, 0, 0, 4] + little, 4),  // counted from the first byte
    (little, 0),  // no distance
    (ExifPayload.prefix + big, 6),
    ([0, 0, 0, 1, 9, 9], 5),  // no TIFF header anywhere
  ])
  func findsTheHeaderAfterADistance(_ bytes: [UInt8], _ start: Int) {
    #expect(ExifPayload.start(afterDistanceIn: bytes.span.bytes) == start)
  }

  @Test(arguments: [[], [0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 2, 9, 9], [255, 255, 255, 255, 9]] as [[UInt8]])
  func aDistanceThatLeadsOutsideHasNoStart(_ bytes: [UInt8]) {
    #expect(ExifPayload.start(afterDistanceIn: bytes.span.bytes) == nil)
  }
}
