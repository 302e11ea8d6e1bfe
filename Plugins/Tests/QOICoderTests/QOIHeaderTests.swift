// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import Testing

@testable import QOICoder

@Suite struct QOIHeaderTests {
  /// 300×2 pixels, 4 channels, linear.
  private static let bytes: [UInt8] = [0x71, 0x6F, 0x69, 0x66, 0, 0, 1, 44, 0, 0, 0, 2, 4, 1]

  private func header(_ bytes: [UInt8]) throws(CoderError) -> QOIHeader {
    var reader = ByteReader(bytes.span.bytes, of: "the header")
    return try QOIHeader(parsing: &reader)
  }

  @Test func readsEachField() throws {
    let header = try header(Self.bytes)
    #expect(header.canvas == Size(width: 300, height: 2))
    #expect(header.hasAlpha)
    #expect(header.isLinear)
  }

  @Test func writesWhatItRead() throws {
    var writer = ByteWriter()
    try header(Self.bytes).write(to: &writer)
    #expect(writer.bytes == Self.bytes)
  }

  @Test func saysWhichFieldIsCutOff() {
    #expect(throws: CoderError.truncated("the height of the header needs 4 bytes, 2 are left", at: 8)) {
      _ = try header(Array(Self.bytes.prefix(10)))
    }
  }

  @Test(arguments: [(12, 5, "5 channels, 3 and 4 are allowed"), (13, 2, "color space 2, 0 and 1 are allowed")])
  func rejectsAFieldOutOfRange(_ place: Int, _ value: UInt8, _ message: String) {
    var bytes = Self.bytes
    bytes[place] = value
    #expect(throws: CoderError.malformed(message, at: place)) { _ = try header(bytes) }
  }

  @Test func rejectsAnotherMagicAtItsFirstByte() {
    #expect(throws: CoderError.wrongFormat("the file does not begin with \"qoif\"", at: 0)) { _ = try header([0x89]) }
  }
}
