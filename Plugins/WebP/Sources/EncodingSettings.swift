// SPDX-License-Identifier: Apache-2.0

import CWebP
import ImageCoderPlugin

/// How pictures are encoded: the common wishes and the format's own options, as libwebp's configuration.
struct EncodingSettings {
  /// The ways to encode a picture, of which the smallest is kept: lossy, without loss, or both.
  private(set) var attempts: [WebPConfig] = []

  /// Whether every sample comes back as it was.
  let isLossless: Bool

  /// Whether the smallest file is worth any time.
  let isSmallest: Bool

  /// What holds when no quality is asked for.
  private static let defaultQuality = 0.8
  /// How much effort a VP8L bitstream gets, where libwebp reads its quality as effort: cwebp's default.
  private static let losslessEffort: Float = 75
  /// What cwebp takes where a PSNR is to be reached and no number of passes is given: one pass reaches none.
  private static let searchPasses: Int32 = 6

  private static let presets = [
    WEBP_PRESET_DEFAULT, WEBP_PRESET_PICTURE, WEBP_PRESET_PHOTO, WEBP_PRESET_DRAWING, WEBP_PRESET_ICON,
    WEBP_PRESET_TEXT,
  ]

  /// - Throws: ``CoderError/Code/unsupported`` for wishes that exclude each other.
  init(_ options: WriteOptions) throws(CoderError) {
    func isOn(_ option: EncodingOption) throws(CoderError) -> Bool? {
      try option.value(in: options.values).map { $0 != 0 }
    }
    let quality = min(max(options.quality ?? Self.defaultQuality, 0), 1) * 100
    let preset = Int(try EncodingOption.preset.value(in: options.values) ?? 0)
    var config = WebPConfig()
    guard WebPConfigPreset(&config, Self.presets[preset], Float(quality)) != 0 else {
      throw .library("libwebp refuses preset \(preset) at quality \(quality)")
    }
    // Only what is given: the rest is the preset's.
    for option in EncodingOption.all {
      guard let value = try option.value(in: options.values) else { continue }
      option.apply(&config, Int32(value))
    }
    if let decibels = try EncodingOption.targetPSNR.value(in: options.values), decibels > 0 {
      config.target_PSNR = Float(decibels)
      if options.values["pass"] == nil { config.pass = Self.searchPasses }
    }
    let nearLossless = Int32(try EncodingOption.nearLossless.value(in: options.values) ?? 100)
    let isExact = try isOn(.exact)
    let isMixed = try isOn(.mixed) ?? false
    if options.isLossless {
      let refused =
        nearLossless < 100
        ? "near-lossless of \(nearLossless)" : isExact == false ? "exact of 0" : isMixed ? "mixed" : nil
      if let refused { throw .unsupported("\(refused) in a file that keeps every sample") }
    }
    guard !isMixed || nearLossless == 100 else { throw .unsupported("mixed and near-lossless together") }
    isLossless = options.isLossless
    isSmallest = try isOn(.minSize) ?? false
    // Colours under alpha 0 are samples like any other.
    config.exact = isLossless || isExact == true ? 1 : 0

    var lossless = config
    lossless.lossless = 1
    lossless.near_lossless = nearLossless
    lossless.quality = Self.losslessEffort
    if !isLossless && nearLossless == 100 { attempts.append(config) }
    if isLossless || nearLossless < 100 || isMixed { attempts.append(lossless) }
    for index in attempts.indices {
      guard WebPValidateConfig(&attempts[index]) != 0 else { throw .library("libwebp refuses its own settings") }
    }
  }

  /// Settings with all effort that libwebp has.
  static func smallest(_ config: WebPConfig) -> WebPConfig {
    var config = config
    config.method = 6
    if config.lossless != 0 { config.quality = 100 }
    return config
  }
}
