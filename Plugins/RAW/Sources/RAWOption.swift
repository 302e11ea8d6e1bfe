// SPDX-License-Identifier: Apache-2.0

import CRAWShim
import Glibc
import ImageCoderPlugin

/// The reader's options.
enum RAWOption {
  enum WhiteBalance: String, CaseIterable, Sendable { case camera, auto, daylight }

  static let exposure = CoderOption.number("exposure", -5...5, default: 0, "How many stops brighter the picture is.")
  static let whiteBalance = CoderOption.choice(
    "white-balance", default: WhiteBalance.camera,
    "What is white: as the camera says, so that the picture's average is gray, or daylight.")

  static let table = [exposure.description, whiteBalance.description]
}

/// How samples become a picture.
struct Development {
  /// One of `CRAW_WHITE_OF_…`.
  let white: UInt32
  /// How many times as bright as LibRaw makes the picture.
  let brightness: Float

  init(_ options: OpenOptions) {
    white =
      switch options[RAWOption.whiteBalance] {
      case .camera: UInt32(CRAW_WHITE_OF_CAMERA)
      case .auto: UInt32(CRAW_WHITE_OF_PICTURE)
      case .daylight: UInt32(CRAW_WHITE_OF_DAYLIGHT)
      }
    brightness = Float(exp2(options[RAWOption.exposure]))
  }
}
