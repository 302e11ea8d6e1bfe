// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

extension PixelBuffer {
  /// A blurred copy, for pictures with only coarse passes so far.
  ///
  /// Three box filters over a square of `2 × radius + 1` pixels approximate a Gaussian filter. Color is filtered
  /// premultiplied by alpha; beyond the border, the outermost pixels are repeated.
  ///
  /// - Parameter radius: Pixels; 0 gives a copy.
  /// - Complexity: O(pixels), whatever the radius.
  public func blurred(radius: Int, pool: PixelPool? = nil) throws(CoderError) -> PixelBuffer {
    guard radius > 0 else { return try copy(pool: pool) }
    let work = PixelLayout(.rgba8, alpha == .opaque ? .opaque : .premultiplied)
    var pixels = try converted(to: work, pool: pool)
    if pixels.base == base { pixels = try pixels.copy(pool: pool) }
    let other = try PixelBuffer(size: size, format: work.format, alpha: work.alpha, pool: pool)
    let (width, height) = (size.width, size.height)
    for _ in 0..<3 {
      for y in 0..<height {
        BoxFilter.mean(pixels.row(y), step: 4, count: width, radius: radius, into: other.row(y))
      }
      for x in 0..<width {
        BoxFilter.mean(
          other.base + 4 * x, step: other.stride, count: height, radius: radius, into: pixels.base + 4 * x,
          stepInto: pixels.stride)
      }
    }
    return try pixels.converted(to: PixelLayout(format, alpha), pool: pool)
  }
}

/// The mean of a window that slides over a line of RGBA pixels.
private enum BoxFilter {
  /// - Parameters:
  ///   - step: Bytes from one pixel of the line to the next.
  ///   - count: Pixels, at least 1.
  static func mean(
    _ source: UnsafeMutableRawPointer, step: Int, count: Int, radius: Int, into target: UnsafeMutableRawPointer,
    stepInto: Int = 4
  ) {
    let side = Int32(truncatingIfNeeded: 2 &* radius &+ 1)
    let last = count &- 1
    var sum = SIMD4<Int32>(repeating: 0)
    func pixel(_ index: Int) -> SIMD4<Int32> {
      let place = min(max(index, 0), last) &* step
      return SIMD4<Int32>(truncatingIfNeeded: source.loadUnaligned(fromByteOffset: place, as: SIMD4<UInt8>.self))
    }
    for index in -radius...radius { sum &+= pixel(index) }
    for index in 0..<count {
      let mean = (sum &+ side / 2) / side
      target.storeBytes(
        of: SIMD4<UInt8>(truncatingIfNeeded: mean), toByteOffset: index &* stepInto, as: SIMD4<UInt8>.self)
      sum &+= pixel(index &+ radius &+ 1) &- pixel(index &- radius)
    }
  }
}
