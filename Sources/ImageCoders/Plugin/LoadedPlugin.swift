// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

/// A plugin that was loaded to see whether it can be, for `coders doctor`.
package struct LoadedPlugin: Sendable {
  /// The version of the plugin itself, as it says.
  package let version: String
  /// The wrapped library as the plugin found it, or empty.
  package let library: String
  package let canRead: Bool
  package let canWrite: Bool

  /// Loads an entry's library, after a new scan if it is not bundled.
  ///
  /// - Throws: ``SkipReason`` with the name of what to change.
  package init(_ entry: CatalogEntry) throws(SkipReason) {
    let container = try PluginContainer(loading: entry, isFresh: true)
    version = container.version
    library = container.library
    canRead = container.canRead
    canWrite = container.canWrite
  }
}
