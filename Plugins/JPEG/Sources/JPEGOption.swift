// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The writer's options: manifest, help, validation and documentation come from this table.
enum JPEGOption {
  static let optimize = CoderOption.boolean(
    "optimize", default: false,
    "Make Huffman tables for the picture: a smaller file in two to three times the time.")
  static let restart = CoderOption.integer(
    "restart", 0...65_535, default: 0, "Rows of MCUs between restart markers; 0 writes none.")
  static let quality = CoderOption.quality(default: 0.85)
  static let progressive = CoderOption.progressive()
  /// From a quality of 0.9 on, 4:4:4 is written where nothing is asked for.
  static let subsampling = CoderOption.subsampling([.s444, .s422, .s420, .s440, .s411, .s400], default: .s420)

  static let table = [
    optimize.description, restart.description, quality.description, progressive.description, subsampling.description,
  ]
}
