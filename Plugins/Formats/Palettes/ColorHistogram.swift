// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// How often colors occur, in bins of 5, 6 and 5 bits.
///
/// A bin keeps the sum of its colors, so that what is made of it is as exact as the pixels are.
public struct ColorHistogram {
  /// The pixels of one bin: their mean and their number.
  public struct Bin {
    /// Levels of red, green and blue, 0 to 255; the fourth lane is 0.
    public var color: SIMD4<Float>
    /// How many pixels.
    public var weight: Float
  }

  private static let count = 1 << 16
  private var sums: [SIMD4<UInt64>]
  /// Whether some pixel was transparent; those are not counted.
  public internal(set) var hasTransparency = false

  /// A histogram of no pixels.
  ///
  /// - Throws: ``CoderError/Code/outOfMemory``.
  public init() throws(CoderError) {
    try ArrayMemory.check(bytes: Self.count * MemoryLayout<SIMD4<UInt64>>.stride, for: "a histogram")
    sums = [SIMD4<UInt64>](repeating: .zero, count: Self.count)
  }

  /// Counts pixels: red in the low byte, then green and blue; 0 is transparent.
  public mutating func add(_ row: UnsafePointer<UInt32>, count: Int) {
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
  ///
  /// - Throws: ``CoderError/Code/outOfMemory``.
  public func bins() throws(CoderError) -> [Bin] {
    var bins: [Bin] = []
    try ArrayMemory.grow(&bins, by: sums.count(where: { $0.w > 0 }), for: "colors")
    for sum in sums where sum.w > 0 {
      let weight = Float(sum.w)
      bins.append(Bin(color: SIMD4(Float(sum.x), Float(sum.y), Float(sum.z), 0) / weight, weight: weight))
    }
    return bins
  }
}
