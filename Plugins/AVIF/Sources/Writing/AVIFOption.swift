// SPDX-License-Identifier: Apache-2.0

import CodedPictures
import ImageCoderPlugin

/// The writer's options: manifest, help, validation and documentation come from this table.
enum AVIFOption {
  enum Tuning: String, CaseIterable {
    case ssim, psnr
  }

  /// SVT-AV1 is none of them: it starts threads, prints, has 4:2:0 alone, and ends the process on alpha of 10 bits.
  enum Codec: String, CaseIterable {
    case automatic = "auto"
    case aom, rav1e
  }

  enum Content: String, CaseIterable {
    case automatic = "auto"
    case picture, screen
  }

  enum SampleRange: String, CaseIterable {
    case full, limited
  }

  static let quality = CoderOption.quality(default: 0.75)
  static let subsampling = CoderOption.chroma()
  static let speed = CoderOption.integer("speed", 0...10, default: 6, "Effort: 0 is smallest, 10 is fastest.")
  static let depth = CoderOption.bitDepth()
  static let alphaQuality = CoderOption.integer(
    "alpha-quality", 0...100, default: 100, "Quality of the alpha plane: 0 is smallest, 100 is lossless.")
  static let tune = CoderOption.choice(
    "tune", default: Tuning.ssim, "Quality metric that lossy compression is tuned for.")
  static let codec = CoderOption.choice(
    "codec", default: Codec.automatic,
    "AV1 encoder, where libavif has it; auto is aom, the only one that keeps every sample.")
  static let content = CoderOption.choice(
    "content", default: Content.automatic,
    "What the picture shows: aom compresses screens by other tools; auto finds out.")
  static let range = CoderOption.choice(
    "range", default: SampleRange.full, "Value range of samples: full, or limited as in television.")
  static let keyFrameInterval = CoderOption.integer(
    "keyframe-interval", 0...1000, default: 0,
    "Maximum number of frames between key frames; 0 leaves it to the encoder.")

  static let table = [
    quality.description, subsampling.description, speed.description, depth.description, alphaQuality.description,
    tune.description, content.description, codec.description, range.description, keyFrameInterval.description,
  ]
}
