// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The writer's options: manifest, help, validation and documentation come from this table.
enum JPEGOption {
  /// How much time is spent on a small file.
  enum Effort: String, CaseIterable {
    case fast, `default`, small
  }

  static let effort = CoderOption.choice(
    "effort", default: Effort.default,
    "fast: the standard's tables. default: better ones. small: levels and scans, too.")
  /// With ``Effort/fast``, only where it is asked for.
  static let optimize = CoderOption.boolean(
    "optimize", default: true,
    "Make Huffman tables for the picture: the default, except with effort fast.")
  static let restart = CoderOption.integer(
    "restart", 0...65_535, default: 0, "Rows of MCUs between restart markers; 0 writes none.")
  static let quality = CoderOption.quality(default: 0.85)
  static let progressive = CoderOption.progressive()
  /// From a quality of 0.9 on, 4:4:4 is written where nothing is asked for.
  static let subsampling = CoderOption.subsampling([.s444, .s422, .s420, .s440, .s411, .s400], default: .s420)

  static let table = [
    effort.description, optimize.description, restart.description, quality.description, progressive.description,
    subsampling.description,
  ]
}
