// SPDX-License-Identifier: Apache-2.0

import CJXL
import ImageCoderPlugin

/// What the options come to for libjxl.
struct EncodingSettings {
  /// Butteraugli's distance from the original: 0 is none.
  let distance: Double
  let isProgressive: Bool
  let compressesMetadata: Bool
  /// Whether lossy pictures with an ICC profile stay in its colors.
  let keepsProfile: Bool
  /// As of a film of this ISO speed; 0: none.
  let photonNoise: Float
  private let effort: Int
  private let decodingSpeed: Int
  private let storage: JXLOption.Storage

  /// Whether every sample comes back as it was.
  var isLossless: Bool { distance == 0 }

  /// - Throws: ``CoderError/Code/unsupported`` for options that exclude each other.
  init(_ options: WriteOptions) throws(CoderError) {
    effort = options[JXLOption.effort]
    decodingSpeed = options[JXLOption.decodingSpeed]
    storage = options[JXLOption.modular]
    photonNoise = Float(options[JXLOption.photonNoise])
    compressesMetadata = options[JXLOption.compressMetadata]
    keepsProfile = options[JXLOption.keepProfile]
    isProgressive = options[JXLOption.progressive]
    let stated = options[JXLOption.distance]
    if options.isLossless {
      guard stated == 0, photonNoise == 0, storage != .varDCT else {
        throw .unsupported("a distance, noise or VarDCT in a file that keeps every sample")
      }
      distance = 0
    } else {
      distance = stated > 0 ? stated : Self.distance(quality: options[JXLOption.quality])
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
      (JXL_ENC_FRAME_SETTING_EFFORT, Int64(effort)), (JXL_ENC_FRAME_SETTING_DECODING_SPEED, Int64(decodingSpeed)),
    ]
    if storage != .automatic, !isLossless {
      result.append((JXL_ENC_FRAME_SETTING_MODULAR, storage == .modular ? 1 : 0))
    }
    if isProgressive {
      result.append((JXL_ENC_FRAME_SETTING_RESPONSIVE, 1))
      // Both belong to VarDCT.
      if !isLossless, storage != .modular {
        result.append((JXL_ENC_FRAME_SETTING_QPROGRESSIVE_AC, 1))
        result.append((JXL_ENC_FRAME_SETTING_PROGRESSIVE_DC, 1))
      }
    }
    return result
  }
}
