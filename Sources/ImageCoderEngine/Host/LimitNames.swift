// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

extension Limits.Name {
  /// The limits that a plugin knows, with the names of their fields in C.
  private static let fields: [(field: String, name: Limits.Name)] = [
    ("max_pixels", .maxPixels), ("max_side", .maxSide), ("max_memory", .maxMemory), ("max_frames", .maxFrames),
    ("max_metadata", .maxMetadata), ("max_pages", .maxPages), ("max_scans", .maxScans), ("max_inflated", .maxInflated),
  ]

  /// The limit that a plugin's sentence names, as `imgcoder_limits` or as ``Limits`` spells it.
  ///
  /// Only for plugins that report a limit through `fail`, and so do not say it as data. No other code reads sentences.
  init?(namedIn sentence: String) {
    guard let known = Self.fields.first(where: { sentence.has($0.field) || sentence.has($0.name.rawValue) }) else {
      return nil
    }
    self = known.name
  }
}
