// SPDX-License-Identifier: Apache-2.0

import CWebP
import ImageCoderPlugin

/// How pictures are encoded: the common wishes and the format's own options, as libwebp's configuration.
struct EncodingSettings {
  let config: WebPConfig

  /// Whether every sample comes back as it was.
  let isLossless: Bool

  /// What holds when no quality is asked for.
  private static let defaultQuality = 0.8
  /// How much effort a VP8L bitstream gets, where libwebp reads its quality as effort: cwebp's default.
  private static let losslessEffort: Float = 75

  private static let presets = [
    WEBP_PRESET_DEFAULT, WEBP_PRESET_PICTURE, WEBP_PRESET_PHOTO, WEBP_PRESET_DRAWING, WEBP_PRESET_ICON,
    WEBP_PRESET_TEXT,
  ]

  /// The format's own options; the registry's manifest lists the same.
  static let descriptions: [OptionDescription] = [
    OptionDescription(
      name: "method", text: "effort: 0 is fastest, 6 is smallest", kind: .integer(0...6, default: 4)),
    OptionDescription(
      name: "alpha-quality", text: "quality of the alpha plane of lossy pictures: 0 is smallest, 100 is lossless",
      kind: .integer(0...100, default: 100)),
    OptionDescription(
      name: "near-lossless", text: "lossless compression of slightly changed pixels: 0 changes most, 100 is off",
      kind: .integer(0...100, default: 100)),
    OptionDescription(
      name: "sharp-yuv", text: "slower colour conversion that keeps edges of lossy pictures sharp",
      kind: .boolean(default: false)),
    OptionDescription(
      name: "preset", text: "kind of picture that lossy compression is tuned for",
      kind: .choice(["default", "picture", "photo", "drawing", "icon", "text"], default: 0)),
  ]

  /// - Throws: ``CoderError/Code/unsupported`` for wishes that exclude each other.
  init(_ options: WriteOptions) throws(CoderError) {
    func integer(_ name: String, in range: ClosedRange<Int>, default value: Int) throws(CoderError) -> Int32 {
      guard let given = options.values[name] else { return Int32(value) }
      guard let exact = Int(exactly: given), range.contains(exact) else {
        throw .invalidArgument("\(name) of \(given), \(range.lowerBound) to \(range.upperBound) are allowed")
      }
      return Int32(exact)
    }
    let nearLossless = try integer("near-lossless", in: 0...100, default: 100)
    guard !options.isLossless || nearLossless == 100 else {
      throw .unsupported("near-lossless of \(nearLossless) in a file that keeps every sample")
    }
    let preset = Int(try integer("preset", in: 0...(Self.presets.count - 1), default: 0))
    let quality = min(max(options.quality ?? Self.defaultQuality, 0), 1) * 100
    var config = WebPConfig()
    guard WebPConfigPreset(&config, Self.presets[preset], Float(quality)) != 0 else {
      throw .library("libwebp refuses preset \(preset) at quality \(quality)")
    }
    config.method = try integer("method", in: 0...6, default: 4)
    config.alpha_quality = try integer("alpha-quality", in: 0...100, default: 100)
    config.use_sharp_yuv = try integer("sharp-yuv", in: 0...1, default: 0)
    if options.isLossless || nearLossless < 100 {
      config.lossless = 1
      config.near_lossless = nearLossless
      config.quality = Self.losslessEffort
      // Colours under alpha 0 are samples like any other.
      config.exact = options.isLossless ? 1 : 0
    }
    guard WebPValidateConfig(&config) != 0 else { throw .library("libwebp refuses its own preset \(preset)") }
    self.config = config
    isLossless = options.isLossless
  }
}
