// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import Testing

@testable import JXLCoder

@Suite struct JPEGFrameTests {
  /// SOI, APP0 of 4 bytes, a fill byte, DHT of 3 bytes, SOF2 of 300×2 pixels.
  private static let bytes: [UInt8] =
    [0xFF, 0xD8] + [0xFF, 0xE0, 0, 4, 1, 2] + [0xFF, 0xFF, 0xC4, 0, 3, 1]
    + [0xFF, 0xC2, 0, 11, 8, 0, 2, 1, 44]

  private func frame(_ bytes: [UInt8]) throws(CoderError) -> JPEGFrame {
    var reader = ByteReader(bytes.span.bytes, of: "the JPEG")
    return try JPEGFrame(parsing: &reader)
  }

  @Test func findsTheFrameHeaderAfterOtherSegments() throws {
    #expect(try frame(Self.bytes).size == Size(width: 300, height: 2))
  }

  @Test func everyCutIsTruncated() {
    for count in 0..<Self.bytes.count {
      #expect { _ = try frame(Array(Self.bytes.prefix(count))) } throws: { error in
        (error as? CoderError)?.code == .truncated
      }
    }
  }

  @Test func rejectsBytesThatAreNoMarker() {
    var bytes = Self.bytes
    bytes[8] = 0x12
    #expect(throws: CoderError.malformed("no marker where one belongs", at: 8)) { _ = try frame(bytes) }
  }
}
