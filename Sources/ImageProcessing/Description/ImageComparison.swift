// SPDX-License-Identifier: Apache-2.0

import Glibc
public import ImageCoderEngine
public import ImageCoderModel

/// How much two pictures of the same size differ.
public struct ImageComparison: Sendable, Hashable {
  /// The largest difference of a sample, 0 to 1.
  public let maximum: Double
  /// The mean of the differences, 0 to 1.
  public let mean: Double
  /// The peak signal-to-noise ratio of all samples in decibels; infinite if they are equal.
  public let psnr: Double
  /// The mean structural similarity of luma, 1 if equal (Wang et al. 2004: a Gaussian window of 11×11, sigma 1.5, K₁ 0.01,
  /// K₂ 0.03; windows that lie inside the picture). Of pictures with alpha, the lower one of over white and over black.
  /// A picture smaller than the window counts as one window.
  public let ssim: Double
  /// (1 - ``ssim``) ÷ 2.
  public var dssim: Double { (1 - ssim) / 2 }
  /// Pixels with any difference.
  public let differingPixels: Int

  /// Compares two upright pictures. Layouts may differ: samples are compared as numbers from 0 to 1, color multiplied by
  /// alpha, and alpha as a fourth sample if either picture has it.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for pictures of different sizes; ``CoderError/Code/outOfMemory``.
  public init(_ first: PixelBuffer, _ second: PixelBuffer) throws(CoderError) {
    guard first.size == second.size else {
      throw .invalidArgument(
        "the pictures are \(first.size) and \(second.size); only those of one size can be compared")
    }
    let hasAlpha = first.alpha != .opaque || second.alpha != .opaque
    let sums = SampleSums(first, second)
    let channels = hasAlpha ? 4.0 : 3.0
    let count = Double(first.size.pixelCount) * channels
    maximum = sums.maximum
    mean = sums.absolute / count
    let square = sums.square / count
    psnr = square > 0 ? -10 * log10(square) : .infinity
    differingPixels = sums.differing
    var similarity = StructuralSimilarity.mean(try first.luma(), try second.luma(), first.size)
    if hasAlpha {
      let dark = StructuralSimilarity.mean(try first.luma(over: 0), try second.luma(over: 0), first.size)
      similarity = min(similarity, dark)
    }
    ssim = similarity
  }

  /// The difference of two upright pictures as an opaque picture of 8 bits: black where they are equal.
  ///
  /// - Parameter amplification: What differences are multiplied by, above 0.
  /// - Throws: As ``init(_:_:)``.
  public static func picture(
    of first: PixelBuffer, _ second: PixelBuffer, amplification: Double = 1
  ) throws(CoderError) -> PixelBuffer {
    guard first.size == second.size else {
      throw .invalidArgument(
        "the pictures are \(first.size) and \(second.size); only those of one size can be compared")
    }
    try ImageOperation.check(amplification, in: 0.001...1_000_000, "an amplification")
    let (width, factor) = (first.size.width, Float(amplification))
    let reader = RowConverter(from: second.layout, to: second.layout.working)
    return try first.converted(to: first.layout.working).mappingRows(to: PixelLayout(.rgb8, .opaque)) { row, y in
      withUnsafeTemporaryAllocation(of: SIMD4<Float>.self, capacity: width) { other in
        guard let other = other.baseAddress else { return }
        reader.convert(second.row(y), into: other, count: width)
        for x in 0..<width {
          var difference = row[x] - other[x]
          difference.replace(with: -difference, where: difference .< 0)
          // What differs in alpha alone is seen too.
          difference = pointwiseMax(difference, SIMD4(repeating: difference.w)) * factor
          difference.w = 1
          row[x] = difference.clamped(lowerBound: .zero, upperBound: .one)
        }
      }
    }
  }
}

/// Sums over the differences of samples.
private struct SampleSums {
  var maximum = 0.0
  var absolute = 0.0
  var square = 0.0
  var differing = 0

  init(_ first: PixelBuffer, _ second: PixelBuffer) {
    let width = first.size.width
    let (a, b) = (
      RowConverter(from: first.layout, to: first.layout.working),
      RowConverter(from: second.layout, to: second.layout.working)
    )
    withUnsafeTemporaryAllocation(of: SIMD4<Float>.self, capacity: 2 * width) { buffer in
      guard let row = buffer.baseAddress else { return }
      let other = row + width
      for y in 0..<first.size.height {
        a.convert(first.row(y), into: row, count: width)
        b.convert(second.row(y), into: other, count: width)
        // Sums of a row are small enough for single floats to add up; rows are added in double.
        var (sum, squares, most) = (SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero)
        for x in 0..<width {
          var difference = row[x] - other[x]
          difference.replace(with: -difference, where: difference .< 0)
          sum += difference
          squares += difference * difference
          most = pointwiseMax(most, difference)
          if any(difference .> 1e-6) { differing += 1 }
        }
        absolute += Double(sum.sum())
        square += Double(squares.sum())
        maximum = max(maximum, Double(most.max()))
      }
    }
  }
}
