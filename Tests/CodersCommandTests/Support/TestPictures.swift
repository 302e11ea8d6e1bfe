// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders
import TestSupport

/// Pictures that the command reads in tests, drawn by arithmetic: the same on every run.
enum TestPictures {
  /// Flat areas and dots as small as text, in seven colors: 720×420, opaque.
  static func window() throws(CoderError) -> PixelBuffer {
    let paper: (UInt8, UInt8, UInt8) = (33, 37, 43)
    let inks: [(UInt8, UInt8, UInt8)] = [(198, 120, 221), (97, 175, 239), (152, 195, 121), (229, 192, 123)]
    var random = SplitMix(seed: 1)
    let dots = (0..<(360 * 210)).map { _ in random.below(3) == 0 }
    return try picture(Size(width: 720, height: 420), .rgb8) { x, y in
      if y < 34 { return (44, 49, 58, 255) }
      if x < 170 { return (27, 30, 36, 255) }
      let (line, column) = (y / 28, x / 60)
      let isText = y % 28 >= 8 && y % 28 < 20 && x >= 200 && column + line * 5 % 7 < 9
      let (red, green, blue) = isText && dots[y / 2 * 360 + x / 2] ? inks[(line + column) % inks.count] : paper
      return (red, green, blue, 255)
    }
  }

  /// Discs whose alpha falls off slowly, over transparent corners: 480×360, straight alpha.
  static func shapes() throws(CoderError) -> PixelBuffer {
    try picture(Size(width: 480, height: 360), .rgba8) { x, y in
      let distances = [(185, 145), (295, 145), (240, 235)].map { center in
        (x - center.0) * (x - center.0) + (y - center.1) * (y - center.1)
      }
      let alpha = distances.map { max(0, 255 - $0 / 40) }
      return (
        UInt8(60 + alpha[0] * 3 / 4), UInt8(40 + alpha[1] * 3 / 4), UInt8(50 + alpha[2] * 3 / 4),
        UInt8(alpha.max() ?? 0)
      )
    }
  }

  /// A disc that moves around another one, over transparency: 30 frames of 200×200, 1/20 s each.
  static func comet() throws(CoderError) -> Image {
    var frames: [Frame] = []
    for index in 0..<30 {
      frames.append(Frame(pixels: try cometFrame(index), delay: .milliseconds(50)))
    }
    return Image(frames: frames)
  }

  static func cometFrame(_ index: Int) throws(CoderError) -> PixelBuffer {
    let angle = Double(index) / 30 * 2 * .pi
    let (left, top) = (Int(100 + 76 * cos(angle)), Int(100 + 52 * sin(angle)))
    return try picture(Size(width: 200, height: 200), .rgba8) { x, y in
      let near = 255 - ((x - left) * (x - left) + (y - top) * (y - top)) * 255 / 400
      if near > 0 { return (140, 220, UInt8(near), UInt8(near)) }
      let middle = 255 - ((x - 100) * (x - 100) + (y - 100) * (y - 100)) * 255 / 900
      return middle > 0 ? (255, UInt8(100 + middle / 2), 60, UInt8(middle)) : (0, 0, 0, 0)
    }
  }

  /// Slow gradients with grain, as a photograph has them: 600×400, opaque.
  static func landscape() throws(CoderError) -> PixelBuffer {
    var random = SplitMix(seed: 7)
    return try picture(Size(width: 600, height: 400), .rgb8) { x, y in
      let (grain, light) = (Int(random.below(12)), (x * 90 / 600) + (y * 100 / 400))
      let isLand = y > 200 + x % 200 / 4
      return (
        UInt8(isLand ? 30 + light / 3 + grain : 50 + light + grain), UInt8(40 + light / 2 + grain),
        UInt8(200 - light + grain), 255
      )
    }
  }

  /// Gradients whose steps are smaller than those of 8 bits: 512×320, 16 bits per channel, opaque.
  static func gradient() throws(CoderError) -> PixelBuffer {
    let buffer = try PixelBuffer(size: Size(width: 512, height: 320), format: .rgba16, alpha: .opaque)
    for y in 0..<320 {
      let row = buffer.row(y).assumingMemoryBound(to: UInt16.self)
      for x in 0..<512 {
        (row[4 * x], row[4 * x + 1]) = (UInt16(x * 37 + y * 11), UInt16(x * 5 + y * 29))
        (row[4 * x + 2], row[4 * x + 3]) = (UInt16(9000 + x * y / 3), 65535)
      }
    }
    return buffer
  }

  private static func picture(
    _ size: Size, _ format: PixelFormat,
    _ color: (_ x: Int, _ y: Int) -> (red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8)
  ) throws(CoderError) -> PixelBuffer {
    let buffer = try PixelBuffer(size: size, format: format, alpha: .straight)
    let channels = format.channelCount
    for y in 0..<size.height {
      let row = buffer.row(y).assumingMemoryBound(to: UInt8.self)
      for x in 0..<size.width {
        let (red, green, blue, alpha) = color(x, y)
        (row[x * channels], row[x * channels + 1], row[x * channels + 2]) = (red, green, blue)
        if channels == 4 { row[x * channels + 3] = alpha }
      }
    }
    return buffer
  }
}
