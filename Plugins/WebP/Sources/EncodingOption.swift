// SPDX-License-Identifier: Apache-2.0

import CWebP
import ImageCoderPlugin

/// One of the format's own options, and what it changes of libwebp's configuration.
struct EncodingOption: Sendable {
  let description: OptionDescription

  /// Puts a value of the described range into a configuration; nothing where ``EncodingSettings`` looks at it itself.
  let apply: @Sendable (inout WebPConfig, Int32) -> Void

  private init(
    _ name: String, _ text: String, _ kind: OptionDescription.Kind,
    apply: @escaping @Sendable (inout WebPConfig, Int32) -> Void = { _, _ in }
  ) {
    description = OptionDescription(name: name, text: text, kind: kind)
    self.apply = apply
  }

  /// A value that was given, checked again: what is outside of its range, libwebp would refuse without a reason.
  func value(in values: [String: Double]) throws(CoderError) -> Double? {
    guard let given = values[description.name] else { return nil }
    let (range, isWhole): (ClosedRange<Double>, Bool) =
      switch description.kind {
      case .boolean: (0...1, true)
      case .integer(let range, _): (Double(range.lowerBound)...Double(range.upperBound), true)
      case .number(let range, _): (range, false)
      case .choice(let words, _): (0...Double(words.count - 1), true)
      }
    guard range.contains(given), !isWhole || given.rounded() == given else {
      throw .invalidArgument(
        "\(description.name) of \(given), \(range.lowerBound) to \(range.upperBound) are allowed")
    }
    return given
  }

  // MARK: The options, in libwebp's defaults; the registry's manifest lists the same

  static let preset = EncodingOption(
    "preset", "kind of picture that lossy compression is tuned for",
    .choice(["default", "picture", "photo", "drawing", "icon", "text"], default: 0))
  static let nearLossless = EncodingOption(
    "near-lossless", "lossless compression of slightly changed pixels: 0 changes most, 100 is off",
    .integer(0...100, default: 100))
  static let exact = EncodingOption(
    "exact", "colours under alpha 0 are kept; lossless writing always does", .boolean(default: false))
  static let mixed = EncodingOption(
    "mixed", "each picture lossy or without loss, whichever is smaller", .boolean(default: false))
  static let minSize = EncodingOption(
    "min-size", "each picture in several ways, of which the smallest is kept: it takes several times as long",
    .boolean(default: false))
  static let targetPSNR = EncodingOption(
    "target-psnr", "decibels that lossy pictures are to reach, in place of a quality: 0 is off",
    .number(0...60, default: 0))

  static let all: [EncodingOption] = [
    EncodingOption("method", "effort: 0 is fastest, 6 is smallest", .integer(0...6, default: 4)) { $0.method = $1 },
    EncodingOption(
      "alpha-quality", "quality of the alpha plane of lossy pictures: 0 is smallest, 100 is lossless",
      .integer(0...100, default: 100)
    ) { $0.alpha_quality = $1 },
    nearLossless,
    EncodingOption(
      "sharp-yuv", "slower colour conversion that keeps edges of lossy pictures sharp", .boolean(default: false)
    ) { $0.use_sharp_yuv = $1 },
    preset, mixed, minSize, exact, targetPSNR,
    EncodingOption("pass", "analysis passes over lossy pictures", .integer(1...10, default: 1)) { $0.pass = $1 },
    EncodingOption(
      "preprocessing", "bits: 1 smooths segments, 2 dithers, 4 is sharp-yuv", .integer(0...7, default: 0)
    ) { $0.preprocessing = $1 },
    EncodingOption(
      "segments", "parts of a lossy picture that have settings of their own", .integer(1...4, default: 4)
    ) { $0.segments = $1 },
    EncodingOption(
      "sns-strength", "spatial noise shaping: how much coarser busy parts are than plain ones",
      .integer(0...100, default: 50)
    ) { $0.sns_strength = $1 },
    EncodingOption(
      "filter-strength", "how much decoders smooth block edges: 0 is off", .integer(0...100, default: 60)
    ) { $0.filter_strength = $1 },
    EncodingOption(
      "filter-sharpness", "how little of an edge that filter changes: 0 is sharpest, 7 is least sharp",
      .integer(0...7, default: 0)
    ) { $0.filter_sharpness = $1 },
    EncodingOption(
      "filter-type", "which filter that is: simple is faster to decode", .choice(["simple", "strong"], default: 1)
    ) { $0.filter_type = $1 },
    EncodingOption(
      "autofilter", "the filter's strength is searched for each picture: it takes longer", .boolean(default: false)
    ) { $0.autofilter = $1 },
    EncodingOption(
      "alpha-compression", "the alpha plane of lossy pictures is compressed", .boolean(default: true)
    ) { $0.alpha_compression = $1 },
    EncodingOption(
      "alpha-filtering", "prediction of the alpha plane: 0 none, 1 fast, 2 best", .integer(0...2, default: 1)
    ) { $0.alpha_filtering = $1 },
    EncodingOption(
      "partitions", "parts that lossy data is cut into, as a power of two", .integer(0...3, default: 0)
    ) { $0.partitions = $1 },
    EncodingOption(
      "partition-limit", "loss allowed to keep prediction modes within 512 KiB: 0 is none",
      .integer(0...100, default: 0)
    ) { $0.partition_limit = $1 },
    EncodingOption(
      "low-memory", "less memory for lossy pictures, in more time", .boolean(default: false)
    ) { $0.low_memory = $1 },
  ]
}
