// SPDX-License-Identifier: Apache-2.0

package import ImageCoders
import Palettes

/// Pictures as sixels: columns of six pixels in each of a few colors.
///
/// - Format: DEC STD 070, Video Systems Reference Manual, ch. 9.
package struct SixelPicture: PicturePainter {
  private let colorLimit: Int

  /// - Parameter registers: The terminal's registers of colors, or nil if it does not say.
  package init(registers: Int?) {
    // All terminals that are in use and do not say have as many.
    colorLimit = min(max(registers ?? ColorTable.maxCount, 2), ColorTable.maxCount)
  }

  package func draw(_ pixels: PixelBuffer) throws(CoderError) -> [UInt8] {
    let width = pixels.size.width
    // Some terminals show no part of a sixel: the last ones are filled with black.
    let height = (pixels.size.height + 5) / 6 * 6
    let picture = try IndexedSixels(pixels, height: height, limit: colorLimit)
    // P2=1: what is not drawn stays. Raster attributes: square pixels, and the size.
    var bytes = Array("\u{1B}P0;1;0q\"1;1;\(width);\(height)".utf8)
    for (number, color) in picture.colors.enumerated() {
      bytes += "#\(number);2;\(percent(color));\(percent(color >> 8));\(percent(color >> 16))".utf8
    }
    for band in 0..<height / 6 {
      if band > 0 { bytes.append(UInt8(ascii: "-")) }
      picture.write(band, to: &bytes)
    }
    return bytes + Array("\u{1B}\\".utf8)
  }

  /// A level as terminals take it.
  private func percent(_ level: UInt32) -> UInt32 { ((level & 0xFF) * 100 + 127) / 255 }
}

/// A picture's pixels as numbers of colors.
private struct IndexedSixels {
  /// Red in the low byte, then green and blue.
  let colors: [UInt32]
  private let width: Int
  private let numbers: [UInt8]

  init(_ pixels: PixelBuffer, height: Int, limit: Int) throws(CoderError) {
    let width = pixels.size.width
    let rows = (0..<height).map { SpreadColors.row($0, of: pixels) }
    self.width = width
    let table = ColorTable()
    var numbers: [UInt8] = []
    numbers.reserveCapacity(width * height)
    for color in rows.joined() {
      guard let number = table.number(adding: color, limit: limit) else { break }
      numbers.append(number)
    }
    if numbers.count == width * height {
      (colors, self.numbers) = (table.colors, numbers)
    } else {
      (colors, self.numbers) = try Self.reduced(rows, width: width, limit: limit)
    }
  }

  /// The best colors for a picture of too many, and the nearest of them, with their errors spread.
  private static func reduced(
    _ rows: [[UInt32]], width: Int, limit: Int
  ) throws(CoderError) -> ([UInt32], [UInt8]) {
    var histogram = try ColorHistogram()
    for row in rows { row.withUnsafeBufferPointer { histogram.add($0.baseAddress.unsafelyUnwrapped, count: width) } }
    let colors = try PaletteMaker.palette(of: histogram.bins(), limit: limit)
    return (colors, try SpreadColors(colors: colors).numbers(rows, width: width))
  }

  /// Writes six rows: for each color that they have, which pixels of each column are of it.
  func write(_ band: Int, to bytes: inout [UInt8]) {
    var columns = [Int](repeating: -1, count: colors.count)
    var bits: [[UInt8]] = []
    var order: [Int] = []
    for row in 0..<6 {
      let start = (band * 6 + row) * width
      for x in 0..<width {
        let number = Int(numbers[start + x])
        if columns[number] < 0 {
          columns[number] = bits.count
          bits.append([UInt8](repeating: 0, count: width))
          order.append(number)
        }
        bits[columns[number]][x] |= 1 << UInt8(row)
      }
    }
    for (position, number) in order.enumerated() {
      // $: back to the left.
      if position > 0 { bytes.append(UInt8(ascii: "$")) }
      bytes += "#\(number)".utf8
      Self.write(bits[columns[number]], to: &bytes)
    }
  }

  /// Writes runs of equal columns; an end without pixels is left out.
  private static func write(_ columns: [UInt8], to bytes: inout [UInt8]) {
    var x = 0
    while x < columns.count {
      var end = x + 1
      while end < columns.count, columns[end] == columns[x] { end += 1 }
      if end == columns.count, columns[x] == 0 { return }
      let sixel = columns[x] + 0x3F
      if end - x > 3 {
        bytes += "!\(end - x)".utf8
        bytes.append(sixel)
      } else {
        for _ in x..<end { bytes.append(sixel) }
      }
      x = end
    }
  }
}
