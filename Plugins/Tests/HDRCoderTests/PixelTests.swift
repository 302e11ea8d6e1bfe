// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import HDRCoder

@Suite struct PixelTests {
  /// The samples of one pixel in a file with these lines.
  private func light(_ pixel: [UInt8], _ lines: String...) throws -> [Float] {
    let text = "#?RADIANCE\n\(lines.map { $0 + "\n" }.joined())\n-Y 1 +X 1\n"
    let header = try HDRHeader(reading: MemorySource(Array(text.utf8)).view)
    var samples = [Float](repeating: -1, count: 4)
    samples.withUnsafeMutableBytes { target in
      guard let base = target.baseAddress else { return }
      pixel.withUnsafeBufferPointer { planes in
        guard let planes = planes.baseAddress else { return }
        PixelDecoder(header).decode(planes, width: 1, to: base)
      }
    }
    return samples
  }

  @Test func aMantissaIsInUnitsOfTheExponentLess136() throws {
    #expect(try light([128, 64, 1, 129]) == [1, 0.5, 0.0078125, 1])
    #expect(try light([255, 0, 3, 136]) == [255, 0, 3, 1])
    #expect(try light([255, 128, 1, 0]) == [0, 0, 0, 1])
  }

  @Test func theSmallestAndTheLargestPixelAreExact() throws {
    #expect(try light([1, 2, 255, 1]) == [0x1p-135, 0x1p-134, 0x1.FEp-128, 1])
    #expect(try light([255, 1, 0, 255]) == [0x1.FEp126, 0x1p119, 0, 1])
  }

  @Test func lightIsDividedByExposureAndCorrection() throws {
    #expect(try light([128, 128, 128, 129], "EXPOSURE=2", "EXPOSURE=4") == [0.125, 0.125, 0.125, 1])
    #expect(try light([128, 128, 128, 129], "COLORCORR=2 1 0.5", "EXPOSURE=2") == [0.25, 0.5, 1, 1])
  }

  @Test func lightThatIsTooBrightStaysFinite() throws {
    let samples = try light([255, 255, 255, 255], "EXPOSURE=1e-30")
    #expect(samples.allSatisfy { $0.isFinite } && samples[0] > 3e38)
  }

  @Test func equalEnergyIsWhite() throws {
    let white = try light([128, 128, 128, 129], "FORMAT=32-bit_rle_xyze")
    #expect(white.allSatisfy { abs($0 - 1) < 1e-6 })
    // Y of 179 candelas per square meter is a radiance of 1.
    let bright = try light([179, 179, 179, 136], "FORMAT=32-bit_rle_xyze", "EXPOSURE=1")
    #expect(bright.allSatisfy { abs($0 - 1) < 1e-6 })
  }

  /// Y alone: the second column of the matrix.
  @Test func colorsOutsideOfSRGBAreBelowZero() throws {
    let samples = try light([0, 128, 0, 129], "FORMAT=32-bit_rle_xyze")
    #expect(abs(samples[0] + 1.6664638) < 1e-6 && abs(samples[1] - 1.9557567) < 1e-6)
  }

  private func pixel(_ light: SIMD3<Float>) -> [UInt8] {
    let bits = SharedExponent.pixel(light)
    return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: bits >> $0) }
  }

  @Test func theLargestSampleSetsTheExponent() {
    #expect(pixel(SIMD3(1, 0.5, 0.25)) == [128, 64, 32, 129])
    #expect(pixel(SIMD3(0.75, 200, 3)) == [1, 200, 3, 136])
    #expect(pixel(SIMD3(0, 0, 0)) == [0, 0, 0, 0])
  }

  @Test func mantissasAreRoundedToTheNearest() {
    #expect(pixel(SIMD3(200.4, 100.5, 1.6)) == [200, 101, 2, 136])
    // 255.5 is 256, for which the next exponent is needed; the others are rounded once.
    #expect(pixel(SIMD3(255.5, 101, 0)) == [128, 51, 0, 137])
    #expect(pixel(SIMD3(255.4, 101, 0)) == [255, 101, 0, 136])
  }

  @Test func whatIsNoLightIsBlack() {
    #expect(pixel(SIMD3(-1, .nan, -.infinity)) == [0, 0, 0, 0])
    #expect(pixel(SIMD3(-1, 1, .nan)) == [0, 128, 0, 129])
    #expect(pixel(SIMD3(.leastNonzeroMagnitude, 0, 0)) == [0, 0, 0, 0])
  }

  @Test func whatIsTooBrightIsTheBrightestPixel() {
    #expect(pixel(SIMD3(.infinity, 0, 0)) == [255, 0, 0, 255])
    #expect(pixel(SIMD3(.greatestFiniteMagnitude, 0x1p126, 0)) == [255, 128, 0, 255])
    #expect(pixel(SIMD3(0x1.FFp126, 0, 0)) == [255, 0, 0, 255])
  }

  /// Every pixel whose largest mantissa is 128 or more comes back; exponents 1 and 2 are below the smallest normal number.
  @Test func normalPixelsComeBackAsTheyWere() {
    for exponent in 3...255 {
      for mantissas in [(128, 0, 1), (255, 254, 3), (1, 200, 127), (0, 0, 129)] {
        let scale = Float(sign: .plus, exponent: exponent - 136, significand: 1)
        let light = SIMD3(Float(mantissas.0), Float(mantissas.1), Float(mantissas.2)) * scale
        #expect(pixel(light) == [mantissas.0, mantissas.1, mantissas.2, exponent].map { UInt8($0) })
      }
    }
  }

  /// IEC 61966-2-1: 0.5 is 0.21404 of light; codes up to 0.04045 are on a line.
  @Test func samplesOfSRGBBecomeLight() {
    #expect(abs(LightCurve.light(0.5) - 0.2140411) < 1e-6)
    #expect(abs(LightCurve.light(0.03876) - 0.003) < 1e-9)
    var found: [SIMD3<Float>] = []
    let row: [UInt8] = [0, 255, 128, 10, 20, 30]
    row.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      LightCurve(.rgb8, isLight: false).forEachPixel(in: base, width: 2) { _, light in found.append(light) }
    }
    #expect(found.count == 2 && found[0].x == 0 && found[0].y == 1 && abs(found[0].z - 0.2158605) < 1e-6)
  }
}
