// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// Follows a path through directories and links, and finds those at which somebody else could lead it elsewhere.
///
/// A directory that everybody can write to leads anywhere, unless it is sticky and what it holds is a directory of root
/// or the current user: nobody else can rename that. A link or a file in such a directory is refused even so.
package struct PathWalk {
  /// The path without links, or nil if it leads nowhere; then there is a problem too.
  package private(set) var resolved: String?
  /// Where somebody else could lead it elsewhere, or nil.
  package private(set) var problem: String?
  /// What is at the path without links, if the walk came by it.
  private(set) var status: stat?

  /// As the kernel's own bound, `path_resolution(7)`.
  private static let maxLinks = 40

  /// - Parameters:
  ///   - path: Relative to `base` unless it begins with a slash.
  ///   - base: A directory without links on its path, or nil for the current directory.
  ///   - status: Of that directory, if it is known.
  package init(_ path: String, in base: String? = nil, _ status: stat? = nil) {
    var folder = path.hasPrefix("/") ? "/" : base ?? Self.currentDirectory
    // Of the folder: most paths go down through directories that were just looked at.
    var known = path.hasPrefix("/") ? nil : status
    // A relative path from nowhere cannot be followed.
    guard folder.hasPrefix("/") else {
      problem = "\(path) cannot be followed from the current directory"
      return
    }
    var names = Self.names(path)
    var links = 0
    while let name = names.popLast() {
      if name == ".." {
        (folder, known) = (PluginSearchPath.parent(of: folder) ?? "/", nil)
        continue
      }
      let next = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
      var status = stat()
      guard lstat(next, &status) == 0, let directory = known ?? Self.status(of: folder) else {
        problem = "\(next) cannot be followed"
        return
      }
      if problem == nil, Self.isReplaceable(status, in: directory) {
        problem = "\(folder) can be written by everybody, so \(next) could be replaced"
      }
      guard status.st_mode & S_IFMT == S_IFLNK else {
        (folder, known) = (next, status)
        continue
      }
      known = directory
      links += 1
      guard links <= Self.maxLinks, let target = Self.target(of: next) else {
        problem = "\(next) is a link that cannot be followed"
        return
      }
      if target.hasPrefix("/") { (folder, known) = ("/", nil) }
      names += Self.names(target)
    }
    resolved = folder
    self.status = known
  }

  private static func status(of directory: String) -> stat? {
    var status = stat()
    return stat(directory, &status) == 0 ? status : nil
  }

  private static func isReplaceable(_ status: stat, in directory: stat) -> Bool {
    guard directory.st_mode & S_IWOTH != 0 else { return false }
    let isOwn = status.st_uid == 0 || status.st_uid == geteuid()
    return !(directory.st_mode & S_ISVTX != 0 && status.st_mode & S_IFMT == S_IFDIR && isOwn)
  }

  /// The names of a path, the last first.
  private static func names(_ path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/")).reversed().map { String(Substring($0)) }.filter { $0 != "." }
  }

  private static var currentDirectory: String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    return getcwd(&buffer, buffer.count) == nil
      ? "" : String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  private static func target(of link: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let length = readlink(link, &buffer, buffer.count - 1)
    guard length > 0 else { return nil }
    return String(decoding: buffer[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
