// SPDX-License-Identifier: Apache-2.0

import CJXL
import ImageCoderPlugin

/// How pictures are encoded: the common wishes and the format's own options.
struct EncodingSettings {
  /// Butteraugli's distance from the original: 0 is none.
  let distance: Double
  let isProgressive: Bool
  let effort: Int64
  /// -1: libjxl chooses, 0: VarDCT, 1: modular.
  let modular: Int64
  /// As of a film of this ISO speed; 0: none.
  let photonNoise: Float
  let decodingSpeed: Int64
  let compressesMetadata: Bool
  /// Whether lossy pictures with an ICC profile stay in its colours.
  let keepsProfile: Bool

  /// Whether every sample comes back as it was.
  var isLossless: Bool { distance == 0 }

  /// What holds when no quality is asked for: libjxl's own, at which a viewer sees no difference.
  private static let defaultDistance = 1.0

  /// The format's own options; the registry's manifest lists the same.
  static let descriptions: [OptionDescription] = [
    OptionDescription(
      name: "effort", text: "effort: 1 is fastest, 9 is smallest", kind: .integer(1...9, default: 7)),
    OptionDescription(
      name: "distance",
      text: "Butteraugli distance of lossy pictures in place of a quality: 1 is no visible loss, 0 is off",
      kind: .number(0...25, default: 0)),
    OptionDescription(
      name: "modular", text: "how pixels are stored: libjxl's choice, as a transform, or as samples",
      kind: .choice(["auto", "vardct", "modular"], default: 0)),
    OptionDescription(
      name: "photon-noise", text: "film grain of this ISO speed, made by the decoder: 0 is none",
      kind: .integer(0...6400, default: 0)),
    OptionDescription(
      name: "decoding-speed", text: "how much size may be given for faster decoding: 0 is none, 4 is most",
      kind: .integer(0...4, default: 0)),
    OptionDescription(
      name: "compress-metadata", text: "Exif and XMP are compressed with Brotli", kind: .boolean(default: false)),
    OptionDescription(
      name: "keep-profile",
      text: "lossy pictures keep their ICC profile byte for byte; without it they are smaller, in XYB",
      kind: .boolean(default: true)),
  ]

  /// - Throws: ``CoderError/Code/unsupported`` for wishes that exclude each other.
  init(_ options: WriteOptions) throws(CoderError) {
    func integer(_ name: String, in range: ClosedRange<Int>, default value: Int) throws(CoderError) -> Int64 {
      guard let given = options.values[name] else { return Int64(value) }
      guard let exact = Int(exactly: given), range.contains(exact) else {
        throw .invalidArgument("\(name) of \(given), \(range.lowerBound) to \(range.upperBound) are allowed")
      }
      return Int64(exact)
    }
    let stated = options.values["distance"] ?? 0
    guard (0...25).contains(stated) else { throw .invalidArgument("distance of \(stated), 0 to 25 are allowed") }
    effort = try integer("effort", in: 1...9, default: 7)
    modular = try integer("modular", in: 0...2, default: 0) - 1
    photonNoise = Float(try integer("photon-noise", in: 0...6400, default: 0))
    decodingSpeed = try integer("decoding-speed", in: 0...4, default: 0)
    compressesMetadata = try integer("compress-metadata", in: 0...1, default: 0) == 1
    keepsProfile = try integer("keep-profile", in: 0...1, default: 1) == 1
    isProgressive = options.isProgressive
    if options.isLossless {
      guard stated == 0, photonNoise == 0, modular != 0 else {
        throw .unsupported("a distance, noise or VarDCT in a file that keeps every sample")
      }
      distance = 0
    } else if stated > 0 {
      distance = stated
    } else {
      distance = options.quality.map(Self.distance) ?? Self.defaultDistance
    }
  }

  /// The distance of a quality from 0 to 1: that of cjxl, 0.1 + 9 × (1 - q) down to q = 0.3, and below it the curve of
  /// libjxl 0.9 and later, which meets it there and ends at 25. Quality 1 is lossless.
  static func distance(quality: Double) -> Double {
    let percent = min(max(quality, 0), 1) * 100
    if percent >= 100 { return 0 }
    if percent >= 30 { return 0.1 + (100 - percent) * 0.09 }
    return 53.0 / 3000 * percent * percent - 23.0 / 20 * percent + 25
  }

  /// What is to be set for each frame, in order.
  var frameSettings: [(JxlEncoderFrameSettingId, Int64)] {
    var result: [(JxlEncoderFrameSettingId, Int64)] = [
      (JXL_ENC_FRAME_SETTING_EFFORT, effort), (JXL_ENC_FRAME_SETTING_DECODING_SPEED, decodingSpeed),
    ]
    if modular >= 0, !isLossless { result.append((JXL_ENC_FRAME_SETTING_MODULAR, modular)) }
    if isProgressive {
      result.append((JXL_ENC_FRAME_SETTING_RESPONSIVE, 1))
      // Both belong to VarDCT.
      if !isLossless, modular != 1 {
        result.append((JXL_ENC_FRAME_SETTING_QPROGRESSIVE_AC, 1))
        result.append((JXL_ENC_FRAME_SETTING_PROGRESSIVE_DC, 1))
      }
    }
    return result
  }
}
