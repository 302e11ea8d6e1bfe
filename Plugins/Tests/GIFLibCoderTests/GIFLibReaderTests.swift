// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import GIFLibCoder

@Suite struct GIFLibReaderTests {
  /// GIF89a §18: 0 states nothing, 49 is 1:1, and others count 64ths from 1/4 on.
  @Test(arguments: [(UInt8(0), Double?.none), (49, nil), (1, 0.25), (113, 2), (255, 4.21875)])
  func theShapeOfPixelsIsThatOfTheFile(_ stored: UInt8, _ aspect: Double?) throws {
    // One white pixel: codes of 3 bits, clear, index 1, end.
    let bytes: [UInt8] =
      Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, stored, 0, 0, 0, 255, 255, 255]
      + [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x4C, 0x01, 0, 0x3B]
    let reader = try GIFLibReader(MemorySource(bytes).view, host: MemoryHost().host, options: [])
    #expect(try reader.header(page: 0).pixelAspect == aspect)
  }
}
