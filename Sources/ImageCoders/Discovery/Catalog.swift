// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoderModel

/// One manifest that was found, used or not.
package struct CatalogEntry: Sendable, Equatable {
  /// The manifest's path.
  package let path: String
  /// What the manifest says, or nil when it could not be read.
  package let manifest: Manifest?
  /// The library's absolute path, or nil when the manifest could not be read.
  package let library: String?
  /// Why it is not used, or nil when it is.
  package let reason: SkipReason?
  /// The priority that counts: the user's, else the manifest's.
  package let priority: Int

  /// The coder's identifier, or the manifest's path when it could not be read.
  package var id: String { manifest?.id ?? path }
}

/// What was found on a search path. Made from manifests alone: no library is opened.
package struct Catalog: Sendable {
  /// By priority, then identifier; what is not used comes last, by path.
  package let entries: [CatalogEntry]
  /// Directories that somebody named and that cannot be read, with the reason.
  package let unreadable: [(path: String, reason: SkipReason)]

  /// Reads all manifests on a search path.
  ///
  /// The first directory that has an identifier wins; later ones are listed as shadowed. The order of a directory's
  /// files does not matter.
  ///
  /// - Parameters:
  ///   - preferences: The user's priorities, and what the user turned off.
  package init(_ searchPath: SearchPath, preferences: Preferences = Preferences()) {
    var found: [CatalogEntry] = []
    var unreadable: [(path: String, reason: SkipReason)] = []
    var winners: [String: String] = [:]
    for directory in searchPath.directories {
      do throws(SkipReason) {
        for path in try DirectoryListing.manifests(in: directory.path) {
          let entry = Self.entry(path, winners: &winners, preferences: preferences)
          found.append(entry)
        }
      } catch {
        if directory.isExplicit || error.code == .permission { unreadable.append((directory.path, error)) }
      }
    }
    entries = found.sorted { first, second in
      if (first.reason == nil) != (second.reason == nil) { return first.reason == nil }
      if first.reason != nil { return (first.id, first.path) < (second.id, second.path) }
      return (second.priority, first.id) < (first.priority, second.id)
    }
    self.unreadable = unreadable
  }

  private static func entry(
    _ path: String, winners: inout [String: String], preferences: Preferences
  ) -> CatalogEntry {
    let manifest: Manifest
    do throws(SkipReason) {
      manifest = try Manifest(json: try DirectoryListing.contents(of: path))
    } catch {
      return CatalogEntry(path: path, manifest: nil, library: nil, reason: error, priority: 0)
    }
    let folder = SearchPath.parent(of: path) ?? "."
    let library = "\(folder)/\(manifest.library)"
    let priority = preferences.priorities[manifest.id] ?? manifest.priority
    var reason: SkipReason?
    if let winner = winners[manifest.id] {
      reason = SkipReason(.shadowed, "\(winner) has the same id and comes earlier on the search path")
    } else {
      winners[manifest.id] = path
      reason = unusable(manifest, library: library, preferences: preferences)
    }
    return CatalogEntry(path: path, manifest: manifest, library: library, reason: reason, priority: priority)
  }

  private static func unusable(_ manifest: Manifest, library: String, preferences: Preferences) -> SkipReason? {
    if preferences.disabled.contains(manifest.id) {
      return SkipReason(.disabled, "turned off by CODERS_PRIORITY or the settings file")
    }
    guard manifest.abiMajor == HostPlatform.abiMajor, manifest.abiMinMinor <= HostPlatform.abiMinor else {
      return SkipReason(
        .abiUnsupported,
        "needs version \(manifest.abiMajor).\(manifest.abiMinMinor) of the interface, this host has \(HostPlatform.abiMajor).\(HostPlatform.abiMinor)"
      )
    }
    if let platform = manifest.platform, platform != HostPlatform.name {
      return SkipReason(.platformMismatch, "is for \(platform), this is \(HostPlatform.name)")
    }
    if let runtime = manifest.runtime, runtime.hasPrefix("swift/"), runtime != HostPlatform.runtime {
      return SkipReason(.runtimeMismatch, "shares the runtime \(runtime), this process has \(HostPlatform.runtime)")
    }
    return DirectoryListing.permissionProblem(library)
  }
}
