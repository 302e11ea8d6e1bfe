// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

extension StoredColor.Primaries {
  /// x and y of red, green, blue and white, or nil if they are none.
  ///
  /// - Format: OpenEXR File Layout, "chromaticities". Primaries need not be colors: those of ACES 2065-1 lie outside of them.
  init?(_ numbers: [Double]) {
    guard numbers.count == 8, numbers.allSatisfy({ $0.isFinite && abs($0) <= 2 }) else { return nil }
    let points = (0..<4).map { SIMD2(numbers[2 * $0], numbers[2 * $0 + 1]) }
    let (first, second) = (points[1] - points[0], points[2] - points[0])
    guard points[3].y > 0.01, abs(first.x * second.y - first.y * second.x) > 1e-3 else { return nil }
    self.init(red: points[0], green: points[1], blue: points[2], white: points[3])
  }

  private static let d65 = SIMD2(0.3127, 0.3290)

  /// Those of a file that states none.
  static let standard = StoredColor.Primaries(
    red: SIMD2(0.640, 0.330), green: SIMD2(0.300, 0.600), blue: SIMD2(0.150, 0.060), white: d65)

  /// Primaries that have a code point (ITU-T H.273 table 2): those of BT.709, BT.2020 and SMPTE EG 432-1.
  private static let known: [(code: UInt8, primaries: StoredColor.Primaries)] = [
    (1, standard),
    (
      9,
      StoredColor.Primaries(
        red: SIMD2(0.708, 0.292), green: SIMD2(0.170, 0.797), blue: SIMD2(0.131, 0.046), white: d65)
    ),
    (
      12,
      StoredColor.Primaries(
        red: SIMD2(0.680, 0.320), green: SIMD2(0.265, 0.690), blue: SIMD2(0.150, 0.060), white: d65)
    ),
  ]

  /// The code point that says the same, or nil. Numbers of single precision, and white of four digits, are close enough.
  var code: UInt8? {
    Self.known.first { zip(numbers, $0.primaries.numbers).allSatisfy { abs($0 - $1) < 0.0005 } }?.code
  }

  private var numbers: [Double] { [red, green, blue, white].flatMap { [$0.x, $0.y] } }

  /// The shares of red, green and blue in the luminance of white: the row of Y of the matrix to XYZ (SMPTE RP 177).
  var luminance: SIMD3<Double> {
    func z(_ point: SIMD2<Double>) -> Double { 1 - point.x - point.y }
    func determinant(_ columns: [SIMD3<Double>]) -> Double {
      let (a, b, c) = (columns[0], columns[1], columns[2])
      return a.x * (b.y * c.z - b.z * c.y) - b.x * (a.y * c.z - a.z * c.y) + c.x * (a.y * b.z - a.z * b.y)
    }
    let columns = [red, green, blue].map { SIMD3($0.x, $0.y, z($0)) }
    let light = SIMD3(white.x, white.y, z(white)) / white.y
    let whole = determinant(columns)
    // Cramer's rule: how much of each primary white has.
    return SIMD3(
      determinant([light, columns[1], columns[2]]) * columns[0].y,
      determinant([columns[0], light, columns[2]]) * columns[1].y,
      determinant([columns[0], columns[1], light]) * columns[2].y) / whole
  }
}
