// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The writer's options: manifest, help, validation and documentation come from this table.
enum GIFOption {
  /// Where palettes stand.
  enum Palette: String, CaseIterable {
    case automatic = "auto"
    case global, local
  }

  static let quality = WriterOption.quality(default: 1)
  static let progressive = WriterOption.progressive()
  static let colors = WriterOption.integer(
    "colors", 2...256, default: 256, "The most colors of a palette, the transparent one included.")
  static let dither = WriterOption.boolean(
    "dither", default: true, "Spread the error of colors that the palette does not have over neighbors.")
  static let lossy = WriterOption.integer(
    "lossy", 0...200, default: 0,
    "Let colors stand for others where that makes the file smaller; 20 is hardly visible.")
  static let palette = WriterOption.choice(
    "palette", default: Palette.automatic, "One palette for all frames, one for each, or what fits.")

  static let table = [
    quality.description, progressive.description, colors.description, dither.description, lossy.description,
    palette.description,
  ]
}
