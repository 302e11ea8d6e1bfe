// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The writer's options: manifest, help, validation and documentation come from this table.
enum PNGOption {
  /// The filters of rows (PNG Third Edition §9).
  enum Filter: String, CaseIterable {
    case adaptive
    case unfiltered = "none"
    case sub, up, average, paeth

    /// As the shim counts them.
    var number: UInt32 { UInt32(Self.allCases.firstIndex(of: self) ?? 0) }
  }

  enum Palette: String, CaseIterable {
    case automatic = "auto"
    case never
  }

  static let compression = CoderOption.integer(
    "compression", 0...12, default: 6,
    "0 stores, 1 is fast, 2 to 6 look longer for what repeats, 7 to 12 also try libdeflate at that level.")
  static let filter = CoderOption.choice(
    "filter", default: Filter.adaptive, "How rows are prepared for compression; adaptive chooses for each row.")
  static let palette = CoderOption.choice(
    "palette", default: Palette.automatic,
    "Store indexes of a palette, or gray, where the whole file has at most 256 colors of 8 bits.")
  static let progressive = CoderOption.progressive()

  static let table = [
    compression.description, filter.description, palette.description, progressive.description,
  ]
}
