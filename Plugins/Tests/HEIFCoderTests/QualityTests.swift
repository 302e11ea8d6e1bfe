// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import Testing

@testable import HEIFCoder

/// What becomes of a quality.
@Suite struct QualityTests {
  /// Whole rate factors are two hundredths of quality apart; chroma makes quarters of them.
  @Test(arguments: [
    (1.0, 0, 0), (0.995, 0, 1), (0.99, 1, -2), (0.985, 1, -1), (0.98, 1, 0), (0.7, 15, 0), (0.695, 15, 1),
    (0.69, 16, -2), (0.685, 16, -1), (0.684, 16, -1), (0.68, 16, 0), (0.005, 50, -1), (0.0, 50, 0),
  ])
  func qualityIsRateFactorAndChroma(_ quality: Double, _ rateFactor: Int, _ chroma: Int) throws {
    var options = WriteOptions(format: .heic)
    options.values[HEIFOption.quality.name] = .number(quality)
    let settings = try EncodingSettings(options)
    #expect(settings.rateFactor == rateFactor && settings.chromaOffset == chroma)
  }
}
