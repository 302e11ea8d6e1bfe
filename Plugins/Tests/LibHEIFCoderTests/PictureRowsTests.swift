// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LibHEIFCoder

@Suite struct PictureRowsTests {
  /// The nearest of top × sample ÷ the largest sample.
  @Test(arguments: [
    (8, 255, 128, 128), (8, 65_535, 128, 32_896), (10, 65_535, 1, 64), (10, 65_535, 512, 32_800),
    (12, 65_535, 1, 16), (12, 65_535, 4_095, 65_535), (16, 65_535, 257, 257), (10, 255, 512, 128), (1, 255, 1, 255),
  ])
  func samplesAreSpreadToTheNearest(_ bits: Int, _ top: Int, _ sample: Int, _ expected: UInt16) {
    let scaled = PictureRows.scale(ofBits: bits, to: top)
    #expect(scaled.count == 1 << bits)
    #expect(scaled[sample] == expected)
  }
}
