// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The writer's options: manifest, help, validation and documentation come from this table.
enum HEIFOption {
  enum Depth: String, CaseIterable {
    case automatic = "auto"
    case bits8 = "8"
    case bits10 = "10"
    case bits12 = "12"

    /// Bits per channel, or nil.
    var bits: Int? { Int(rawValue) }
  }

  /// x265's presets.
  enum Preset: String, CaseIterable {
    case ultrafast, superfast, veryfast, faster, fast, medium, slow, slower, veryslow, placebo
  }

  /// What x265 is tuned for.
  enum Tuning: String, CaseIterable {
    case ssim, psnr, grain, fastdecode
  }

  static let quality = WriterOption.quality(default: 0.7)
  static let subsampling = WriterOption.subsampling([.s420, .s422, .s444, .s400], default: .s420)
  static let depth = WriterOption.choice(
    "bit-depth", default: Depth.automatic,
    "Bits per channel; auto takes 8 for 8-bit pictures, 12 for those of 11 and 12 bits, 10 for other deep ones.")
  static let preset = WriterOption.choice(
    "preset", default: Preset.slow, "Effort of the encoder: ultrafast to placebo.")
  static let tune = WriterOption.choice(
    "tune", default: Tuning.ssim,
    "What lossy compression is tuned for: a quality metric, film grain, or fast decoding.")

  static let table = [
    quality.description, subsampling.description, depth.description, preset.description, tune.description,
  ]
}
