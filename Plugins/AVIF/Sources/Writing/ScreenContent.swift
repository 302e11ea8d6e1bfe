// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Tells pictures of screens, which AV1 has tools of its own for, from photographs and drawings: most of their blocks that
/// are not of one color have text or lines on one, with contrast.
enum ScreenContent {
  private static let side = 16
  /// One of so many blocks in both directions is what is examined.
  private static let spacing = 2
  /// How far a channel of the text is from that of the color that it is on.
  private static let contrast = 64

  private enum Block {
    case plain, text, other
  }

  /// Whether a picture is one. Pictures of more than 8 bits are none, and those without a whole block.
  static func isFound(in pixels: PixelView) -> Bool {
    let format = pixels.layout.format
    guard format.bytesPerChannel == 1 else { return false }
    var (text, other, plain) = (0, 0, 0)
    let step = side * spacing
    for top in stride(from: 0, through: pixels.size.height - side, by: step) {
      for left in stride(from: 0, through: pixels.size.width - side, by: step) {
        let base = pixels.base + top * pixels.stride + left * format.bytesPerPixel
        switch block(base, stride: pixels.stride, bytes: format.bytesPerPixel) {
        case .plain: plain += 1
        case .text: text += 1
        case .other: other += 1
        }
      }
    }
    return text > other && text * 16 >= text + other + plain
  }

  private static func color(_ pixel: UnsafeRawPointer, _ bytes: Int) -> UInt32 {
    var color: UInt32 = 0
    for channel in 0..<bytes { color = color << 8 | UInt32(pixel.load(fromByteOffset: channel, as: UInt8.self)) }
    return color
  }

  private static func block(_ base: UnsafeRawPointer, stride: Int, bytes: Int) -> Block {
    // A color that half of the pixels have is what is left when pairs of different ones are taken away.
    var (main, votes): (UInt32, Int) = (0, 0)
    for y in 0..<side {
      for x in 0..<side {
        let color = color(base + y * stride + x * bytes, bytes)
        if votes == 0 { main = color }
        votes += color == main ? 1 : -1
      }
    }
    var (count, farthest) = (0, 0)
    for y in 0..<side {
      for x in 0..<side {
        let color = color(base + y * stride + x * bytes, bytes)
        if color == main {
          count += 1
          continue
        }
        for shift in Swift.stride(from: UInt32(0), to: UInt32(bytes * 8), by: 8) {
          farthest = max(farthest, abs(Int(color >> shift & 0xFF) - Int(main >> shift & 0xFF)))
        }
      }
    }
    if count == side * side { return .plain }
    return 2 * count >= side * side && farthest >= contrast ? .text : .other
  }
}
