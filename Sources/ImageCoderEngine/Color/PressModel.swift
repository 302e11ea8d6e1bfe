// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What cyan, magenta, yellow and black look like where a file does not say it: offset printing on coated paper.
///
/// Light of the sixteen solid overprints is weighed by how much of the paper each of them covers (Demichel), as square
/// roots, because light spreads in the paper (Yule and Nielsen with n = 2). The numbers are CIELab of D50 that ISO 12647-2
/// aims at; what it does not have, overprints with black, is worked out from those without it. Nothing is taken from
/// anyone's profile.
struct PressModel: Sendable {
  /// Light of D50 by overprint, as square roots of X, Y and Z with white paper at 1; bit 0 is cyan, bit 3 black.
  private let roots: [SIMD4<Float>]
  /// From what is left of the paper to X, Y and Z.
  private let scale: SIMD4<Float>
  private let start: SIMD4<Float>

  /// L*, a* and b* of overprints without black: paper, C, M, CM, Y, CY, MY, CMY.
  private static let solids: [SIMD3<Double>] = [
    SIMD3(95, 0, -2), SIMD3(55, -37, -50), SIMD3(48, 74, -3), SIMD3(24, 20, -46), SIMD3(89, -5, 93),
    SIMD3(50, -66, 26), SIMD3(47, 68, 48), SIMD3(23, 0, 0),
  ]
  private static let black = SIMD3<Double>(16, 0, 0)
  /// What the surface of black reflects, whatever is below it.
  private static let surface = 0.005
  /// How much larger dots of colored inks become: what half a tone gains.
  private static let gain: Float = 0.03

  /// - Parameters:
  ///   - keepsPaper: Whether white is the paper's, as in absolute colorimetry.
  ///   - keepsBlack: Whether all inks keep the light that they reflect; otherwise they are black.
  init(keepsPaper: Bool, keepsBlack: Bool) {
    let paper = Self.tristimulus(Self.solids[0])
    let black = Self.tristimulus(Self.black) / paper
    let colors = Self.solids.map { Self.tristimulus($0) / paper }
    let surface = SIMD3(repeating: Self.surface)
    let dark = colors.map { surface + ($0 - surface) * (black - surface) / (1 - Self.surface) }
    roots = (colors + dark).map { SIMD4(SIMD4<Double>($0.squareRoot(), 0)) }
    let white = keepsPaper ? paper : Chromaticities.d50
    let lost = keepsBlack ? 0 : dark[7].y
    scale = SIMD4(SIMD4<Double>(white / (1 - lost), 0))
    start = SIMD4(SIMD4<Double>(white * (-lost / (1 - lost)), 1))
  }

  /// CIE 15:2004 §8.2.1.
  private static func tristimulus(_ lab: SIMD3<Double>) -> SIMD3<Double> {
    let y = (lab.x + 16) / 116
    let roots = SIMD3(y + lab.y / 500, y, y - lab.z / 200)
    var result = SIMD3<Double>()
    for index in 0..<3 {
      let root = roots[index]
      result[index] = root > 6.0 / 29 ? root * root * root : 108.0 / 841 * (root - 4.0 / 29)
    }
    return result * Chromaticities.d50
  }

  /// Turns cyan, magenta, yellow and black, 0 to 1, into X, Y, Z and 1.
  ///
  /// - Parameter pixels: Of four floats, aligned as floats are.
  func convert(_ pixels: UnsafeMutableRawPointer, count: Int) {
    roots.withUnsafeBufferPointer { roots in
      guard let roots = roots.baseAddress else { return }
      for index in 0..<count {
        let place = index &* 16
        var ink = pixels.loadUnaligned(fromByteOffset: place, as: SIMD4<Float>.self)
        ink.clamp(lowerBound: SIMD4(), upperBound: SIMD4(repeating: 1))
        let rest = 1 - ink
        // Black is as it is; its dots grow by what n adds.
        ink += ink * rest * SIMD4(4 * Self.gain, 4 * Self.gain, 4 * Self.gain, 0)
        var parts = Self.mix(roots, ink)
        parts += (Self.mix(roots + 8, ink) - parts) * ink.w
        let result = parts * parts * scale + start
        pixels.storeBytes(of: result, toByteOffset: place, as: SIMD4<Float>.self)
      }
    }
  }

  /// Mixes eight overprints, by how much of the paper each covers.
  @inline(__always)
  private static func mix(_ roots: UnsafePointer<SIMD4<Float>>, _ ink: SIMD4<Float>) -> SIMD4<Float> {
    let first = roots[0] + (roots[1] - roots[0]) * ink.x
    let second = roots[2] + (roots[3] - roots[2]) * ink.x
    let third = roots[4] + (roots[5] - roots[4]) * ink.x
    let fourth = roots[6] + (roots[7] - roots[6]) * ink.x
    let light = first + (second - first) * ink.y
    let dark = third + (fourth - third) * ink.y
    return light + (dark - light) * ink.z
  }
}
