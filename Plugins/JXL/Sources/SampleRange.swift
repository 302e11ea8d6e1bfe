// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The floating-point samples that libjxl can be given for a lossy picture.
///
/// libjxl 0.7 stops the process when the light that a sample stands for is not finite, or more than some 10^5 times
/// white.
struct SampleRange {
  /// The largest value of a sample without its sign.
  private let largest: Float

  /// - Parameter transfer: ITU-T H.273's number. PQ has a pole at 1.99, HLG is exponential, and the others are linear or
  ///   powers of up to 2.6.
  init(transfer: UInt8) {
    largest =
      switch transfer {
      case 16: 1.5
      case 18: 16
      case 8: 65_504
      default: 64
      }
  }

  /// - Throws: ``CoderError/Code/unsupported`` for the first row with a sample outside.
  func check(_ pixels: PixelView) throws(CoderError) {
    let format = pixels.layout.format
    guard format.isFloat else { return }
    let count = pixels.size.width &* format.channelCount
    for y in 0..<pixels.size.height {
      let row = pixels.base + y &* pixels.stride
      let isInside =
        format == .rgbaFloat16
        ? holds(row.assumingMemoryBound(to: Float16.self), count, Float16(largest))
        : holds(row.assumingMemoryBound(to: Float.self), count, largest)
      guard isInside else {
        throw .unsupported("samples in row \(y) that are no numbers, or over \(largest), in a lossy picture")
      }
    }
  }

  @inline(__always)
  private func holds<Sample: BinaryFloatingPoint>(
    _ samples: UnsafePointer<Sample>, _ count: Int, _ largest: Sample
  ) -> Bool {
    var isInside = true
    // What is no number compares as false.
    for index in 0..<count { isInside = isInside && samples[index].magnitude <= largest }
    return isInside
  }
}
