// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import Testing

/// Curves and matrices against numbers that were computed by hand, or by colour-science, from the specifications.
@Suite struct ToneCurveTests {
  @Test func curvesBecomeLight() {
    func isNear(_ curve: ToneCurve, _ value: Double, _ light: Double) -> Bool {
      abs(curve.light(value) - light) < 5e-8
    }
    #expect(isNear(.sRGB, 0.5, 0.2140411))
    #expect(isNear(.rec709, 0.5, 0.2597194))
    #expect(isNear(.adobeRGB, 0.5, 0.2177555))
    #expect(isNear(.romm, 0.5, 0.2871746))
    #expect(isNear(.hlg, 0.5, 0.0833333))
    #expect(isNear(.hlg, 0.75, 0.2649626))
    #expect(isNear(.table([0, 0x4000, 0xFFFF]), 0.25, 0.1250019))
    #expect(abs(ToneCurve.luminance(pq: 0.5) - 92.24571) < 5e-6)
    #expect(abs(ToneCurve.luminance(pq: 0.58) - 201.66626) < 5e-6)
    for (nits, value) in [(100, 0.5080784), (203, 0.5806889), (1000, 0.7518271), (4000, 0.9025724)] {
      #expect(abs(ToneCurve.pq(luminance: Double(nits)) - value) < 5e-8)
    }
  }

  @Test(
    arguments: [.linear, .sRGB, .rec709, .adobeRGB, .romm, .gamma(1.8), .pq, .hlg, .table([0, 5, 5000, 0xFFFF])]
      as [ToneCurve])
  func valuesComeBack(_ curve: ToneCurve) {
    for step in 0...1000 {
      let value = Double(step) / 1000
      // Near black, PQ is light of 1e-5 nit and less.
      #expect(abs(curve.value(curve.light(value)) - value) < (curve == .pq ? 1e-6 : 1e-9))
    }
  }

  @Test func codePointsNameCurves() {
    #expect(ToneCurve(code: 13) == .sRGB)
    for code in [1, 6, 14, 15] as [UInt8] { #expect(ToneCurve(code: code) == .rec709) }
    #expect(ToneCurve(code: 8) == .linear)
    #expect(ToneCurve(code: 4) == .gamma(2.2))
    for code in [0, 2, 3, 19, 255] as [UInt8] { #expect(ToneCurve(code: code) == nil) }
    // SMPTE ST 428-1: 48 nit of a screen are the value (48 / 52.37)^(1/2.6).
    #expect(abs((ToneCurve(code: 17)?.value(1) ?? 0) - 0.9670) < 5e-5)
  }

  private static func matrix(_ primaries: Chromaticities) throws -> Matrix3 {
    let sRGB = try #require(Chromaticities.sRGB.toXYZ)
    return sRGB.inverse * (try #require(primaries.toXYZ))
  }

  @Test func primariesBecomeThoseOfSRGB() throws {
    let proPhoto = Chromaticities(
      red: SIMD2(0.734699, 0.265301), green: SIMD2(0.159597, 0.840403), blue: SIMD2(0.036598, 0.000105),
      white: SIMD2(0.345704, 0.358540))
    let displayP3 = [
      SIMD3(1.2249402, -0.2249402, 0), SIMD3(-0.0420570, 1.0420570, 0), SIMD3(-0.0196376, -0.0786360, 1.0982736),
    ]
    let adobe = [SIMD3(1.3983557, -0.3983557, 0), SIMD3(0, 1, 0), SIMD3(0, -0.0429290, 1.0429290)]
    let rec2020 = [
      SIMD3(1.6604910, -0.5876411, -0.0728499), SIMD3(-0.1245505, 1.1328999, -0.0083494),
      SIMD3(-0.0181508, -0.1005789, 1.1187297),
    ]
    let wide = [
      SIMD3(2.0342305, -0.7275379, -0.3066899), SIMD3(-0.2287969, 1.2317197, -0.0029224),
      SIMD3(-0.0085559, -0.1532851, 1.1618267),
    ]
    // SMPTE ST 2065-1: the blue of ACES lies below the axis. The matrix is worked out by numpy, with Bradford's cones.
    let academy = Chromaticities(
      red: SIMD2(0.7347, 0.2653), green: SIMD2(0, 1), blue: SIMD2(0.0001, -0.077), white: SIMD2(0.32168, 0.33767))
    let aces = [
      SIMD3(2.5216862, -1.1341310, -0.3875552), SIMD3(-0.2764799, 1.3727191, -0.0962392),
      SIMD3(-0.0153781, -0.1529753, 1.1683534),
    ]
    let expected: [(Chromaticities, [SIMD3<Double>], Double)] = [
      // The white of ProPhoto is rounded in the fifth digit.
      (.displayP3, displayP3, 1e-6), (.adobeRGB, adobe, 1e-6), (.rec2020, rec2020, 1e-6), (proPhoto, wide, 5e-4),
      (academy, aces, 1e-6),
    ]
    for (primaries, rows, tolerance) in expected {
      let found = try Self.matrix(primaries)
      let wanted = Matrix3(rows: rows[0], rows[1], rows[2])
      for (a, b) in [(found.first, wanted.first), (found.second, wanted.second), (found.third, wanted.third)] {
        #expect((0..<3).allSatisfy { abs(a[$0] - b[$0]) < tolerance }, "\(primaries): \(a), \(b)")
      }
    }
  }

  @Test func daylightBecomesTheWhiteOfProfiles() {
    let found = Chromaticities.adaptation(from: SIMD3(0.3127 / 0.3290, 1, 0.3583 / 0.3290))
    // Lindbloom's Bradford matrix from D65 to D50, with the digits of ICC.1's white.
    let rows = [
      SIMD3(1.047886, 0.022919, -0.050216), SIMD3(0.029582, 0.990484, -0.017079), SIMD3(-0.009252, 0.015073, 0.751678),
    ]
    let wanted = Matrix3(rows: rows[0], rows[1], rows[2])
    for (a, b) in [(found.first, wanted.first), (found.second, wanted.second), (found.third, wanted.third)] {
      #expect((0..<3).allSatisfy { abs(a[$0] - b[$0]) < 2e-4 }, "\(a), \(b)")
    }
  }

  @Test func primariesOnALineAreNone() {
    let point = SIMD2(0.3, 0.3)
    #expect(Chromaticities(red: point, green: point, blue: point, white: point).toXYZ == nil)
    #expect(
      Chromaticities(red: SIMD2(0.6, 0), green: SIMD2(0.3, 0.6), blue: SIMD2(0.1, 0.1), white: SIMD2(0.3, 0)).toXYZ
        == nil)
  }
}
