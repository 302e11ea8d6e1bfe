// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import Testing

@testable import ICNSCoder

@Suite struct ElementHeaderTests {
  private static let bytes: [UInt8] = Array("it32".utf8) + [0, 1, 2, 3]

  private func header(_ bytes: [UInt8]) throws(CoderError) -> ElementHeader {
    var reader = ByteReader(bytes.span.bytes, at: 8, of: "an element")
    return try ElementHeader(parsing: &reader)
  }

  @Test func readsAndWritesCodeAndLength() throws {
    let header = try header(Self.bytes)
    #expect(header.code == FourCC("it32"))
    #expect(header.length == 66_051)
    #expect(header == ElementHeader(FourCC("it32"), dataLength: 66_043))
    var writer = ByteWriter()
    header.write(to: &writer)
    #expect(writer.bytes == Self.bytes)
  }

  @Test func saysWhichFieldIsCutOff() {
    for (count, field, place) in [(3, "the type code", 8), (7, "the length", 12)] {
      #expect(
        throws: CoderError.truncated("\(field) of an element needs 4 bytes, 3 are left", at: place)
      ) { _ = try header(Array(Self.bytes.prefix(count))) }
    }
  }
}
