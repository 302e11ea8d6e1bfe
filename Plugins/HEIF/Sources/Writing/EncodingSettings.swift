// SPDX-License-Identifier: Apache-2.0

import CodedPictures
import ImageCoderPlugin

/// How pictures are encoded: the common options and the format's own options.
struct EncodingSettings {
  /// x265's constant rate factor, from 0, the best, to 50.
  let rateFactor: Int
  /// What is added to the quantizer of chroma, which makes quarters of a step of the rate factor: x265 rounds that.
  let chromaOffset: Int
  /// Whether every sample comes back as it was.
  let isLossless: Bool
  let subsampling: Subsampling
  /// Bits per channel that were asked for, or nil.
  let depth: Int?
  let preset: String
  /// What x265 is tuned for.
  let tune: String
  let groups: PageGroups

  /// - Throws: ``CoderError/Code/unsupported`` for options that exclude each other.
  init(_ options: WriteOptions) throws(CoderError) {
    isLossless = options.isLossless
    depth = options[HEIFOption.depth].bits
    preset = options[HEIFOption.preset].rawValue
    tune = options[HEIFOption.tune].rawValue
    groups = try PageGroups(options[HEIFOption.groups])
    subsampling = try options.chroma(HEIFOption.subsampling)
    (rateFactor, chromaOffset) = Self.steps(of: options[HEIFOption.quality])
  }

  /// Between two rate factors, chroma is made better in steps of the coarser one, and at last worse in one of the finer.
  private static func steps(of quality: Double) -> (rateFactor: Int, chromaOffset: Int) {
    let quarters = Int(((1 - min(max(quality, 0), 1)) * 200).rounded())
    let (whole, rest) = quarters.quotientAndRemainder(dividingBy: 4)
    switch rest {
    case 0: return (whole, 0)
    case 1: return (whole, 1)
    default: return (whole + 1, rest - 4)
    }
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
