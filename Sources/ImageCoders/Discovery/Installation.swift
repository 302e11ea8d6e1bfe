// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The folders in which plugins are this project's own: that of the program, that of the worker, and those that the
/// application trusts.
///
/// A plugin is bundled if it is there under a name of this project, and its folder, its manifest and its library belong to
/// root or to the owner of the program. Elsewhere the name proves nothing: the author of a manifest chooses it.
struct Installation {
  private let folders: Set<FileIdentity>
  /// The owner of the program, or nil if the system does not tell.
  private let owner: uid_t?

  init(_ searchPath: PluginSearchPath) {
    var paths = searchPath.trusted
    if let folder = searchPath.executable.flatMap(PluginSearchPath.parent),
      let prefix = PluginSearchPath.parent(of: folder)
    {
      paths.append("\(prefix)/lib/coders/1")
    }
    // Not the worker of CODERS_WORKER: a variable names no place of this project's.
    let worker = Result { () throws(SkipReason) in
      try WorkerProgram.find({ _ in nil }, executable: searchPath.executable)
    }
    if case .success(let path) = worker, let folder = PluginSearchPath.parent(of: path) { paths.append("\(folder)/1") }
    folders = Set(paths.compactMap(FileIdentity.init))
    owner = searchPath.executable.flatMap(Self.owner)
  }

  /// Whether an identifier is a name of this project's. Nothing keeps another plugin from having such a name.
  static func isProjectName(_ id: String) -> Bool { id.hasPrefix("org.imagecoders.") }

  /// Whether a folder is one of the installation's, by whatever path it was found.
  func contains(_ folder: stat) -> Bool { folders.contains(FileIdentity(folder)) && isTrusted(owner: folder.st_uid) }

  /// Whether the files at these paths belong to root or to the owner of the program.
  func owns(_ paths: String...) -> Bool {
    paths.allSatisfy { path in Self.owner(of: path).map(isTrusted(owner:)) ?? false }
  }

  private func isTrusted(owner user: uid_t) -> Bool { user == 0 || user == owner }

  private static func owner(of path: String) -> uid_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_uid : nil
  }
}

extension PluginSearchPath {
  /// Whether a plugin of an identifier would be bundled if its files were in a folder and belonged to root or to the owner of the
  /// program.
  package func makesBundled(id: String, in folder: String) -> Bool {
    var status = stat()
    return stat(folder, &status) == 0 && Installation.isProjectName(id) && Installation(self).contains(status)
  }
}
