// SPDX-License-Identifier: Apache-2.0

import CProcessing
import Glibc
import ImageCoderEngine
import ImageCoderModel

/// A blur of 8 bits per channel: the kernel in whole numbers, columns first, and no picture beside the result.
///
/// Its cost grows with the kernel. At the largest one it is a third of what two recursions take.
struct ByteBlur: Sendable {
  /// 65536ths: of the middle, and of the pixels at each distance on both sides together.
  private let weights: [UInt16]

  /// Standard deviations whose kernels the loops take. Smaller ones change nothing.
  private static let sigmas = 0.2...20.0

  /// - Returns: nil for pictures and deviations that are blurred in another way.
  init?(sigma: Double, of layout: PixelLayout) {
    guard layout.format.bytesPerChannel == 1, Self.sigmas.contains(sigma) else { return nil }
    // Beyond 4 sigma is a hundredth of a level.
    let reach = max(1, Int((4 * sigma).rounded(.up)))
    let shape = (0...reach).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
    let sum = shape[0] + 2 * shape.dropFirst().reduce(0, +)
    var weights = [UInt16](repeating: 0, count: reach + 1)
    // What rounding takes from a weight, the next one nearer to the middle gets.
    var (rest, left) = (0.0, 65_536)
    for distance in (1...reach).reversed() {
      let exact = 2 * shape[distance] / sum * 65_536 + rest
      let whole = exact.rounded()
      weights[distance] = UInt16(whole)
      rest = exact - whole
      left -= Int(whole)
    }
    weights[0] = UInt16(min(left, 65_535))
    self.weights = weights
  }

  func applied(to pixels: PixelBuffer) throws(CoderError) -> PixelBuffer {
    let result = try PixelBuffer(size: pixels.size, format: pixels.format, alpha: pixels.alpha)
    Bands.run(rows: pixels.size.height) { rows in
      guard !rows.isEmpty else { return }
      var picture = processing_picture(
        pixels: UnsafeRawPointer(pixels.base).assumingMemoryBound(to: UInt8.self), stride: pixels.stride,
        width: UInt32(clamping: pixels.size.width), height: UInt32(clamping: pixels.size.height),
        channels: UInt32(pixels.format.channelCount), last: UInt32(PROCESSING_PLAIN))
      if pixels.alpha == .straight { picture.last = UInt32(PROCESSING_STRAIGHT) }
      if pixels.alpha == .opaque, pixels.format.hasAlpha { picture.last = UInt32(PROCESSING_OPAQUE) }
      let reach = UInt32(weights.count - 1)
      let bytes = processing_blur_scratch(&picture, reach)
      withUnsafeTemporaryAllocation(byteCount: bytes, alignment: 16) { scratch in
        processing_blur(
          &picture, weights, reach, UInt32(rows.lowerBound), UInt32(rows.upperBound),
          result.row(rows.lowerBound).assumingMemoryBound(to: UInt8.self), result.stride, scratch.baseAddress)
      }
    }
    return result
  }
}
