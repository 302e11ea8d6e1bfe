// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import Palettes

/// A picture of at most 256 colors as indexes of one byte.
struct IndexedPicture {
  /// Red, green and blue from the lowest byte on, in the order in which they come.
  private(set) var colors: [UInt32] = []
  private(set) var indexes: [UInt8] = []
  let size: Size

  /// Takes a gray picture.
  init(gray pixels: PixelView) {
    size = pixels.size
    colors = (0..<256).map { $0 | $0 << 8 | $0 << 16 }
    indexes.reserveCapacity(size.pixelCount)
    for y in 0..<size.height {
      indexes += UnsafeRawBufferPointer(start: pixels.base + y &* pixels.stride, count: size.width)
    }
  }

  /// Counts the colors of an opaque picture, or nil when there are more than 256.
  init?(_ pixels: PixelView, host: CoderHost) throws(CoderError) {
    size = pixels.size
    let (bytes, isBGR) = (pixels.layout.format.bytesPerPixel, pixels.layout.format == .bgra8)
    let table = ColorTable()
    indexes.reserveCapacity(size.pixelCount)
    // Neighbors often have the same color.
    var (last, lastNumber): (UInt32?, UInt8) = (nil, 0)
    for y in 0..<size.height {
      if y & 63 == 0, host.isCancelled { throw .cancelled }
      let row = pixels.base + y &* pixels.stride
      for x in 0..<size.width {
        let (first, second, third) = (
          UInt32(row.load(fromByteOffset: x &* bytes, as: UInt8.self)),
          UInt32(row.load(fromByteOffset: x &* bytes &+ 1, as: UInt8.self)),
          UInt32(row.load(fromByteOffset: x &* bytes &+ 2, as: UInt8.self))
        )
        let color = (isBGR ? third | first << 16 : first | third << 16) | second << 8
        if color != last {
          guard let number = table.number(adding: color) else { return nil }
          (last, lastNumber) = (color, number)
        }
        indexes.append(lastNumber)
      }
    }
    colors = table.colors
  }

  /// The runs of a row (MS-WMF 3.1.6.1, RLE8): as absolute bytes where there are three or more without a run of three.
  func runs(ofRow y: Int) -> [UInt8] {
    let row = Array(indexes[y &* size.width..<(y &+ 1) &* size.width])
    var result: [UInt8] = []
    var x = 0
    while x < row.count {
      let length = run(row, x)
      if length >= 3 {
        result += [UInt8(length), row[x]]
        x += length
        continue
      }
      var end = x
      while end < row.count, end - x < 255 {
        let next = run(row, end)
        if next >= 3 { break }
        end = min(end + next, x + 255)
      }
      let count = end - x
      if count < 3 {
        for value in row[x..<end] { result += [1, value] }
      } else {
        result += [0, UInt8(count)] + row[x..<end]
        if count & 1 == 1 { result.append(0) }
      }
      x = end
    }
    return result
  }

  private func run(_ row: [UInt8], _ start: Int) -> Int {
    var end = start + 1
    while end < row.count, end - start < 255, row[end] == row[start] { end += 1 }
    return end - start
  }
}
