// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// A plugin that is not bundled and is tried before a bundled coder of the same format.
package struct Outranking: Sendable, Equatable {
  package let coder: String
  package let bundled: String
  package let format: ImageFormat
  package let isRead: Bool
  package let isWritten: Bool
  /// Whether the user's settings say so: they give the plugin a priority, or prefer it.
  package let isSet: Bool
}

extension Catalog {
  /// Plugins that are not bundled and are tried before a bundled coder of the same format, by identifier.
  package var outrankings: [Outranking] {
    let used = entries.filter { $0.reason == nil }
    let (readers, writers) = (preferences.preferred(\.read, self), preferences.preferred(\.write, self))
    var found: [Outranking] = []
    for stranger in used.filter({ !$0.isBundled }).sorted(by: { $0.id < $1.id }) {
      for format in stranger.manifest?.formats.map(\.format) ?? [] {
        for bundled in used where bundled.isBundled {
          let isRead =
            Self.both(stranger, bundled) { $0.canRead && $0.formats.contains { $0.format == format } }
            && Self.comes(stranger, before: bundled, preferred: readers[format] ?? [])
          let isWritten =
            Self.both(stranger, bundled) { $0.writtenFormats.contains { $0.format == format } }
            && Self.comes(stranger, before: bundled, preferred: writers[format] ?? [])
          guard isRead || isWritten else { continue }
          let isPreferred =
            (!isRead || readers[format]?.contains(stranger.id) ?? false)
            && (!isWritten || writers[format]?.contains(stranger.id) ?? false)
          found.append(
            Outranking(
              coder: stranger.id, bundled: bundled.id, format: format, isRead: isRead, isWritten: isWritten,
              isSet: isPreferred || preferences.priorities[stranger.id] != nil))
        }
      }
    }
    return found
  }

  private static func both(
    _ first: CatalogEntry, _ second: CatalogEntry, _ condition: (Manifest) -> Bool
  ) -> Bool {
    first.manifest.map(condition) ?? false && second.manifest.map(condition) ?? false
  }

  private static func comes(
    _ first: CatalogEntry, before second: CatalogEntry, preferred: [String]
  ) -> Bool {
    let places = (preferred.firstIndex(of: first.id) ?? .max, preferred.firstIndex(of: second.id) ?? .max)
    return places.0 == places.1 ? comes(first, before: second) : places.0 < places.1
  }
}
