// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoders

/// Puts the files of an archive into a place: all of them, or none.
struct PluginInstallation {
  let archive: PluginArchive
  let place: PluginPlace

  /// What was installed.
  struct Outcome {
    let plugin: StagedPlugin
    /// The version that it takes the place of, or nil.
    let replaced: String?
    let receipt: Receipt
    /// Files for desktops.
    let types: [String]
    let problem: String?
  }

  /// Examines an archive, asks, and installs it.
  ///
  /// A process that is killed at any moment leaves what was there before, or the new plugin. The next one removes its files.
  ///
  /// - Parameter agrees: Is shown the plugin, and says whether to go on.
  /// - Throws: ``CoderError/Code/cancelled`` if it says no; the errors of ``StagedPlugin``; ``CoderError/Code/io``.
  func run(
    _ console: Console, agrees: (PluginSummary) throws(CoderError) -> Bool
  ) throws(CoderError) -> Outcome {
    let lock = try place.lock()
    // Until the end, and not only until it is last named.
    defer { withExtendedLifetime(lock) {} }
    let folder = place.temporary("new")
    try FileTree.makeFolder(folder)
    defer { FileTree.remove(folder) }
    if geteuid() == 0 {
      try examineAsRoot(copyingTo: folder, console)
    } else {
      try UnprivilegedExamination.run(archive, in: folder, console)
    }
    let plugin = try StagedPlugin(examining: folder)
    try refuseConflicts(plugin, console)
    guard try agrees(PluginSummary(plugin, at: place, console)) else {
      throw CoderError(code: .cancelled, message: "nothing was installed")
    }
    let replaced = Receipt(in: place.currentBuild(of: plugin.manifest.id) ?? "")?.version
    let receipt = try install(plugin, lock)
    var types: [String] = []
    var problem: String?
    do throws(CoderError) { (types, problem) = try declareTypes(plugin, console) } catch { problem = error.description }
    return Outcome(plugin: plugin, replaced: replaced, receipt: receipt, types: types, problem: problem)
  }

  /// The examination runs in a folder of the user who does it. What comes out of it is copied, and compared with its checksums
  /// again.
  private func examineAsRoot(copyingTo folder: String, _ console: Console) throws(CoderError) {
    // The home of root is closed to others.
    let temporary = console.environment("TMPDIR") ?? "/tmp"
    let stage =
      place.isSystem
      ? place.temporary("stage")
      : "\(temporary)/coders-stage-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
    try FileTree.makeFolder(stage)
    defer { FileTree.remove(stage) }
    // A folder of root's around it: its owner can put nothing in its place.
    try FileTree.makeFolder("\(stage)/files")
    try UnprivilegedExamination.runAsRoot(archive, in: "\(stage)/files", console)
    try FileTree("\(stage)/files").copy(into: folder)
  }

  private func refuseConflicts(_ plugin: StagedPlugin, _ console: Console) throws(CoderError) {
    let id = plugin.manifest.id
    guard !CoderSettings().searchPath(console).makesBundled(id: id, in: place.folder) else {
      throw .pluginRejected(
        """
        \(id) is a name of this project, and in \(place.folder) of this installation it would be trusted as bundled; install it \
        for one user, without --system
        """)
    }
    let own = place.manifest(of: id)
    for entry in Catalog(.only([place.folder])).entries where entry.manifest?.id == id && entry.path != own {
      throw .invalidArgument("\(entry.path) has the same id, \(id); remove it first")
    }
    guard access(own, F_OK) != 0 || Receipt(in: place.currentBuild(of: id) ?? "") != nil else {
      throw .invalidArgument("\(own) is there and was not installed by this command; remove it first")
    }
  }

  private func install(_ plugin: StagedPlugin, _ lock: PluginPlaceLock) throws(CoderError) -> Receipt {
    let id = plugin.manifest.id
    let name = Self.buildName(plugin.manifest.version)
    let build = "\(place.builds(of: id))/\(name)"
    let manifest = place.temporary("manifest")
    defer { unlink(manifest) }
    try NewPlainFile.write(plugin.manifest(libraryIn: "\(id)/\(name)"), to: manifest)
    let digest = try ChecksumList.digests(of: [manifest])[manifest] ?? ""
    let receipt = Receipt(plugin, source: archive.path, manifestDigest: digest)
    try NewPlainFile.write(receipt.bytes, to: "\(plugin.folder)/\(Receipt.fileName)")
    if !Path.isDirectory(place.builds(of: id)) { try FileTree.makeFolder(place.builds(of: id)) }
    lock.sync()
    guard rename(plugin.folder, build) == 0 else { throw FileTree.failure(build) }
    // The library is found from here on or, without this rename, its folder is removed by the next process.
    lock.sync()
    guard rename(manifest, place.manifest(of: id)) == 0 else { throw FileTree.failure(place.manifest(of: id)) }
    lock.sync()
    place.removeBuilds(of: id, but: build)
    return receipt
  }

  /// A name that no other build has: a version with what a name of a file may have, and a random part.
  private static func buildName(_ version: String) -> String {
    let letters = version.utf8.prefix(40).filter { byte in
      (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "-")
        || byte == UInt8(ascii: ".")
    }
    let random = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    return "v\(String(decoding: letters, as: UTF8.self))-\(random)"
  }

  private func declareTypes(
    _ plugin: StagedPlugin, _ console: Console
  ) throws(CoderError) -> (files: [String], problem: String?) {
    let catalog = Catalog(CoderSettings().searchPath(console))
    let types = DesktopTypes(
      plugin.manifest, json: plugin.manifestJSON, known: KnownTypes(in: KnownTypes.folders(console)),
      mediaType: catalog.mediaType(of:))
    let written = try types.write(into: place.data)
    return (written, types.declaration == nil ? nil : DesktopTypes.updateDatabase(of: place.data))
  }
}

extension Catalog {
  /// The first media type of a format's identifier, or nil.
  func mediaType(of uti: String) -> String? {
    entries.lazy.compactMap(\.manifest).flatMap(\.formats).first { $0.format.rawValue == uti }?.mimeTypes.first
  }
}
