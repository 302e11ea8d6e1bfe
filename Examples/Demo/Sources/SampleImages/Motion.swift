// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders

/// Balls that bounce on a floor, in a loop without a seam.
enum Balls {
  static let frameCount = 36
  private static let size = Size(width: 320, height: 240)
  private static let floor: Float = 196

  /// Bounces in a loop and where in one they begin, height, place, size and color of each ball.
  private static let balls: [(bounces: Float, start: Float, height: Float, x: Float, radius: Float, tone: UInt32)] = [
    (2, 0.30, 118, 70, 24, 0xE8505B), (3, 0.03, 74, 160, 19, 0xF9C74F), (1, 0.58, 128, 248, 29, 0x3E8EDE),
  ]

  static func painted(_ index: Int) -> Painting {
    var painting = Painting(size) { _, y in
      let v = Float(y)
      return v < floor - 26
        ? Color(0.93, 0.95, 0.98).mixed(Color(0.80, 0.86, 0.93), v / (floor - 26))
        : Color(0.72, 0.68, 0.66).mixed(Color(0.86, 0.83, 0.80), (v - floor + 26) / 70)
    }
    let time = Float(index) / Float(frameCount)
    for ball in balls {
      let phase = (time * ball.bounces + ball.start).truncatingRemainder(dividingBy: 1)
      let rise = 4 * phase * (1 - phase)
      // The ball is flat where it hits the floor, and long where it is fast.
      let contact = max(0, 1 - rise * 9)
      let stretch = 1 - 0.26 * contact + 0.10 * abs(1 - 2 * phase) * (1 - contact)
      let x = ball.x + 12 * sinf(time * 2 * .pi)
      shadow(on: &painting, x: x, radius: ball.radius, rise: rise)
      draw(
        on: &painting, x: x, y: floor - ball.height * rise - ball.radius * stretch, radius: ball.radius,
        stretch: stretch,
        Color(hex: ball.tone))
    }
    return painting
  }

  private static func shadow(on painting: inout Painting, x: Float, radius: Float, rise: Float) {
    let (width, height) = (radius * (1 + 0.5 * rise), radius * 0.30 * (1 + 0.5 * rise))
    let box = Rect(
      x: Int(x - width * 2), y: Int(floor - height * 2), width: Int(width * 4), height: Int(height * 4) + 1)
    painting.draw(in: box) { px, py in
      let (dx, dy) = ((px - x) / width, (py - floor) / height)
      return (expf(-1.6 * (dx * dx + dy * dy)) * (0.6 - 0.42 * rise), Color(0.16, 0.13, 0.16))
    }
  }

  private static func draw(
    on painting: inout Painting, x: Float, y: Float, radius: Float, stretch: Float, _ color: Color
  ) {
    let (wide, high) = (radius / stretch.squareRoot(), radius * stretch)
    let box = Rect(
      x: Int(x - wide) - 2, y: Int(y - high) - 2, width: Int(wide * 2) + 5, height: Int(high * 2) + 5)
    painting.draw(in: box) { px, py in
      let (dx, dy) = ((px - x) / wide, (py - y) / high)
      let distance = (dx * dx + dy * dy).squareRoot()
      let (lightX, lightY) = (dx + 0.36, dy + 0.42)
      let light = expf(-2.2 * (lightX * lightX + lightY * lightY))
      let shaded = color.scaled(0.62 + 0.5 * max(0, 1 - (lightX * lightX + lightY * lightY) * 0.55))
      return (min(max((1 - distance) * radius + 0.5, 0), 1), shaded.mixed(Color(1, 1, 1), light * light * 0.85))
    }
  }
}

/// A comet on its orbit, over transparency: every frame has soft alpha.
enum Comet {
  static let frameCount = 30
  private static let size = Size(width: 200, height: 200)

  static func painted(_ index: Int) -> Painting {
    var painting = Painting(size)
    painting.disc(100, 100, radius: 20, softness: 34, Color(1, 0.72, 0.20, alpha: 0.8))
    painting.disc(100, 100, radius: 15, softness: 3, Color(1, 0.90, 0.55))
    let tail = 26
    for dot in (0..<tail).reversed() {
      let age = Float(dot) / Float(tail)
      let angle = (Float(index) / Float(frameCount) - age * 0.30) * 2 * .pi
      let (x, y) = (100 + 76 * cosf(angle), 100 + 52 * sinf(angle) - 14 * cosf(angle))
      let tone = Color(0.55, 0.86, 1).mixed(Color(0.48, 0.24, 0.95), age)
      painting.disc(
        x, y, radius: 10 * (1 - age) + 1, softness: 4 + 5 * age,
        Color(tone.red, tone.green, tone.blue, alpha: (1 - age) * (1 - age) * 0.5))
    }
    let angle = Float(index) / Float(frameCount) * 2 * Float.pi
    painting.disc(100 + 76 * cosf(angle), 100 + 52 * sinf(angle) - 14 * cosf(angle), radius: 8, Color(0.93, 0.98, 1))
    return painting
  }
}
