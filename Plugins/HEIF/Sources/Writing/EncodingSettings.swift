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

  /// What holds when no quality is asked for.
  private static let defaultQuality = 0.7
  private static let depths = ["auto", "8", "10", "12"]
  private static let presets = [
    "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow", "placebo",
  ]
  private static let defaultPreset = 6
  private static let tunes = ["ssim", "psnr", "grain", "fastdecode"]

  /// The format's own options; the registry's manifest lists the same.
  static let descriptions: [OptionDescription] = [
    OptionDescription(
      name: "bit-depth",
      text: "bits per channel; auto takes 8 for 8-bit pictures, 12 for those of 11 and 12 bits, 10 for other deep ones",
      kind: .choice(depths, default: 0)),
    OptionDescription(
      name: "preset", text: "effort of the encoder: ultrafast to placebo",
      kind: .choice(presets, default: defaultPreset)),
    OptionDescription(
      name: "tune", text: "what lossy compression is tuned for: a measure of likeness, film grain, or fast decoding",
      kind: .choice(tunes, default: 0)),
  ]

  /// - Throws: ``CoderError/Code/unsupported`` for options that exclude each other or that the format cannot follow.
  init(_ options: WriteOptions) throws(CoderError) {
    func integer(_ name: String, in range: ClosedRange<Int>, default value: Int) throws(CoderError) -> Int {
      guard let given = options.values[name] else { return value }
      guard let exact = Int(exactly: given), range.contains(exact) else {
        throw .invalidArgument("\(name) of \(given), \(range.lowerBound) to \(range.upperBound) are allowed")
      }
      return exact
    }
    isLossless = options.isLossless
    let depthIndex = try integer("bit-depth", in: 0...(Self.depths.count - 1), default: 0)
    depth = depthIndex == 0 ? nil : 6 + 2 * depthIndex
    preset = Self.presets[try integer("preset", in: 0...(Self.presets.count - 1), default: Self.defaultPreset)]
    tune = Self.tunes[try integer("tune", in: 0...(Self.tunes.count - 1), default: 0)]
    let wanted = options.subsampling
    switch wanted {
    case nil, .s420?, .s422?, .s444?, .s400?: break
    case .some(let other): throw .unsupported("subsampling \(other), and HEVC has 4:2:0, 4:2:2, 4:4:4 and 4:0:0")
    }
    guard !isLossless || wanted == nil || wanted == .s444 || wanted == .s400 else {
      throw .unsupported("subsampling in a file that keeps every sample")
    }
    subsampling = wanted ?? (isLossless ? .s444 : .s420)
    quality = Int32((min(max(options.quality ?? Self.defaultQuality, 0), 1) * 100).rounded())
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
