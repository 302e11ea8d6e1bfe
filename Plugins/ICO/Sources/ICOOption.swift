// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The writer's options: manifest, help, validation and documentation come from this table.
enum ICOOption {
  /// Which pictures are PNG files.
  enum PNGPictures: String, CaseIterable {
    /// Those of icons that are 256 pixels wide or high, which Windows reads since Vista.
    case automatic = "auto"
    case never, always
  }

  static let hotSpotX = CoderOption.integer(
    "hot-spot-x", 0...255, default: 0, "Column of the pixel that a cursor points with, from the left.")
  static let hotSpotY = CoderOption.integer(
    "hot-spot-y", 0...255, default: 0, "Row of the pixel that a cursor points with, from the top.")

  static let png = CoderOption.choice(
    "png", default: PNGPictures.automatic,
    "Which pictures are stored as PNG files; auto is those of icons that are 256 pixels wide or high.")

  static let table = [hotSpotX.description, hotSpotY.description, png.description]
}
