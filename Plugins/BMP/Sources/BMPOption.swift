// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The writer's options: manifest, help, validation and documentation come from this table.
enum BMPOption {
  static let bottomUp = CoderOption.boolean(
    "bottom-up", default: true, "Store rows from the bottom up, which every reader supports.")
  static let palette = CoderOption.boolean(
    "palette", default: false, "Store opaque pictures of at most 256 colors as indexes of 8 bits.")
  static let rle = CoderOption.boolean(
    "rle", default: false, "Compress indexes and gray pictures as runs (RLE8); includes palette.")

  static let table = [bottomUp.description, palette.description, rle.description]
}
