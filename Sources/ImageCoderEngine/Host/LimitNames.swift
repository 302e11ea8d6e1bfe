// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

extension Limits.Name {
  /// The limits that a plugin knows, with the names of their fields in C.
  private static let fields: [(field: String, name: Limits.Name)] = [
    ("max_pixels", .maxPixels), ("max_side", .maxSide), ("max_memory", .maxMemory), ("max_frames", .maxFrames),
    ("max_metadata", .maxMetadata), ("max_pages", .maxPages), ("max_scans", .maxScans),
  ]

  /// A plugin's message about an exceeded limit in which limits have the names that Swift gives them.
  ///
  /// A plugin may name a limit as `imgcoder_limits` does, or as ``Limits`` does; applications see one name.
  static func named(in message: String) -> String {
    guard message.has("max_") else { return message }
    return fields.reduce(message) { $0.exchanging($1.field, for: $1.name.rawValue) }
  }
}
