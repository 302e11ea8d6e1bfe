// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The writer's options: manifest, help, validation and documentation come from this table.
enum JXLOption {
  /// How pixels are stored.
  enum Storage: String, CaseIterable {
    case automatic = "auto"
    case varDCT = "vardct"
    case modular
  }

  /// 0.9 is libjxl's own default, a Butteraugli distance of 1.
  static let quality = CoderOption.quality(default: 0.9)
  static let progressive = CoderOption.progressive()
  static let effort = CoderOption.integer("effort", 1...9, default: 7, "Effort: 1 is fastest, 9 is smallest.")
  static let distance = CoderOption.number(
    "distance", 0...25, default: 0,
    "Butteraugli distance of lossy pictures, used instead of a quality: 1 is no visible loss, 0 is off.")
  static let modular = CoderOption.choice(
    "modular", default: Storage.automatic, "How pixels are stored: libjxl's choice, as a transform, or as samples.")
  static let photonNoise = CoderOption.integer(
    "photon-noise", 0...6400, default: 0, "Film grain of this ISO speed, which the decoder adds: 0 is none.")
  static let decodingSpeed = CoderOption.integer(
    "decoding-speed", 0...4, default: 0, "How much larger the file may be to decode faster: 0 is none, 4 is most.")
  static let compressMetadata = CoderOption.boolean(
    "compress-metadata", default: false, "Compress Exif and XMP with Brotli.")
  static let keepProfile = CoderOption.boolean(
    "keep-profile", default: true,
    "Lossy pictures keep their ICC profile byte for byte; without it they are stored as XYB, which is smaller.")

  static let table = [
    quality.description, progressive.description, effort.description, distance.description, modular.description,
    photonNoise.description, decodingSpeed.description, compressMetadata.description, keepProfile.description,
  ]
}
