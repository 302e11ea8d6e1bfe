// SPDX-License-Identifier: Apache-2.0

import CodedPictures
import ImageCoderPlugin

/// The writer's options: manifest, help, validation and documentation come from this table.
enum HEIFOption {
  /// x265's presets.
  enum Preset: String, CaseIterable {
    case ultrafast, superfast, veryfast, faster, fast, medium, slow, slower, veryslow, placebo
  }

  /// What x265 is tuned for.
  enum Tuning: String, CaseIterable {
    case ssim, psnr, grain, fastdecode
  }

  static let quality = CoderOption.quality(default: 0.7)
  static let subsampling = CoderOption.chroma()
  static let depth = CoderOption.bitDepth()
  static let preset = CoderOption.choice(
    "preset", default: Preset.slow, "Effort of the encoder: ultrafast to placebo.")
  static let tune = CoderOption.choice(
    "tune", default: Tuning.ssim,
    "What lossy compression is tuned for: a quality metric, film grain, or fast decoding.")

  static let groups = CoderOption.text(
    "groups", maximumBytes: 1024, default: "",
    "Pages that belong together, such as \"stereo 1 2, burst 3-8\": the left picture of a stereo pair comes first.")

  static let table = [
    quality.description, subsampling.description, depth.description, preset.description, tune.description,
    groups.description,
  ]
}
