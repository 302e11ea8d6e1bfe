// SPDX-License-Identifier: Apache-2.0

import CRAWShim
import Glibc
import ImageCoderPlugin

/// The reader's options.
enum RAWOption {
  enum WhiteBalance: String, CaseIterable, Sendable { case camera, auto, daylight }
  enum Output: String, CaseIterable, Sendable { case srgb, linear }

  static let exposure = CoderOption.number("exposure", -5...5, default: 0, "How many stops brighter the picture is.")
  static let whiteBalance = CoderOption.choice(
    "white-balance", default: WhiteBalance.camera,
    "What is white: as the camera says, so that the picture's average is gray, or daylight.")

  static let output = CoderOption.choice(
    "output", default: Output.srgb,
    "Samples of 16 bits: with the curve of sRGB, and brightness stretched, or light as it is.")

  static let table = [exposure.description, whiteBalance.description, output.description]
}

/// How samples become a picture.
struct Development {
  /// One of `CRAW_WHITE_OF_…`.
  let white: UInt32
  /// How many times as bright as LibRaw makes the picture.
  let brightness: Float
  /// What the samples say of light.
  let output: RAWOption.Output

  init(_ options: OpenOptions) {
    white =
      switch options[RAWOption.whiteBalance] {
      case .camera: UInt32(CRAW_WHITE_OF_CAMERA)
      case .auto: UInt32(CRAW_WHITE_OF_PICTURE)
      case .daylight: UInt32(CRAW_WHITE_OF_DAYLIGHT)
      }
    brightness = Float(exp2(options[RAWOption.exposure]))
    output = options[RAWOption.output]
  }
  /// H.273: the primaries of sRGB; its curve, or none; RGB has the matrix 0.
  var signal: CodingIndependentCodePoints {
    CodingIndependentCodePoints(primaries: 1, transfer: output == .linear ? 8 : 13, matrix: 0, isFullRange: true)
  }

  /// Exif's ColorSpace: sRGB, or none that it knows.
  var exifColorSpace: Int { output == .linear ? 0xFFFF : 1 }
}
