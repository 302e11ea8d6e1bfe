// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// How pictures are encoded: the common wishes and the format's own options.
struct EncodingSettings {
  /// 0 to 100, as libheif counts.
  let quality: Int32
  /// Whether every sample comes back as it was.
  let isLossless: Bool
  let subsampling: Subsampling
  /// Of lossy pictures.
  let bits: Int
  let preset: String
  /// Longest side of the embedded thumbnail, 0 for none.
  let thumbnail: Int

  /// What holds when no quality is asked for.
  private static let defaultQuality = 0.7
  private static let depths = [8, 10, 12]
  private static let presets = [
    "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow", "placebo",
  ]
  private static let defaultPreset = 6
  private static let maxThumbnail = 1024

  /// The format's own options; the registry's manifest lists the same.
  static let descriptions: [OptionDescription] = [
    OptionDescription(
      name: "bit-depth", text: "bits per channel of lossy pictures", kind: .choice(depths.map { "\($0)" }, default: 0)),
    OptionDescription(
      name: "preset", text: "effort of the encoder: ultrafast to placebo",
      kind: .choice(presets, default: defaultPreset)),
    OptionDescription(
      name: "thumbnail", text: "longest side of an embedded thumbnail, 0 for none",
      kind: .integer(0...maxThumbnail, default: 0)),
  ]

  /// - Throws: ``CoderError/Code/unsupported`` for wishes that exclude each other or that the format cannot meet.
  init(_ options: WriteOptions) throws(CoderError) {
    func integer(_ name: String, in range: ClosedRange<Int>, default value: Int) throws(CoderError) -> Int {
      guard let given = options.values[name] else { return value }
      guard let exact = Int(exactly: given), range.contains(exact) else {
        throw .invalidArgument("\(name) of \(given), \(range.lowerBound) to \(range.upperBound) are allowed")
      }
      return exact
    }
    isLossless = options.isLossless
    bits = Self.depths[try integer("bit-depth", in: 0...(Self.depths.count - 1), default: 0)]
    preset = Self.presets[try integer("preset", in: 0...(Self.presets.count - 1), default: Self.defaultPreset)]
    thumbnail = try integer("thumbnail", in: 0...Self.maxThumbnail, default: 0)
    guard !isLossless || bits == 8 else {
      throw .unsupported("bit-depth of \(bits) in a file that keeps every sample, which is of 8 bits")
    }
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
