// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport

/// The misbehaving plugin, built in one of its variants.
struct UnrulyPlugin {
  let registry: CoderRegistry
  private let folder: TemporaryFolder

  /// The folder that it is in.
  var path: String { folder.path }

  static let id = "org.example.unruly"

  /// The variant that misbehaves by file only.
  static let byFile = UnrulyPlugin("PLAIN")

  /// - Parameter variant: One of the macros that the source lists.
  init(_ variant: String) {
    folder = ForeignPlugin.folder("UnrulyPlugin", "unruly", defining: [variant])
    registry = CoderRegistry(
      searchPath: .only([folder.path]),
      preferences: CoderPreferences())
  }

  /// A file that makes it misbehave.
  static func file(_ act: String) -> ByteSource { .bytes(Array("UNRULY \(act)".utf8)) }
}
