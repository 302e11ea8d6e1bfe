// SPDX-License-Identifier: Apache-2.0

import ImageCoders

extension TextPicture {
  /// Which quarters of a character are in its color, the first bit for the one at the upper left, then to the right and down.
  private static let quarters = [" ", "▘", "▝", "▀", "▖", "▌", "▞", "▛"].map { Array($0.utf8) }

  /// The lines of a picture of which a character shows 2×4 pixels: four quarters in two colors, those with which the quarters
  /// differ least from what they are.
  static func quadrants(_ pixels: PixelBuffer) -> [UInt8] {
    let (width, height) = (pixels.size.width, pixels.size.height)
    var text: [UInt8] = []
    text.reserveCapacity(pixels.size.pixelCount * 6)
    for top in stride(from: 0, to: height, by: 4) {
      let rows = (top..<top + 4).map { SpreadColors.row($0, of: pixels) }
      var last: [SIMD3<Int32>] = []
      for left in stride(from: 0, to: width, by: 2) {
        let parts = (0..<4).map { part in
          let (x, y) = (left + part % 2, part / 2 * 2)
          return x < width ? (channels(rows[y][x]) &+ channels(rows[y + 1][x])) / 2 : .zero
        }
        let (number, colors) = split(parts)
        if colors != last { text += TextProtocol.quadrants.rendition(color(colors[0]), color(colors[1])).utf8 }
        last = colors
        text += quarters[number]
      }
      text += Array("\u{1B}[0m\n".utf8)
    }
    return text
  }

  /// The best of all divisions in two. The lower right quarter is always in the color of the background.
  private static func split(_ parts: [SIMD3<Int32>]) -> (number: Int, colors: [SIMD3<Int32>]) {
    var best: (error: Int, number: Int, colors: [SIMD3<Int32>]) = (.max, 0, [])
    for number in 0..<8 {
      var sums: [SIMD3<Int32>] = [.zero, .zero]
      var counts: [Int32] = [0, 0]
      for part in 0..<4 {
        let side = number >> part & 1 == 1 ? 0 : 1
        sums[side] &+= parts[part]
        counts[side] += 1
      }
      let colors = [counts[0] == 0 ? sums[1] / counts[1] : sums[0] / counts[0], sums[1] / counts[1]]
      let error = (0..<4).reduce(0) { sum, part in
        let difference = parts[part] &- colors[number >> part & 1 == 1 ? 0 : 1]
        return sum + Int((difference &* difference).wrappedSum())
      }
      if error < best.error { best = (error, number, colors) }
    }
    return (best.number, best.colors)
  }

  private static func channels(_ color: UInt32) -> SIMD3<Int32> {
    [Int32(color & 0xFF), Int32(color >> 8 & 0xFF), Int32(color >> 16 & 0xFF)]
  }

  private static func color(_ channels: SIMD3<Int32>) -> UInt32 {
    0xFF00_0000 | UInt32(channels.z) << 16 | UInt32(channels.y) << 8 | UInt32(channels.x)
  }
}
