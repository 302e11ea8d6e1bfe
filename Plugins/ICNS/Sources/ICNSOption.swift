// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The writer's options: manifest, help, validation and documentation come from this table.
enum ICNSOption {
  /// How pictures of up to 128 pixels are stored.
  enum SmallIcons: String, CaseIterable {
    /// Planes of color, and a mask in an element of its own: what every version of the system reads.
    case masked
    /// Planes of alpha and color in one element, and PNG from 128 pixels on: OS X 10.7 and later.
    case argb
  }

  static let small = CoderOption.choice(
    "small", default: SmallIcons.masked,
    "How small icons are stored: masked for every system, argb for OS X 10.7 and later.")

  static let table = [small.description]
}
