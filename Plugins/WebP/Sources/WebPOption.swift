// SPDX-License-Identifier: Apache-2.0

import CWebP
import ImageCoderPlugin

/// The writer's options, with libwebp's defaults: manifest, help, validation and documentation come from this table.
enum WebPOption {
  /// Kinds of pictures.
  enum Preset: String, CaseIterable {
    case standard = "default"
    case picture, photo, drawing, icon, text

    var raw: WebPPreset {
      switch self {
      case .standard: WEBP_PRESET_DEFAULT
      case .picture: WEBP_PRESET_PICTURE
      case .photo: WEBP_PRESET_PHOTO
      case .drawing: WEBP_PRESET_DRAWING
      case .icon: WEBP_PRESET_ICON
      case .text: WEBP_PRESET_TEXT
      }
    }
  }

  enum Filter: String, CaseIterable {
    case simple, strong
  }

  static let quality = CoderOption.quality(default: 0.8)
  static let method = CoderOption.integer("method", 0...6, default: 4, "Effort: 0 is fastest, 6 is smallest.")
  static let alphaQuality = CoderOption.integer(
    "alpha-quality", 0...100, default: 100,
    "Quality of the alpha plane of lossy pictures: 0 is smallest, 100 is lossless.")
  static let nearLossless = CoderOption.integer(
    "near-lossless", 0...100, default: 100,
    "Lossless compression of slightly changed pixels: 0 changes most, 100 is off.")
  static let sharpYUV = CoderOption.boolean(
    "sharp-yuv", default: false, "Convert colors slowly, so that edges of lossy pictures stay sharp.")
  static let preset = CoderOption.choice(
    "preset", default: Preset.standard, "The kind of picture that lossy compression is tuned for.")
  static let mixed = CoderOption.boolean(
    "mixed", default: false, "Write each picture lossy or without loss, whichever is smaller.")
  static let minSize = CoderOption.boolean(
    "min-size", default: false,
    "Encode each picture in several ways and keep the smallest, which takes several times as long.")
  static let exact = CoderOption.boolean(
    "exact", default: false, "Keep colors where alpha is 0; lossless writing always does.")
  static let targetPSNR = CoderOption.number(
    "target-psnr", 0...60, default: 0, "Target PSNR in decibels for lossy pictures, instead of a quality; 0 is off.")
  static let pass = CoderOption.integer("pass", 1...10, default: 1, "Analysis passes over lossy pictures.")
  static let preprocessing = CoderOption.integer(
    "preprocessing", 0...7, default: 0, "Bits: 1 smooths segments, 2 dithers, 4 is sharp-yuv.")
  static let segments = CoderOption.integer(
    "segments", 1...4, default: 4, "Parts of a lossy picture that have settings of their own.")
  static let noiseShaping = CoderOption.integer(
    "sns-strength", 0...100, default: 50, "Spatial noise shaping: how much coarser busy parts are than plain ones.")
  static let filterStrength = CoderOption.integer(
    "filter-strength", 0...100, default: 60, "How much decoders smooth block edges; 0 is off.")
  static let filterSharpness = CoderOption.integer(
    "filter-sharpness", 0...7, default: 0, "Sharpness of that filter: 0 is sharpest, 7 is least sharp."
  )
  static let filterType = CoderOption.choice(
    "filter-type", default: Filter.strong, "The kind of that filter: simple is faster to decode.")
  static let autofilter = CoderOption.boolean(
    "autofilter", default: false, "Search the filter's strength for each picture, which takes longer.")
  static let alphaCompression = CoderOption.boolean(
    "alpha-compression", default: true, "Compress the alpha plane of lossy pictures.")
  static let alphaFiltering = CoderOption.integer(
    "alpha-filtering", 0...2, default: 1, "Prediction of the alpha plane: 0 none, 1 fast, 2 best.")
  static let partitions = CoderOption.integer(
    "partitions", 0...3, default: 0, "Parts that lossy data is cut into, as a power of two.")
  static let partitionLimit = CoderOption.integer(
    "partition-limit", 0...100, default: 0, "Loss allowed to keep prediction modes within 512 KiB; 0 is none.")
  static let lowMemory = CoderOption.boolean(
    "low-memory", default: false, "Use less memory for lossy pictures, but take longer.")

  static let table = [
    quality.description, method.description, alphaQuality.description, nearLossless.description, sharpYUV.description,
    preset.description, mixed.description, minSize.description, exact.description, targetPSNR.description,
    pass.description, preprocessing.description, segments.description, noiseShaping.description,
    filterStrength.description, filterSharpness.description, filterType.description, autofilter.description,
    alphaCompression.description, alphaFiltering.description, partitions.description, partitionLimit.description,
    lowMemory.description,
  ]
}

extension WebPConfig {
  /// Puts the options that were given into their fields; the others stay as the preset has them.
  mutating func set(given options: WriteOptions) {
    func set(_ field: inout Int32, _ option: CoderOption<Int>) {
      if let value = options.given(option) { field = Int32(value) }
    }
    func set(_ field: inout Int32, _ option: CoderOption<Bool>) {
      if let value = options.given(option) { field = value ? 1 : 0 }
    }
    set(&method, WebPOption.method)
    set(&alpha_quality, WebPOption.alphaQuality)
    set(&use_sharp_yuv, WebPOption.sharpYUV)
    set(&pass, WebPOption.pass)
    set(&preprocessing, WebPOption.preprocessing)
    set(&segments, WebPOption.segments)
    set(&sns_strength, WebPOption.noiseShaping)
    set(&filter_strength, WebPOption.filterStrength)
    set(&filter_sharpness, WebPOption.filterSharpness)
    if let filter = options.given(WebPOption.filterType) { filter_type = filter == .strong ? 1 : 0 }
    set(&autofilter, WebPOption.autofilter)
    set(&alpha_compression, WebPOption.alphaCompression)
    set(&alpha_filtering, WebPOption.alphaFiltering)
    set(&partitions, WebPOption.partitions)
    set(&partition_limit, WebPOption.partitionLimit)
    set(&low_memory, WebPOption.lowMemory)
  }
}
