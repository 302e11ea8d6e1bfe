// SPDX-License-Identifier: Apache-2.0

/// Turns mantissas and exponents into light.
///
/// A sample is its mantissa times two to the power of the exponent less 136, which single precision holds exactly. As most
/// programs do, and other than Radiance itself, no half is added to the mantissa: so white is 1 and not 257/256.
///
/// - Format: Radiance File Formats, "Information Header": radiance is what the file has, divided by all EXPOSURE and
///   COLORCORR settings.
struct PixelDecoder {
  /// What a mantissa of red, green and blue is multiplied by, for each exponent: 256 for each channel.
  private let factors: [Float]
  private let isXYZ: Bool

  /// Lumens per watt of white light, which Radiance's programs divide luminance by (`src/common/color.h`).
  private static let efficacy = 179.0

  init(_ header: HDRHeader) {
    isXYZ = header.isXYZ
    let variables = header.variables
    var factor = 1 / (variables.exposure ?? 1)
    // With an exposure, Y is luminance; files that state none have relative values.
    if header.isXYZ, variables.exposure != nil { factor /= Self.efficacy }
    let correction = header.isXYZ ? nil : variables.correction
    // The largest mantissa is to stay finite.
    let most = Double(Float.greatestFiniteMagnitude) / 256
    factors = (0..<3).flatMap { channel in
      (0..<256).map { exponent in
        guard exponent > 0 else { return 0 }
        let power = Double(sign: .plus, exponent: exponent - 136, significand: 1)
        return Float(min(power * factor / (correction?[channel] ?? 1), most))
      }
    }
  }

  /// - Parameters:
  ///   - planes: Four, of `width` bytes each.
  ///   - target: Room for `width` pixels of four samples.
  func decode(_ planes: UnsafePointer<UInt8>, width: Int, to target: UnsafeMutableRawPointer) {
    let pixels = target.assumingMemoryBound(to: Float.self)
    let (green, blue, exponents) = (planes + width, planes + 2 * width, planes + 3 * width)
    factors.withUnsafeBufferPointer { factors in
      for x in 0..<width {
        let exponent = Int(exponents[x])
        let light = SIMD3<Float>(
          Float(planes[x]) * factors[exponent], Float(green[x]) * factors[256 &+ exponent],
          Float(blue[x]) * factors[512 &+ exponent])
        let color = isXYZ ? Self.linearSRGB(light) : light
        pixels[4 &* x] = color.x
        pixels[4 &* x &+ 1] = color.y
        pixels[4 &* x &+ 2] = color.z
        pixels[4 &* x &+ 3] = 1
      }
    }
  }

  /// Light of the primaries of sRGB, of X, Y and Z that have equal energy as white.
  ///
  /// White becomes that of sRGB (x 0.3127, y 0.3290) by linear Bradford adaptation (ICC.1:2022 annex E.3); the primaries
  /// are those of IEC 61966-2-1. Colors that sRGB does not have are below 0.
  static func linearSRGB(_ xyz: SIMD3<Float>) -> SIMD3<Float> {
    SIMD3(3.146657654, -0.995521606, 0.063594803) * xyz.x + SIMD3(-1.666463755, 1.955756734, -0.214563222) * xyz.y
      + SIMD3(-0.480193900, 0.039764872, 1.150968419) * xyz.z
  }
}
