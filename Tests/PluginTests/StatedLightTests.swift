// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ImageCoders
import TestSupport
import Testing

/// How bright light is, as HEIF, AVIF and JPEG XL files state it.
@Suite struct StatedLightTests {
  struct Case: Sendable, CustomStringConvertible {
    let name: String
    /// Nits: of the brightest pixel, the brightest frame's mean, and the display's most and least.
    let content, average, peak, black: Double?

    init(
      _ name: String, _ content: Double? = nil, _ average: Double? = nil, _ peak: Double? = nil, _ black: Double? = nil
    ) {
      (self.name, self.content, self.average, self.peak, self.black) = (name, content, average, peak, black)
    }

    var description: String { name }
  }

  private static func open(_ name: String) throws -> ImageDecoder {
    let folder = name.hasSuffix(".avif") ? "avif" : name.hasSuffix(".jxl") ? "jxl" : "heif"
    let path = "\(StagedTree.fixtures(folder))/valid/\(name)"
    return try EncodingPictures.registry.open(.bytes([UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))))
  }

  @Test(arguments: [
    Case("light-boxes.avif", 900, 200, 1000, 0.005), Case("light-display.avif", nil, nil, 1000, 0.005),
    Case("light-volume.avif", 400), Case("light-nothing.avif"), Case("light-units.avif", 700, 100, 2000, 0.5),
    Case("gain-map.avif"), Case("sequence.avif"), Case("grid.avif"),
    Case("light-boxes.heic", 900, 200, 4000, 0.005), Case("light-messages.heic", 900, 200, 4000, 0.005),
    Case("light-configuration.heic", 900, 200, 4000, 0.005), Case("light-tiles.heic", 900, 200),
    Case("light.heics", 900, 200, 4000, 0.005), Case("plain.heics"), Case("grid.heic"),
    // What an encoder writes of PQ unless it is told more states nothing.
    Case("light.jxl", 1000, nil, nil, Double(Float(0.01))), Case("color-rec2100-pq.jxl"), Case("lossless-rgb8.jxl"),
  ])
  func isWhatTheFileSays(_ expected: Case) throws {
    let stored = try Self.open(expected.name).storedColor.light
    #expect(stored.contentPeak == expected.content)
    #expect(stored.frameAveragePeak == expected.average)
    #expect(stored.masteringPeak == expected.peak)
    // Boxes and messages count in 1/50,000, units of AV1 in 1/65,536; all points of the fixtures have 15,000.
    if expected.peak != nil {
      let place = SIMD2(repeating: expected.name == "light-units.avif" ? 15_000.0 / 65_536 : 0.3)
      #expect(
        stored.masteringPrimaries
          == StoredColor.Primaries(red: place, green: place, blue: place, white: place))
    }
    // min_nits is a floating-point number of 16 bits.
    if let black = expected.black {
      #expect(abs((stored.masteringBlack ?? 0) - black) < 1e-5)
    } else {
      #expect(stored.masteringBlack == nil)
    }
  }
}
