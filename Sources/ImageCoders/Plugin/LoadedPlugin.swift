// SPDX-License-Identifier: Apache-2.0

import ImageCoderCore

/// A plugin that was loaded to see whether it can be, for `coders doctor`.
package struct LoadedPlugin: Sendable {
  /// Of the plugin itself, as it says.
  package let version: String
  /// The wrapped library as the plugin found it, or empty.
  package let library: String
  package let canRead: Bool
  package let canWrite: Bool

  /// Loads an entry's library.
  ///
  /// - Throws: ``SkipReason`` with the name of what to change.
  package init(_ entry: CatalogEntry) throws(SkipReason) {
    if let reason = entry.reason { throw reason }
    guard let manifest = entry.manifest, let path = entry.library else {
      throw SkipReason(.manifestInvalid, "there is no manifest")
    }
    if let reason = DirectoryListing.unsafe(path) { throw reason }
    let container = PluginContainer(
      try PluginLibrary.load(path, id: manifest.id), formats: manifest.formats.map(\.format), signatures: [])
    version = container.version
    library = container.library
    canRead = container.canRead
    canWrite = container.canWrite
  }
}
