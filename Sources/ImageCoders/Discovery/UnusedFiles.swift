// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Files in plugin directories that somebody may have meant to be used.
package enum UnusedFiles {
  /// Files that are named like a manifest but for the end of the name, and libraries that no manifest names.
  ///
  /// - Returns: Each file's path, and why it is not used.
  package static func find(_ searchPath: PluginSearchPath, _ catalog: Catalog) -> [(path: String, why: String)] {
    let libraries = Set(catalog.entries.compactMap(\.library).compactMap(FileIdentity.init))
    var found: [(path: String, why: String)] = []
    for directory in searchPath.directories {
      // What is wrong with a directory that cannot be read is said elsewhere.
      guard
        case .success(let listing) = Result(catching: { () throws(SkipReason) in try DirectoryListing(directory.path) })
      else { continue }
      for path in listing.others {
        if path.hasSuffix(".json") {
          found.append((path, "is not read; the name of a manifest ends in \(DirectoryListing.suffix)"))
        } else if path.hasSuffix(".so"), let file = FileIdentity(path), !libraries.contains(file) {
          found.append((path, "is not used; no manifest names this library"))
        }
      }
    }
    return found
  }
}

/// A file, whatever path leads to it.
struct FileIdentity: Hashable {
  private let device: dev_t
  private let number: ino_t

  /// Nil for a path that leads nowhere.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  init(_ status: stat) {
    (device, number) = (status.st_dev, status.st_ino)
  }
}
