// SPDX-License-Identifier: Apache-2.0

import Glibc
public import ImageCoderEngine
public import ImageCoderModel

/// A placeholder in about 25 bytes, with alpha and the shape of the picture: Evan Wallace's ThumbHash.
public enum ThumbHash {
  /// The hash of an upright picture, which is first reduced to at most 100×100 pixels.
  ///
  /// - Throws: ``CoderError/Code/outOfMemory``.
  public static func bytes(of pixels: PixelBuffer) throws(CoderError) -> [UInt8] {
    let small = try pixels.reduced(to: 100)
    let planes = Planes(small.copyBytes(), small.size)
    let (width, height) = (small.size.width, small.size.height)
    let longest = Double(max(width, height))
    let most = planes.hasAlpha ? 5.0 : 7.0
    let across = max(1, rounded(most * Double(width) / longest))
    let down = max(1, rounded(most * Double(height) / longest))
    let luma = Channel(planes.luma, small.size, max(3, across), max(3, down))
    let yellow = Channel(planes.yellowBlue, small.size, 3, 3)
    let red = Channel(planes.redGreen, small.size, 3, 3)

    let isWide = width > height
    let colors =
      rounded(63 * luma.mean) | rounded(31.5 + 31.5 * yellow.mean) << 6 | rounded(31.5 + 31.5 * red.mean) << 12
      | rounded(31 * luma.scale) << 18 | (planes.hasAlpha ? 1 : 0) << 23
    let shape =
      (isWide ? down : across) | rounded(63 * yellow.scale) << 3 | rounded(63 * red.scale) << 9
      | (isWide ? 1 : 0) << 15
    var hash = [colors, colors >> 8, colors >> 16, shape, shape >> 8].map { UInt8(truncatingIfNeeded: $0) }
    var channels = [luma, yellow, red]
    if planes.hasAlpha {
      let alpha = Channel(planes.alpha, small.size, 5, 5)
      hash.append(UInt8(truncatingIfNeeded: rounded(15 * alpha.mean) | rounded(15 * alpha.scale) << 4))
      channels.append(alpha)
    }
    let waves = channels.flatMap(\.waves).map { UInt8(truncatingIfNeeded: rounded(15 * $0)) }
    for index in stride(from: 0, to: waves.count, by: 2) {
      hash.append(waves[index] | (index + 1 < waves.count ? waves[index + 1] << 4 : 0))
    }
    return hash
  }

  /// The nearest integer, half up.
  private static func rounded(_ value: Double) -> Int { Int((value + 0.5).rounded(.down)) }

  /// Colors over their own mean, apart.
  private struct Planes {
    var luma: [Double] = []
    var yellowBlue: [Double] = []
    var redGreen: [Double] = []
    var alpha: [Double] = []
    let hasAlpha: Bool

    init(_ bytes: [UInt8], _ size: Size) {
      var (red, green, blue, sum) = (0.0, 0.0, 0.0, 0.0)
      for i in stride(from: 0, to: bytes.count, by: 4) {
        let alpha = Double(bytes[i + 3]) / 255
        red += alpha / 255 * Double(bytes[i])
        green += alpha / 255 * Double(bytes[i + 1])
        blue += alpha / 255 * Double(bytes[i + 2])
        sum += alpha
      }
      if sum > 0 {
        red /= sum
        green /= sum
        blue /= sum
      }
      hasAlpha = sum < Double(size.pixelCount)
      for i in stride(from: 0, to: bytes.count, by: 4) {
        let alpha = Double(bytes[i + 3]) / 255
        let r = red * (1 - alpha) + alpha / 255 * Double(bytes[i])
        let g = green * (1 - alpha) + alpha / 255 * Double(bytes[i + 1])
        let b = blue * (1 - alpha) + alpha / 255 * Double(bytes[i + 2])
        luma.append((r + g + b) / 3)
        yellowBlue.append((r + g) / 2 - b)
        redGreen.append(r - g)
        self.alpha.append(alpha)
      }
    }
  }

  /// The lowest frequencies of a plane: the mean, and the others from 0 to 1 around ½.
  private struct Channel {
    var mean = 0.0
    var scale = 0.0
    var waves: [Double] = []

    init(_ plane: [Double], _ size: Size, _ across: Int, _ down: Int) {
      let (width, height) = (size.width, size.height)
      for j in 0..<down {
        let rows = (0..<height).map { cos(.pi / Double(height) * Double(j) * (Double($0) + 0.5)) }
        var i = 0
        while i * down < across * (down - j) {
          let columns = (0..<width).map { cos(.pi / Double(width) * Double(i) * (Double($0) + 0.5)) }
          var sum = 0.0
          for y in 0..<height {
            for x in 0..<width { sum += plane[y * width + x] * columns[x] * rows[y] }
          }
          sum /= Double(width * height)
          if i > 0 || j > 0 {
            waves.append(sum)
            scale = max(scale, abs(sum))
          } else {
            mean = sum
          }
          i += 1
        }
      }
      if scale > 0 { for i in waves.indices { waves[i] = 0.5 + 0.5 / scale * waves[i] } }
    }
  }
}
