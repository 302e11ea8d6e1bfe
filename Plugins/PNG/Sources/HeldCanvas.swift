// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What an animation shows after its frames so far, of frames that are held: as indexes of a palette, or as colors. One
/// value stands for what is transparent, and no pixel is anything between.
///
/// - Lifetime: Takes memory of the host, and gives it back at the end of its life.
final class HeldCanvas<Pixel: FixedWidthInteger & BitwiseCopyable> {
  private let size: Size
  private let hole: Pixel
  private let pixels: UnsafeMutablePointer<Pixel>
  private let host: CoderHost

  /// A transparent canvas.
  ///
  /// - Throws: ``CoderError/Code/outOfMemory``.
  init(_ size: Size, hole: Pixel, host: CoderHost) throws(CoderError) {
    self.size = size
    self.hole = hole
    self.host = host
    pixels = try Self.allocate(size.pixelCount, host)
    pixels.initialize(repeating: hole, count: size.pixelCount)
  }

  deinit { host.free(pixels) }

  private static func allocate(_ count: Int, _ host: CoderHost) throws(CoderError) -> UnsafeMutablePointer<Pixel> {
    try host.allocate(bytes: MemoryLayout<Pixel>.stride * count, for: "the canvas").bindMemory(
      to: Pixel.self, capacity: count)
  }

  /// Gives the holes of a frame what is below them.
  func fill(_ frame: UnsafeMutablePointer<Pixel>, _ rect: Rect) {
    forEachRow(of: rect) { behind, y in
      let row = frame + y * rect.width
      for x in 0..<rect.width where row[x] == hole { row[x] = behind[x] }
    }
  }

  /// A frame whose holes have what is below them, in memory of the host; nil if it has none, or still has some.
  func filled(_ frame: UnsafePointer<Pixel>, _ rect: Rect) throws(CoderError) -> UnsafeMutablePointer<Pixel>? {
    let count = rect.size.pixelCount
    guard UnsafeBufferPointer(start: frame, count: count).contains(hole) else { return nil }
    let filled = try Self.allocate(count, host)
    filled.initialize(from: frame, count: count)
    fill(filled, rect)
    guard UnsafeBufferPointer(start: filled, count: count).contains(hole) else { return filled }
    host.free(filled)
    return nil
  }

  /// Draws a frame, and disposes of it again.
  func draw(_ frame: UnsafePointer<Pixel>, _ header: FrameHeader) {
    guard header.disposal != .restorePrevious else { return }
    let isOver = header.blend == .over
    forEachRow(of: header.rect) { behind, y in
      let row = frame + y * header.rect.width
      if header.disposal == .restoreBackground {
        behind.update(repeating: hole, count: header.rect.width)
      } else if isOver {
        for x in 0..<header.rect.width where row[x] != hole { behind[x] = row[x] }
      } else {
        behind.update(from: row, count: header.rect.width)
      }
    }
  }

  /// The pixel at a place of a rectangle.
  func pixel(_ rect: Rect, x: Int, y: Int) -> Pixel { pixels[(rect.y + y) * size.width + rect.x + x] }

  private func forEachRow(of rect: Rect, _ body: (_ behind: UnsafeMutablePointer<Pixel>, _ y: Int) -> Void) {
    for y in 0..<rect.height { body(pixels + (rect.y + y) * size.width + rect.x, y) }
  }
}
