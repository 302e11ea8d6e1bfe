// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The writer's options, which only cursors follow: manifest, help, validation and documentation come from this table.
enum ICOOption {
  static let hotSpotX = CoderOption.integer(
    "hot-spot-x", 0...255, default: 0, "Column of the pixel that a cursor points with, from the left.")
  static let hotSpotY = CoderOption.integer(
    "hot-spot-y", 0...255, default: 0, "Row of the pixel that a cursor points with, from the top.")

  static let table = [hotSpotX.description, hotSpotY.description]
}
