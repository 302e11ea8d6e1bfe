// SPDX-License-Identifier: Apache-2.0

import ImageAnimation
import ImageCoderEngine
import ImageCoderModel

/// Animations that tests make: a bright square wanders over a picture, so that each frame changes a part of it.
enum MadeAnimation {
  static func gif(frames: Int, side: Int, delay: FrameDelay = .milliseconds(50)) throws -> [UInt8] {
    try gif(frames: frames, size: Size(width: side, height: side), delay: delay)
  }

  static func gif(frames: Int, size: Size, delay: FrameDelay = .milliseconds(50)) throws -> [UInt8] {
    try AnimatedImageTests.registry.encode(Image(frames: try pictures(frames, size, delay)), as: .gif)
  }

  private static func pictures(_ count: Int, _ size: Size, _ delay: FrameDelay) throws -> [Frame] {
    let (width, side) = (size.width, size.height)
    let square = max(1, side / 8)
    return try (0..<count).map { index in
      var samples = [UInt8](repeating: 0, count: width * side * 4)
      let (left, top) = (index * 7 % (width - square), index * 3 % (side - square))
      for y in 0..<side {
        for x in 0..<width {
          let isSquare = x >= left && x < left + square && y >= top && y < top + square
          let value = isSquare ? UInt8(255 - index % 100) : UInt8(y * 32 / side)
          let place = (y * width + x) * 4
          samples.replaceSubrange(place..<place + 4, with: [value, value / 2, UInt8(x * 16 / width), 255])
        }
      }
      return Frame(pixels: try PixelBuffer(copying: samples, size: size, format: .rgba8), delay: delay)
    }
  }
}
