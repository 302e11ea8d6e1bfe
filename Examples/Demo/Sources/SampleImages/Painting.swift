// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// A color with straight alpha; samples from 0 to 1 as sRGB encodes them.
struct Color {
  var red: Float
  var green: Float
  var blue: Float
  var alpha: Float = 1

  init(_ red: Float, _ green: Float, _ blue: Float, alpha: Float = 1) {
    (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
  }

  /// `0x3366CC`
  init(hex: UInt32, alpha: Float = 1) {
    self.init(Float(hex >> 16 & 0xFF) / 255, Float(hex >> 8 & 0xFF) / 255, Float(hex & 0xFF) / 255, alpha: alpha)
  }

  static let clear = Color(0, 0, 0, alpha: 0)

  func mixed(_ other: Color, _ t: Float) -> Color {
    Color(
      mix(red, other.red, t), mix(green, other.green, t), mix(blue, other.blue, t), alpha: mix(alpha, other.alpha, t))
  }

  func scaled(_ factor: Float) -> Color { Color(red * factor, green * factor, blue * factor, alpha: alpha) }

  func adding(_ other: Color, _ factor: Float) -> Color {
    Color(red + other.red * factor, green + other.green * factor, blue + other.blue * factor, alpha: alpha)
  }

  /// This color laid over another one.
  func over(_ below: Color) -> Color {
    let rest = below.alpha * (1 - alpha)
    let sum = alpha + rest
    guard sum > 0 else { return .clear }
    func channel(_ a: Float, _ b: Float) -> Float { (a * alpha + b * rest) / sum }
    return Color(channel(red, below.red), channel(green, below.green), channel(blue, below.blue), alpha: sum)
  }
}

/// A picture that is drawn in floating point and converted to pixels at the end.
struct Painting {
  let size: Size
  private var pixels: [Color]

  init(_ size: Size, background: Color = .clear) {
    self.size = size
    pixels = Array(repeating: background, count: size.width * size.height)
  }

  /// Computes every pixel from its place.
  init(_ size: Size, _ color: (_ x: Int, _ y: Int) -> Color) {
    self.size = size
    pixels = []
    pixels.reserveCapacity(size.width * size.height)
    for y in 0..<size.height { for x in 0..<size.width { pixels.append(color(x, y)) } }
  }

  subscript(x: Int, y: Int) -> Color {
    get { pixels[y * size.width + x] }
    set { pixels[y * size.width + x] = newValue }
  }

  /// Blends a color over a rectangle; the part outside the picture is ignored.
  mutating func fill(_ x: Int, _ y: Int, _ width: Int, _ height: Int, _ color: Color) {
    for row in max(0, y)..<max(max(0, y), min(size.height, y + height)) {
      for column in max(0, x)..<max(max(0, x), min(size.width, x + width)) {
        self[column, row] = color.over(self[column, row])
      }
    }
  }

  /// Blends a shape over the picture: `coverage` gives how much of a pixel it covers, 0 to 1, and its color.
  mutating func draw(in box: Rect, _ coverage: (_ x: Float, _ y: Float) -> (Float, Color)) {
    for y in max(0, box.y)..<max(max(0, box.y), min(size.height, box.y + box.height)) {
      for x in max(0, box.x)..<max(max(0, box.x), min(size.width, box.x + box.width)) {
        var (amount, color) = coverage(Float(x) + 0.5, Float(y) + 0.5)
        guard amount > 0 else { continue }
        color.alpha *= min(amount, 1)
        self[x, y] = color.over(self[x, y])
      }
    }
  }

  /// Draws a disc whose edge is `softness` pixels wide.
  mutating func disc(_ x: Float, _ y: Float, radius: Float, softness: Float = 1, _ color: Color) {
    let reach = Int(radius + softness) + 2
    draw(in: Rect(x: Int(x) - reach, y: Int(y) - reach, width: 2 * reach, height: 2 * reach)) { px, py in
      let distance = ((px - x) * (px - x) + (py - y) * (py - y)).squareRoot()
      return (min(max((radius + softness / 2 - distance) / softness, 0), 1), color)
    }
  }
}

extension Painting {
  /// The picture in 8 bits per channel.
  ///
  /// - Parameter hasAlpha: Whether alpha is kept; otherwise the picture is opaque.
  func pixels(hasAlpha: Bool) throws(CoderError) -> PixelBuffer {
    let buffer = try PixelBuffer(size: size, format: hasAlpha ? .rgba8 : .rgb8, alpha: .straight)
    let channels = hasAlpha ? 4 : 3
    for y in 0..<size.height {
      buffer.withMutableSamples(inRow: y) { row in
        for x in 0..<size.width {
          let color = self[x, y]
          row[x * channels] = Self.sample(color.red)
          row[x * channels + 1] = Self.sample(color.green)
          row[x * channels + 2] = Self.sample(color.blue)
          if hasAlpha { row[x * channels + 3] = Self.sample(color.alpha) }
        }
      }
    }
    return buffer
  }

  /// The picture in 16 bits per channel.
  func deepPixels() throws(CoderError) -> PixelBuffer {
    let buffer = try PixelBuffer(size: size, format: .rgba16, alpha: .opaque)
    for y in 0..<size.height {
      buffer.withMutableSamples(inRow: y, as: UInt16.self) { row in
        for x in 0..<size.width {
          let color = self[x, y]
          for (channel, value) in [color.red, color.green, color.blue, 1].enumerated() {
            row[x * 4 + channel] = UInt16((min(max(value, 0), 1) * 65535).rounded())
          }
        }
      }
    }
    return buffer
  }

  private static func sample(_ value: Float) -> UInt8 { UInt8((min(max(value, 0), 1) * 255).rounded()) }
}
