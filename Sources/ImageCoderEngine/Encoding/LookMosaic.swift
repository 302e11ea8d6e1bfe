// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// Nine tiles of a large picture put together: at the same quality, it scores nearly as the whole does, in a part of the
/// time. Each tile is encoded as it stands, so that what is measured is pooled over all of them.
enum LookMosaic {
  private static let tile = 256
  private static let tiles = 3
  /// A search of the whole takes about three files, and one that begins with parts two: these have to be far smaller.
  private static let leastPixels = 8 * tiles * tiles * tile * tile
  /// Tiles begin at whole blocks of chroma.
  private static let step = 16

  /// - Returns: Nil for a picture that is small, or narrow.
  static func made(of pixels: PixelBuffer) throws(CoderError) -> PixelBuffer? {
    let side = tile * tiles
    guard pixels.size.pixelCount >= leastPixels, min(pixels.size.width, pixels.size.height) >= side else { return nil }
    let mosaic = try PixelBuffer(size: Size(width: side, height: side), format: pixels.format, alpha: pixels.alpha)
    let bytes = pixels.format.bytesPerPixel
    func start(_ index: Int, _ length: Int) -> Int {
      (length - tile) * index / (tiles - 1) / step * step
    }
    for row in 0..<tiles {
      for column in 0..<tiles {
        let (x, y) = (start(column, pixels.size.width), start(row, pixels.size.height))
        for line in 0..<tile {
          let to = mosaic.row(row * tile + line) + column * tile * bytes
          to.copyMemory(from: pixels.row(y + line) + x * bytes, byteCount: tile * bytes)
        }
      }
    }
    return mosaic
  }

  /// Whether of some thousand pixels few have a color of their own. Noise makes nearly all colors of a photograph different.
  static func isGraphic(_ pixels: PixelBuffer) throws(CoderError) -> Bool {
    guard pixels.format.bytesPerChannel == 1 else { return false }
    let (most, bytes) = (128, pixels.format.bytesPerPixel)
    let (across, down) = (max(1, pixels.size.width / most), max(1, pixels.size.height / most))
    var (colors, count) = (Set<UInt32>(), 0)
    for y in stride(from: 0, to: pixels.size.height, by: down) {
      let row = UnsafeRawPointer(pixels.row(y))
      for x in stride(from: 0, to: pixels.size.width, by: across) {
        var color: UInt32 = 0
        for channel in 0..<bytes {
          color = color << 8 | UInt32(row.load(fromByteOffset: x * bytes + channel, as: UInt8.self))
        }
        colors.insert(color)
        count += 1
      }
    }
    return colors.count * 8 < count
  }
}
