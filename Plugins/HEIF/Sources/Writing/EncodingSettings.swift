// SPDX-License-Identifier: Apache-2.0

import CodedPictures
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
    subsampling = try options.chroma(HEIFOption.subsampling)
    quality = Int32((options[HEIFOption.quality] * 100).rounded())
  }

  /// The bits per channel under which a picture is stored.
  ///
  /// - Parameters:
  ///   - stated: What samples of 16 bits are said to hold.
  ///   - fixed: The depth of the frames before it, or nil.
  ///   - isThumbnail: Whether it may lose samples of a lossless file.
  /// - Throws: ``CoderError/Code/unsupported`` for samples that lossless compression cannot keep.
  func bits(of pixels: PixelView, stated: Int, fixed: Int?, isThumbnail: Bool) throws(CoderError) -> Int {
    let bits = try pixels.bitsToStore(
      requested: depth, stated: stated, fixed: fixed, isLossless: isLossless, mayRound: isThumbnail)
    guard let bits else {
      throw .unsupported("lossless samples of 16 bits, and HEVC holds \(fixed ?? depth ?? 12) here")
    }
    return bits
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
