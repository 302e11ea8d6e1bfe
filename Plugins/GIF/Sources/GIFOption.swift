// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The writer's options: manifest, help, validation and documentation come from this table.
enum GIFOption {
  /// Where palettes stand.
  enum Palette: String, CaseIterable {
    case automatic = "auto"
    case global, local
  }

  static let quality = CoderOption.quality(default: 1)
  static let progressive = CoderOption.progressive()
  static let colors = CoderOption.integer(
    "colors", 2...256, default: 256, "Maximum number of colors in a palette, including the transparent one.")
  static let dither = CoderOption.boolean(
    "dither", default: true, "Spread the error of colors that the palette does not have over neighbors.")
  static let lossy = CoderOption.integer(
    "lossy", 0...200, default: 0,
    "Allow similar colors if that makes the file smaller; 20 is hardly visible.")
  static let palette = CoderOption.choice(
    "palette", default: Palette.automatic, "One palette for all frames, one for each, or chosen automatically.")

  static let table = [
    quality.description, progressive.description, colors.description, dither.description, lossy.description,
    palette.description,
  ]
}
