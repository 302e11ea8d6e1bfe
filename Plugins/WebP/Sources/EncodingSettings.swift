// SPDX-License-Identifier: Apache-2.0

import CWebP
import ImageCoderPlugin

/// How pictures are encoded: the options as libwebp's configuration.
struct EncodingSettings {
  /// The ways to encode a picture, of which the smallest is kept: lossy, without loss, or both.
  private(set) var attempts: [WebPConfig] = []

  /// Whether every sample comes back as it was.
  let isLossless: Bool

  /// Whether the smallest file is worth any time.
  let isSmallest: Bool

  /// How much effort a VP8L bitstream gets, where libwebp reads its quality as effort: cwebp's default.
  private static let losslessEffort: Float = 75
  /// What cwebp takes where a PSNR is to be reached and no number of passes is given: one pass reaches none.
  private static let searchPasses: Int32 = 6

  /// - Throws: ``CoderError/Code/unsupported`` for options that exclude each other.
  init(_ options: WriteOptions) throws(CoderError) {
    let quality = options[WebPOption.quality] * 100
    let preset = options[WebPOption.preset]
    var config = WebPConfig()
    guard WebPConfigPreset(&config, preset.raw, Float(quality)) != 0 else {
      throw .libraryFailure("libwebp refuses preset \(preset.rawValue) at quality \(quality)")
    }
    config.set(given: options)
    let decibels = options[WebPOption.targetPSNR]
    if decibels > 0 {
      config.target_PSNR = Float(decibels)
      if options.given(WebPOption.pass) == nil { config.pass = Self.searchPasses }
    }
    let nearLossless = options[WebPOption.nearLossless]
    let isExact = options.given(WebPOption.exact)
    let isMixed = options[WebPOption.mixed]
    if options.isLossless {
      let refused =
        nearLossless < 100
        ? "near-lossless of \(nearLossless)" : isExact == false ? "exact of 0" : isMixed ? "mixed" : nil
      if let refused { throw .unsupported("\(refused) in a file that keeps every sample") }
    }
    guard !isMixed || nearLossless == 100 else { throw .unsupported("mixed and near-lossless together") }
    isLossless = options.isLossless
    isSmallest = options[WebPOption.minSize]
    // Colors under alpha 0 are samples like any other.
    config.exact = isLossless || isExact == true ? 1 : 0

    var lossless = config
    lossless.lossless = 1
    lossless.near_lossless = Int32(nearLossless)
    lossless.quality = Self.losslessEffort
    if !isLossless && nearLossless == 100 { attempts.append(config) }
    if isLossless || nearLossless < 100 || isMixed { attempts.append(lossless) }
    for index in attempts.indices {
      guard WebPValidateConfig(&attempts[index]) != 0 else { throw .libraryFailure("libwebp refuses its own settings") }
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
