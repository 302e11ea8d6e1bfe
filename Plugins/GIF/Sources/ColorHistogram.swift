// SPDX-License-Identifier: Apache-2.0

/// How often colors occur, in bins of 5, 6 and 5 bits.
///
/// A bin keeps the sum of its colors, so that what is made of it is as exact as the pixels are.
struct ColorHistogram {
  /// The pixels of one bin: their mean and their number.
  struct Bin {
    var color: SIMD4<Float>
    var weight: Float
  }

  private var sums = [SIMD4<UInt64>](repeating: .zero, count: 1 << 16)
  /// Whether some pixel was transparent; those are not counted.
  private(set) var hasTransparency = false

  /// Counts pixels.
  mutating func add(_ row: UnsafePointer<UInt32>, count: Int) {
    sums.withUnsafeMutableBufferPointer { sums in
      for x in 0..<count {
        let pixel = row[x]
        guard pixel != 0 else {
          hasTransparency = true
          continue
        }
        let (red, green, blue) = (pixel >> 3 & 0x1F, pixel >> 5 & 0x7E0, pixel >> 8 & 0xF800)
        let bin = Int(red | green | blue)
        sums[bin] &+= SIMD4(
          UInt64(pixel & 0xFF), UInt64(pixel >> 8 & 0xFF), UInt64(pixel >> 16 & 0xFF), 1)
      }
    }
  }

  /// The bins that have pixels.
  var bins: [Bin] {
    sums.compactMap { sum in
      guard sum.w > 0 else { return nil }
      let weight = Float(sum.w)
      return Bin(color: SIMD4(Float(sum.x), Float(sum.y), Float(sum.z), 0) / weight, weight: weight)
    }
  }
}
