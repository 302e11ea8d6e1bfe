// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

extension PixelBuffer {
  /// The picture in a few pixels of 8 bits, for what only its large shapes count.
  func reduced(to side: Int) throws(CoderError) -> PixelBuffer {
    let small = try resampled(to: size.fitted(in: Size(width: side, height: side)))
    return try small.converted(to: PixelLayout(.rgba8, small.alpha == .opaque ? .opaque : .straight))
  }

  /// The luma of each pixel from 0 to 255, over a gray.
  func luma(over backdrop: Float = 1) throws(CoderError) -> [Float] {
    let count = size.width
    let converter = RowConverter(from: layout, to: layout.working)
    var result = [Float](repeating: 0, count: size.pixelCount)
    withUnsafeTemporaryAllocation(of: SIMD4<Float>.self, capacity: count) { row in
      guard let row = row.baseAddress else { return }
      for y in 0..<size.height {
        converter.convert(self.row(y), into: row, count: count)
        for x in 0..<count {
          let pixel = row[x]
          result[y * count + x] =
            255 * (0.299 * pixel.x + 0.587 * pixel.y + 0.114 * pixel.z + backdrop * (1 - pixel.w))
        }
      }
    }
    return result
  }
}
