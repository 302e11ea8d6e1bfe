// SPDX-License-Identifier: Apache-2.0

import CIsolation

/// What a worker of a plugin has to have beyond what all workers have, as its manifest says.
package struct PluginNeeds: OptionSet, Sendable, Hashable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The files of fonts that fontconfig names.
  package static let fonts = PluginNeeds(rawValue: UInt32(ISOLATION_NEEDS_FONTS))
  /// Threads that its library makes itself.
  package static let threads = PluginNeeds(rawValue: UInt32(ISOLATION_NEEDS_THREADS))

  /// The words of the manifest's key `resources`.
  package static let resources: [(word: String, need: PluginNeeds)] = [("fonts", .fonts)]
}
