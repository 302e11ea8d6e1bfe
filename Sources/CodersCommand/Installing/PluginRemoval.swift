// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders

/// Takes out what an installation put into a place: the manifest first, so that nothing finds a plugin without its library.
struct PluginRemoval {
  let id: String
  let place: PluginPlace

  struct Outcome {
    let version: String
    /// Files that were changed since they were installed, or that somebody added. They stay.
    let kept: [String]
    let problem: String?
  }

  /// - Throws: ``CoderError/Code/invalidArgument`` if this command did not install the plugin into the place;
  ///   ``CoderError/Code/io``.
  func run(_ console: Console) throws(CoderError) -> Outcome {
    // An identifier is a part of paths here.
    guard id.utf8.allSatisfy({ $0 != UInt8(ascii: "/") && $0 >= 0x20 }), !id.hasPrefix("."), !id.isEmpty else {
      throw .invalidArgument("\(id.printable) is no identifier of a plugin")
    }
    let manifest = place.manifest(of: id)
    let isThere = access(manifest, F_OK) == 0
    guard isThere || !place.finishedBuilds(of: id).isEmpty else { throw missing(console) }
    let lock = try place.lock()
    // Until the end, and not only until it is last named.
    defer { withExtendedLifetime(lock) {} }
    guard let build = place.currentBuild(of: id), let receipt = Receipt(in: build) else {
      guard !isThere else { throw missing(console) }
      // What an installation or a removal left that was killed.
      place.removeBuilds(of: id, but: nil)
      return Outcome(version: "", kept: left(in: place.builds(of: id)), problem: undeclareTypes())
    }
    let changed = Set(try InstalledPlugin.changes(receipt, build: build, manifest: manifest))
    guard unlink(manifest) == 0 else { throw FileTree.failure(manifest) }
    lock.sync()
    for name in receipt.digests.keys where !changed.contains("\(build)/\(name)") { unlink("\(build)/\(name)") }
    unlink("\(build)/\(ChecksumList.fileName)")
    unlink("\(build)/\(Receipt.fileName)")
    let folders = Set(receipt.digests.keys.flatMap(Self.folders))
    for folder in folders.sorted(by: { $0.utf8.count > $1.utf8.count }) { rmdir("\(build)/\(folder)") }
    rmdir(build)
    place.removeBuilds(of: id, but: nil)
    return Outcome(version: receipt.version, kept: left(in: place.builds(of: id)), problem: undeclareTypes())
  }

  /// - Returns: What went wrong, or nil.
  private func undeclareTypes() -> String? {
    DesktopTypes.remove(id, from: place.data) ? DesktopTypes.updateDatabase(of: place.data) : nil
  }

  /// The folders that a name is in.
  private static func folders(_ name: String) -> [String] {
    let parts = name.split(separator: "/").dropLast()
    return parts.indices.map { parts[...$0].joined(separator: "/") }
  }

  private func left(in folder: String) -> [String] {
    guard Path.isDirectory(folder) else { return [] }
    return FileTree.names(in: folder).flatMap { name in
      let path = "\(folder)/\(name)"
      return Path.isDirectory(path) ? left(in: path) : [path]
    }
  }

  /// Where the plugin is instead, and what removes it there.
  private func missing(_ console: Console) -> CoderError {
    let path = CoderSettings().searchPath(console)
    let catalog = Catalog(path)
    guard let entry = catalog.entries.first(where: { $0.manifest?.id == id }) else {
      return .invalidArgument("no plugin \(id) is installed; coders plugin list shows those that are")
    }
    if entry.isBundled { return .invalidArgument("\(id) is bundled with this program, in \(Path.folder(entry.path))") }
    if let package = InstalledPlugin.package(of: entry.path) {
      return .invalidArgument("\(id) is in the package \(package): apt remove \(package)")
    }
    let folder = Path.folder(entry.path)
    let isOther = folder != place.folder
    if isOther, folder == PluginPlace.system.folder {
      return .invalidArgument("\(id) is installed for all users: coders plugin remove \(id) --system, as root")
    }
    if isOther, place.isSystem, folder == (try? PluginPlace.user(console))?.folder {
      return .invalidArgument("\(id) is installed for this user: coders plugin remove \(id)")
    }
    return .invalidArgument("\(entry.path) was not installed by this command; remove it and \(entry.place)")
  }
}
