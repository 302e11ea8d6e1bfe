// SPDX-License-Identifier: Apache-2.0

import CHostSystem
import Glibc
import ImageCoders

/// A folder of the search path that plugins are installed into, and the folder of data that belongs to it.
struct PluginPlace: Equatable {
  /// Where manifests are found.
  let folder: String
  /// Where desktops look for types of files and thumbnailers.
  let data: String
  let isSystem: Bool

  /// The place of all users.
  static let system = PluginPlace(folder: "/usr/local/lib/coders/1", data: "/usr/local/share", isSystem: true)

  /// The place of the user who runs the command.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` if there is no home.
  static func user(_ console: Console) throws(CoderError) -> PluginPlace {
    var data = console.environment("XDG_DATA_HOME")
    if data?.hasPrefix("/") != true { data = console.environment("HOME").map { "\($0)/.local/share" } }
    guard let data, data.hasPrefix("/") else {
      throw .invalidArgument("there is no home directory; set XDG_DATA_HOME, or install for all users with --system")
    }
    return PluginPlace(folder: "\(data)/coders/1", data: data, isSystem: false)
  }

  func manifest(of id: String) -> String { "\(folder)/\(id)\(StagedPlugin.suffix)" }

  /// The folder of a plugin's builds, each in a folder of its own: a manifest names the library of one of them, so replacing the
  /// manifest replaces all.
  func builds(of id: String) -> String { "\(folder)/\(id)" }

  /// The folder of the build whose library the manifest names, or nil if there is none, or it is not in such a folder.
  func currentBuild(of id: String) -> String? {
    let tree = try? FileTree.contents(of: manifest(of: id), upTo: 1 << 20)
    guard let tree, let manifest = try? Manifest(json: tree), manifest.id == id else { return nil }
    let parts = manifest.library.split(separator: "/").map(String.init)
    guard parts.count > 2, parts[0] == id else { return nil }
    return "\(folder)/\(id)/\(parts[1])"
  }

  /// A name in the place that no other process has, for files that are not found under it.
  func temporary(_ purpose: String) -> String {
    "\(folder)/\(Self.temporaryPrefix)\(purpose)-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
  }

  private static let temporaryPrefix = ".coders-"

  /// Makes the folder if it is missing, and keeps other processes of this command out of it.
  ///
  /// - Throws: ``CoderError/Code/io``, also if another process is at work there.
  func lock() throws(CoderError) -> PluginPlaceLock {
    try FileTree.makeFolders(folder)
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileTree.failure(folder) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let reason = errno
      close(descriptor)
      guard reason == EWOULDBLOCK else { throw FileTree.failure(folder, reason) }
      throw CoderError.io("another coders plugin is at work here; try again when it has ended").annotated(file: folder)
    }
    let lock = PluginPlaceLock(descriptor)
    // A registry would refuse all that is in it.
    var status = stat()
    if fstat(descriptor, &status) == 0, let problem = TrustedFile.writers(of: status, folder) {
      throw .pluginRejected(problem)
    }
    guard access(folder, W_OK) == 0 else { throw FileTree.failure(folder) }
    // Of processes that were killed: they had the lock.
    for name in FileTree.names(in: folder) where name.hasPrefix(Self.temporaryPrefix) {
      FileTree.remove("\(folder)/\(name)")
    }
    return lock
  }

  /// The folders of builds that have a receipt. Others hold files that somebody changed.
  func finishedBuilds(of id: String) -> [String] {
    FileTree.names(in: builds(of: id)).map { "\(builds(of: id))/\($0)" }
      .filter { access("\($0)/\(Receipt.fileName)", F_OK) == 0 }
  }

  /// Removes all finished builds of a plugin but one.
  ///
  /// - Parameter current: The folder that stays, or nil.
  func removeBuilds(of id: String, but current: String?) {
    for build in finishedBuilds(of: id) where build != current { FileTree.remove(build) }
    rmdir(builds(of: id))
  }
}

/// Keeps other processes of this command out of a place while it lives.
final class PluginPlaceLock {
  private let descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Waits until what was written is on the disk: else a machine that loses power may find names without bytes.
  func sync() { chostsystem_sync_file_system(descriptor) }
}
