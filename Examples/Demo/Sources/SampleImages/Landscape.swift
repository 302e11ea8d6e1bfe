// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders

/// Mountains at a lake in the evening: gradients, fine texture and film grain, as photographs have them.
struct Landscape {
  let size: Size

  private let noise = Noise(seed: 7)
  private let grain = Noise(seed: 1234)
  /// Where the water begins, and where the sun stands, as parts of the height and width.
  private let shore: Float = 0.70
  private let sun = (x: Float(0.66), y: Float(0.43))

  func painted() -> Painting {
    Painting(size) { x, y in
      let u = (Float(x) + 0.5) / Float(size.height)
      let v = (Float(y) + 0.5) / Float(size.height)
      var color = v < shore ? land(u, v) : water(u, v)
      // A lens darkens towards the corners.
      let aspect = Float(size.width) / Float(size.height)
      let (dx, dy) = (u / aspect - 0.5, v - 0.5)
      color = color.scaled(1 - 0.55 * (dx * dx + dy * dy))
      let speck = (grain.value(x, y) + grain.value(x + 9999, y) - 1) * 0.035
      return Color(color.red + speck, color.green + speck, color.blue + speck * 1.2)
    }
  }

  /// What stands above the water at a place; both coordinates in heights of the picture.
  private func land(_ u: Float, _ v: Float) -> Color {
    var color = sky(u, v)
    let layers: [(base: Float, height: Float, scale: Float, haze: Float, rock: Color)] = [
      (0.60, 0.34, 1.5, 0.72, Color(0.47, 0.45, 0.58)),
      (0.64, 0.27, 2.1, 0.46, Color(0.34, 0.35, 0.46)),
      (0.68, 0.17, 3.1, 0.20, Color(0.20, 0.24, 0.29)),
    ]
    for (index, layer) in layers.enumerated() {
      let offset = Float(index) * 31.7 + 3
      let ridge = layer.base - layer.height * (self.ridge(u * layer.scale + offset) - 0.12)
      guard v > ridge else { continue }
      let lit = slope(u * layer.scale + offset, v * layer.scale * 1.3, scale: 7)
      var rock = layer.rock.scaled(0.72 + 0.75 * lit)
      let line = ridge + 0.055 * layer.height / 0.3 + 0.05 * noise.fractal(u * 14, v * 14 + offset, octaves: 3)
      let snow = step(0.05, -0.03, v - line) * step(0.38, 0.6, lit + 0.15) * (index == 2 ? 0 : 1)
      rock = rock.mixed(Color(0.96, 0.86, 0.83).scaled(0.55 + 0.6 * lit), snow)
      let depth = step(0, 0.3, v - ridge) * 0.3
      color = rock.mixed(haze(u), min(1, layer.haze * 0.75 + depth * layer.haze))
    }
    return trees(u, v, over: color)
  }

  private func sky(_ u: Float, _ v: Float) -> Color {
    let t = step(0, 0.66, v)
    var color = Color(0.16, 0.27, 0.52).mixed(Color(0.96, 0.70, 0.50), t)
    color = color.mixed(Color(0.62, 0.50, 0.62), 0.55 * step(0.1, 0.4, v) * step(0.62, 0.34, v))
    let (dx, dy) = (u - sunU, v - sun.y)
    let distance = (dx * dx + dy * dy).squareRoot()
    // Clouds are long in the direction of the wind and bright where the sun is behind them.
    let density = noise.fractal(u * 2.2 + 40, v * 8.5, octaves: 6)
    let cloud = step(0.50, 0.74, density) * step(0.02, 0.16, v) * step(0.62, 0.40, v)
    let edge = step(0.50, 0.60, density) * (1 - step(0.60, 0.74, density))
    let shade = Color(0.62, 0.47, 0.54).mixed(Color(1, 0.80, 0.62), min(1, edge + expf(-distance * 3)))
    color = color.mixed(shade, cloud * 0.85)
    color = color.adding(Color(1, 0.62, 0.28), 0.55 * expf(-distance * 5.5))
    color = color.adding(Color(1, 0.85, 0.6), 0.6 * expf(-distance * 22))
    return color.mixed(Color(1, 0.97, 0.88), step(0.046, 0.042, distance))
  }

  /// The sun's place, in heights of the picture.
  private var sunU: Float { sun.x * Float(size.width) / Float(size.height) }

  private func haze(_ u: Float) -> Color {
    Color(0.66, 0.56, 0.64).mixed(Color(1, 0.74, 0.52), expf(-abs(u - sunU) * 2.2))
  }

  /// The line of a mountain range: sharp tops, soft valleys; 0 to 1.
  private func ridge(_ u: Float) -> Float {
    let folded = 1 - abs(2 * noise.fractal(u, 5.5, octaves: 5) - 1)
    return folded * 0.75 + noise.fractal(u * 5, 9.5, octaves: 4) * 0.25
  }

  /// How much of a slope's surface looks to the sun, 0 to 1.
  private func slope(_ u: Float, _ v: Float, scale: Float) -> Float {
    let here = noise.fractal(u * scale, v * scale, octaves: 6)
    let there = noise.fractal(u * scale + 0.12, v * scale - 0.08, octaves: 6)
    return min(max(0.5 + (there - here) * 4.5, 0), 1)
  }

  /// Firs along the shore, as shapes against the light.
  private func trees(_ u: Float, _ v: Float, over color: Color) -> Color {
    var result = color
    for (row, spacing) in [Float(0.020), 0.013].enumerated() {
      let cell = Int((u / spacing).rounded(.down))
      for neighbour in (cell - 2)...(cell + 2) {
        let random = noise.value(neighbour, row + 70)
        let gap = noise.fractal(Float(neighbour) * spacing * 3 + Float(row) * 8, 2, octaves: 3)
        let height = (0.035 + 0.06 * random) * step(0.30, 0.62, gap) + 0.012
        let middle = (Float(neighbour) + 0.2 + 0.6 * noise.value(neighbour, row + 90)) * spacing
        let top = shore - height
        guard v > top else { continue }
        let fraction = (v - top) / height
        let branches = 0.72 + 0.28 * abs((fraction * 9).truncatingRemainder(dividingBy: 1) * 2 - 1)
        let reach = height * 0.21 * fraction * branches + 0.0006
        let cover = step(reach, reach - 0.0016, abs(u - middle))
        let tone = row == 0 ? Color(0.13, 0.15, 0.19) : Color(0.055, 0.075, 0.09)
        result = result.mixed(tone.scaled(0.8 + 0.5 * noise.smooth(u * 400, v * 400)), cover)
      }
    }
    return result
  }

  /// The lake: the land upside down, moved by waves that grow towards the viewer.
  private func water(_ u: Float, _ v: Float) -> Color {
    let depth = (v - shore) / (1 - shore)
    let wave = noise.fractal(u * 9 / (0.25 + depth), 60 / (0.12 + depth), octaves: 4) - 0.5
    let mirrored = shore - (v - shore) * 1.25 + wave * (0.008 + 0.055 * depth)
    var color = land(u + wave * 0.02 * depth, min(max(mirrored, 0), shore - 0.001))
    color = color.mixed(Color(0.09, 0.16, 0.25), 0.22 + 0.4 * depth)
    let glitter = step(0.12, 0.3, wave) * expf(-abs(u - sunU) * (4 - 2 * depth))
    color = color.adding(Color(1, 0.72, 0.42), glitter * 0.55)
    return color.mixed(Color(0.80, 0.66, 0.62), 0.35 * step(0.012, 0, depth))
  }
}
