// SPDX-License-Identifier: Apache-2.0

/// Noise that is the same on every machine: hashes of integer places, smoothly joined.
struct Noise {
  let seed: UInt32

  /// A value for a place of the grid, 0 to 1.
  func value(_ x: Int, _ y: Int) -> Float {
    var bits = UInt32(truncatingIfNeeded: x) &* 0x9E37_79B1 ^ UInt32(truncatingIfNeeded: y) &* 0x85EB_CA77
    bits ^= seed &* 0xC2B2_AE3D
    bits ^= bits >> 15
    bits &*= 0x2C1B_3C6D
    bits ^= bits >> 12
    bits &*= 0x297A_2D39
    bits ^= bits >> 15
    return Float(bits >> 8) / Float(1 << 24)
  }

  /// A value for any place, 0 to 1.
  func smooth(_ x: Float, _ y: Float) -> Float {
    let (left, top) = (x.rounded(.down), y.rounded(.down))
    let (column, row) = (Int(left), Int(top))
    let (u, v) = (Self.ease(x - left), Self.ease(y - top))
    let upper = mix(value(column, row), value(column + 1, row), u)
    let lower = mix(value(column, row + 1), value(column + 1, row + 1), u)
    return mix(upper, lower, v)
  }

  /// A sum of octaves, each of half the strength and twice the detail; 0 to 1.
  func fractal(_ x: Float, _ y: Float, octaves: Int) -> Float {
    var (sum, weight, total, scale): (Float, Float, Float, Float) = (0, 1, 0, 1)
    for octave in 0..<octaves {
      // Each octave is moved, so that grids do not fall together.
      let shift = Float(octave) * 17.3
      sum += smooth(x * scale + shift, y * scale - shift) * weight
      total += weight
      weight /= 2
      scale *= 2.03
    }
    return sum / total
  }

  private static func ease(_ t: Float) -> Float { t * t * t * (t * (t * 6 - 15) + 10) }
}

func mix(_ a: Float, _ b: Float, _ t: Float) -> Float { a + (b - a) * t }

/// 0 below `low`, 1 above `high`, smooth in between.
func step(_ low: Float, _ high: Float, _ value: Float) -> Float {
  let t = min(max((value - low) / (high - low), 0), 1)
  return t * t * (3 - 2 * t)
}
