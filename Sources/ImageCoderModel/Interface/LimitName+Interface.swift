// SPDX-License-Identifier: Apache-2.0

import CImageCoder

extension Limits.Name {
  /// The limits that a plugin can exceed, with their numbers in the plugin interface.
  private static let numbers: [(number: UInt32, name: Limits.Name)] = [
    (UInt32(IMGCODER_LIMIT_SIDE), .maxSide), (UInt32(IMGCODER_LIMIT_PIXELS), .maxPixels),
    (UInt32(IMGCODER_LIMIT_MEMORY), .maxMemory), (UInt32(IMGCODER_LIMIT_METADATA), .maxMetadata),
    (UInt32(IMGCODER_LIMIT_FRAMES), .maxFrames), (UInt32(IMGCODER_LIMIT_PAGES), .maxPages),
    (UInt32(IMGCODER_LIMIT_SCANS), .maxScans), (UInt32(IMGCODER_LIMIT_INFLATED), .maxInflated),
  ]

  /// The limit with this number; nil for 0 and for numbers of later versions.
  package init?(number: UInt32) {
    guard let known = Self.numbers.first(where: { $0.number == number }) else { return nil }
    self = known.name
  }

  /// Its number in the plugin interface; 0 for a limit that no plugin knows.
  package var number: UInt32 { Self.numbers.first { $0.name == self }?.number ?? UInt32(IMGCODER_LIMIT_NONE) }
}
