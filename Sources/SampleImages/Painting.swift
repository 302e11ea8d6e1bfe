// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// A colour with straight alpha; samples from 0 to 1 as sRGB encodes them.
struct Colour {
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

  static let clear = Colour(0, 0, 0, alpha: 0)

  func mixed(_ other: Colour, _ t: Float) -> Colour {
    Colour(
      mix(red, other.red, t), mix(green, other.green, t), mix(blue, other.blue, t), alpha: mix(alpha, other.alpha, t))
  }

  func scaled(_ factor: Float) -> Colour { Colour(red * factor, green * factor, blue * factor, alpha: alpha) }

  func adding(_ other: Colour, _ factor: Float) -> Colour {
    Colour(red + other.red * factor, green + other.green * factor, blue + other.blue * factor, alpha: alpha)
  }

  /// This colour laid over another one.
  func over(_ below: Colour) -> Colour {
    let rest = below.alpha * (1 - alpha)
    let sum = alpha + rest
    guard sum > 0 else { return .clear }
    func channel(_ a: Float, _ b: Float) -> Float { (a * alpha + b * rest) / sum }
    return Colour(channel(red, below.red), channel(green, below.green), channel(blue, below.blue), alpha: sum)
  }
}

/// A picture that is drawn in floating point and turned into pixels at the end.
struct Painting {
  let size: Size
  private var pixels: [Colour]

  init(_ size: Size, background: Colour = .clear) {
    self.size = size
    pixels = Array(repeating: background, count: size.width * size.height)
  }

  /// Computes every pixel from its place.
  init(_ size: Size, _ colour: (_ x: Int, _ y: Int) -> Colour) {
    self.size = size
    pixels = []
    pixels.reserveCapacity(size.width * size.height)
    for y in 0..<size.height { for x in 0..<size.width { pixels.append(colour(x, y)) } }
  }

  subscript(x: Int, y: Int) -> Colour {
    get { pixels[y * size.width + x] }
    set { pixels[y * size.width + x] = newValue }
  }

  /// Lays a colour over a rectangle, as far as it is on the picture.
  mutating func fill(_ x: Int, _ y: Int, _ width: Int, _ height: Int, _ colour: Colour) {
    for row in max(0, y)..<max(max(0, y), min(size.height, y + height)) {
      for column in max(0, x)..<max(max(0, x), min(size.width, x + width)) {
        self[column, row] = colour.over(self[column, row])
      }
    }
  }

  /// Lays a shape over the picture: `coverage` says how much of a pixel it covers, 0 to 1, and in which colour.
  mutating func draw(in box: Rect, _ coverage: (_ x: Float, _ y: Float) -> (Float, Colour)) {
    for y in max(0, box.y)..<max(max(0, box.y), min(size.height, box.y + box.height)) {
      for x in max(0, box.x)..<max(max(0, box.x), min(size.width, box.x + box.width)) {
        var (amount, colour) = coverage(Float(x) + 0.5, Float(y) + 0.5)
        guard amount > 0 else { continue }
        colour.alpha *= min(amount, 1)
        self[x, y] = colour.over(self[x, y])
      }
    }
  }

  /// Draws a disc whose edge is `softness` pixels wide.
  mutating func disc(_ x: Float, _ y: Float, radius: Float, softness: Float = 1, _ colour: Colour) {
    let reach = Int(radius + softness) + 2
    draw(in: Rect(x: Int(x) - reach, y: Int(y) - reach, width: 2 * reach, height: 2 * reach)) { px, py in
      let distance = ((px - x) * (px - x) + (py - y) * (py - y)).squareRoot()
      return (min(max((radius + softness / 2 - distance) / softness, 0), 1), colour)
    }
  }
}

extension Painting {
  /// The picture in 8 bits per channel.
  ///
  /// - Parameter hasAlpha: Whether alpha is kept; the picture is taken for opaque otherwise.
  func pixels(hasAlpha: Bool) throws(CoderError) -> PixelBuffer {
    let buffer = try PixelBuffer(size: size, format: hasAlpha ? .rgba8 : .rgb8, alpha: .straight)
    let channels = hasAlpha ? 4 : 3
    for y in 0..<size.height {
      let row = buffer.row(y).assumingMemoryBound(to: UInt8.self)
      for x in 0..<size.width {
        let colour = self[x, y]
        row[x * channels] = Self.sample(colour.red)
        row[x * channels + 1] = Self.sample(colour.green)
        row[x * channels + 2] = Self.sample(colour.blue)
        if hasAlpha { row[x * channels + 3] = Self.sample(colour.alpha) }
      }
    }
    return buffer
  }

  /// The picture in 16 bits per channel.
  func deepPixels() throws(CoderError) -> PixelBuffer {
    let buffer = try PixelBuffer(size: size, format: .rgba16, alpha: .opaque)
    for y in 0..<size.height {
      let row = buffer.row(y).assumingMemoryBound(to: UInt16.self)
      for x in 0..<size.width {
        let colour = self[x, y]
        for (channel, value) in [colour.red, colour.green, colour.blue, 1].enumerated() {
          row[x * 4 + channel] = UInt16((min(max(value, 0), 1) * 65535).rounded())
        }
      }
    }
    return buffer
  }

  private static func sample(_ value: Float) -> UInt8 { UInt8((min(max(value, 0), 1) * 255).rounded()) }
}
