// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What a player's canvas holds while an animation is written: the colors as they were stored.
///
/// - Lifetime: Takes memory of the host, and gives it back at the end of its life.
final class ShownCanvas {
  private let host: CoderHost
  private let size: Size
  private let pixels: UnsafeMutablePointer<UInt32>

  /// - Throws: ``CoderError/Code/outOfMemory``.
  init(size: Size, host: CoderHost) throws(CoderError) {
    self.host = host
    self.size = size
    let (bytes, overflow) = size.pixelCount.multipliedReportingOverflow(by: 4)
    guard !overflow else { throw .outOfMemory(bytes: size.pixelCount, for: "the canvas") }
    pixels = try host.allocate(bytes: bytes, for: "the canvas").bindMemory(to: UInt32.self, capacity: size.pixelCount)
    pixels.initialize(repeating: 0, count: size.pixelCount)
  }

  deinit { host.free(pixels) }

  /// Row `y` of a rectangle.
  func row(_ y: Int, of rect: Rect) -> UnsafeMutablePointer<UInt32> {
    pixels + (rect.y + y) * size.width + rect.x
  }

  /// Draws a frame and disposes of it again.
  ///
  /// - Parameters:
  ///   - indexes: All of the rectangle, row by row.
  ///   - colors: What indexes stand for, 0 for the transparent one.
  ///   - order: Where each row stands among the indexes, when not from top to bottom.
  func draw(
    _ indexes: UnsafePointer<UInt8>, _ rect: Rect, colors: [UInt32], order: [Int]?, disposal: FrameHeader.Disposal
  ) {
    switch disposal {
    case .keep:
      for y in 0..<rect.height {
        let (target, source) = (row(y, of: rect), indexes + (order?[y] ?? y) * rect.width)
        for x in 0..<rect.width {
          let color = colors[Int(source[x])]
          if color != 0 { target[x] = color }
        }
      }
    case .restoreBackground:
      for y in 0..<rect.height { row(y, of: rect).update(repeating: 0, count: rect.width) }
    case .restorePrevious: break
    }
  }
}
