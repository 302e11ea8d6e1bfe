// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

extension AVIFFile {
  /// Whether the item that is shown is derived in a way that libavif does not know, or is of no type that it knows.
  var isDerived: Bool {
    guard !isSequence, let items, let type = items.type(of: items.primary) else { return false }
    switch type {
    case .av01: return false
    case .grid:
      // libavif takes tiles as they are stored, and as nothing else.
      return items.sources(of: items.primary).prefix(Self.maxTurnedTiles).contains { tile in
        items.type(of: tile) != .av01
          || items.properties(of: tile).contains { [.rotation, .mirror, .cleanAperture].contains($0.type) }
      }
    default: return true
    }
  }

  /// A grid of more tiles is left to libavif.
  private static let maxTurnedTiles = 256
}
