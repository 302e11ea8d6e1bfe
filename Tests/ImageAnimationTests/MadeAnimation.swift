// SPDX-License-Identifier: Apache-2.0

import ImageAnimation
import ImageCoderEngine
import ImageCoderModel

/// Animations that tests make: a bright square wanders over a picture, so that each frame changes a part of it.
enum MadeAnimation {
  static func gif(frames: Int, side: Int, delay: FrameDelay = .milliseconds(50)) throws -> [UInt8] {
    try AnimatedImageTests.registry.encode(Image(frames: try pictures(frames, side, delay)), as: .gif)
  }

  static func pictures(_ count: Int, _ side: Int, _ delay: FrameDelay) throws -> [Frame] {
    let square = max(1, side / 8)
    return try (0..<count).map { index in
      var samples = [UInt8](repeating: 0, count: side * side * 4)
      let (left, top) = (index * 7 % (side - square), index * 3 % (side - square))
      for y in 0..<side {
        for x in 0..<side {
          let isSquare = x >= left && x < left + square && y >= top && y < top + square
          let value = isSquare ? UInt8(255 - index % 100) : UInt8(y * 32 / side)
          let place = (y * side + x) * 4
          samples.replaceSubrange(place..<place + 4, with: [value, value / 2, UInt8(x * 16 / side), 255])
        }
      }
      return Frame(
        pixels: try PixelBuffer(copying: samples, size: Size(width: side, height: side), format: .rgba8), delay: delay)
    }
  }
}
