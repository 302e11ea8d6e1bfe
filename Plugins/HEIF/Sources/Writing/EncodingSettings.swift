// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// How pictures are encoded: the common options and the format's own options.
struct EncodingSettings {
  /// 0 to 100, as libheif counts.
  let quality: Int32
  /// Whether every sample comes back as it was.
  let isLossless: Bool
  let subsampling: Subsampling
  /// Bits per channel that were asked for, or nil.
  let depth: Int?
  let preset: String
  /// What x265 is tuned for.
  let tune: String

  /// - Throws: ``CoderError/Code/unsupported`` for options that exclude each other.
  init(_ options: WriteOptions) throws(CoderError) {
    isLossless = options.isLossless
    depth = options[HEIFOption.depth].bits
    preset = options[HEIFOption.preset].rawValue
    tune = options[HEIFOption.tune].rawValue
    let wanted = options.given(HEIFOption.subsampling)
    guard !isLossless || wanted == nil || wanted == .s444 || wanted == .s400 else {
      throw .unsupported("subsampling in a file that keeps every sample")
    }
    subsampling = wanted ?? (isLossless ? .s444 : .s420)
    quality = Int32((options[HEIFOption.quality] * 100).rounded())
  }

  /// The bits per channel under which a picture is stored.
  ///
  /// - Parameters:
  ///   - stated: What samples of 16 bits are said to hold.
  ///   - isThumbnail: Whether it may lose samples of a lossless file.
  /// - Throws: ``CoderError/Code/unsupported`` for samples that lossless compression cannot keep.
  func bits(of pixels: PixelView, stated: Int, isThumbnail: Bool) throws(CoderError) -> Int {
    guard pixels.layout.format.bytesPerChannel == 2 else {
      guard !isLossless || depth ?? 8 == 8 else {
        throw .unsupported("bit-depth of \(depth ?? 8) for 8-bit samples that are to stay as they are")
      }
      return depth ?? 8
    }
    let nearest = depth ?? (stated == 11 || stated == 12 ? 12 : 10)
    guard isLossless, !isThumbnail else { return nearest }
    for bits in [nearest, 22 - nearest] where depth ?? bits == bits {
      if pixels.holdsSamples(ofBits: bits) { return bits }
    }
    throw .unsupported("lossless samples of 16 bits, and HEVC holds \(depth ?? 12) here")
  }

  /// The code points under which a picture is stored.
  ///
  /// - Parameter stated: Those of the picture, if any.
  func points(for stated: CodingIndependentCodePoints?, hasProfile: Bool) -> CodingIndependentCodePoints {
    var points =
      stated
      ?? CodingIndependentCodePoints(
        primaries: hasProfile ? 2 : 1, transfer: hasProfile ? 2 : 13, matrix: 6, isFullRange: true)
    if isLossless {
      // H.273 §8.3: green, blue and red as they are.
      points.matrix = 0
      points.isFullRange = true
    } else if ![1, 4, 5, 6, 7, 9].contains(points.matrix) {
      // Points of a picture of RGB: luma by the primaries.
      points.matrix = points.primaries == 9 ? 9 : 6
      points.isFullRange = true
    }
    return points
  }
}
