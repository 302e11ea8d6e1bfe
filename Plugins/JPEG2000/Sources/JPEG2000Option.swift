// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The writer's options: manifest, help, validation and documentation come from this table.
enum JPEG2000Option {
  enum Container: String, CaseIterable {
    case jp2
    /// A bare codestream.
    case j2k
  }

  static let quality = CoderOption.quality(default: 0.8)
  static let progressive = CoderOption.progressive()
  static let container = CoderOption.choice(
    "container", default: Container.jp2, "A file of boxes, or a bare codestream without metadata.")
  static let resolutions = CoderOption.integer(
    "resolutions", 1...33, default: 6, "Maximum number of resolutions, each half of the one before.")
  static let tile = CoderOption.integer("tile", 0...65_535, default: 0, "Side of tiles in pixels; 0 is one tile.")
  static let progression = CoderOption.choice(
    "progression", default: CodingStyle.Progression.lrcp,
    "Order of layers (L), resolutions (R), components (C) and positions (P) in the file.")
  static let layers = CoderOption.integer(
    "layers", 1...20, default: 1, "Number of quality layers, from coarse to fine.")

  static let table = [
    quality.description, progressive.description, container.description, resolutions.description, tile.description,
    progression.description, layers.description,
  ]
}
