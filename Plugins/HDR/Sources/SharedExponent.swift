// SPDX-License-Identifier: Apache-2.0

/// Light as three mantissas and the exponent that they share: red in the highest byte, then green, blue and the exponent.
///
/// - Format: Radiance File Formats, "Picture File Format", and Graphics Gems II, chapter II.5.
enum SharedExponent {
  /// The pixel that is nearest to a color. Light below 0 and what is no number become 0, and what is too bright becomes
  /// the brightest pixel.
  ///
  /// The largest mantissa is 128 or more: other pixels would be taken for counts. So light below 2⁻¹²⁶ is black.
  static func pixel(_ light: SIMD3<Float>) -> UInt32 {
    let color = light.replacing(with: 0, where: .!(light .> 0))
    let brightest = color.max()
    guard brightest.isNormal || brightest.isInfinite else { return 0 }
    // The brightest sample is at least a half and less than 1, times two to this power.
    var power = Int(brightest.bitPattern >> 23) - 126
    var mantissas = mantissas(color, power)
    if mantissas.max() > 255, power < 127 {
      power += 1
      mantissas = Self.mantissas(color, power)
    }
    power = min(power, 127)
    let bytes = mantissas.clamped(lowerBound: SIMD3(repeating: 0), upperBound: SIMD3(repeating: 255))
    let (red, green, blue) = (UInt32(bytes.x), UInt32(bytes.y), UInt32(bytes.z))
    return red << 24 | green << 16 | blue << 8 | UInt32(power + 128)
  }

  /// Samples in units of two to a power less 8, to the nearest.
  private static func mantissas(_ color: SIMD3<Float>, _ power: Int) -> SIMD3<Double> {
    let scale = Double(sign: .plus, exponent: 8 - min(power, 127), significand: 1)
    return (SIMD3<Double>(color) * scale).rounded(.toNearestOrAwayFromZero)
  }
}
