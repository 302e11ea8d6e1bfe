// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoders

/// File names and directories.
enum Path {
  /// The part after the last slash.
  static func name(_ path: String) -> String {
    String(path.split(separator: "/").last ?? "")
  }

  /// The part before the last slash.
  static func folder(_ path: String) -> String {
    path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
  }

  /// The name without its extension. A dot at the start does not begin an extension.
  static func base(_ path: String) -> String {
    let name = name(path)
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }

  /// The name's extension without its dot, or nil.
  static func suffix(_ path: String) -> String? {
    let name = name(path)
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
    let suffix = name[name.index(after: dot)...]
    return suffix.isEmpty ? nil : String(suffix)
  }

  /// The path without the extension of its name.
  static func withoutSuffix(_ path: String) -> String {
    suffix(path).map { String(path.dropLast($0.count + 1)) } ?? path
  }

  /// The working directory, or nil if it has no name under which it can be reached.
  static func workingDirectory() -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard getcwd(&buffer, buffer.count) != nil else { return nil }
    let path = SystemName.string(pointer: buffer)
    // Directories above may be closed to this user.
    return path.hasPrefix("/") && areSame(path, ".") ? path : nil
  }

  /// A path that begins at the root. Too long a path is left as it is.
  static func absolute(_ path: String, in directory: String) -> String {
    guard !path.isEmpty, !path.hasPrefix("/") else { return path }
    var rest = path[...]
    while rest.hasPrefix("./") { rest = rest.dropFirst(2).drop { $0 == "/" } }
    let whole = (directory == "/" ? "/" : directory + "/") + rest
    return whole.utf8.count < Int(PATH_MAX) ? whole : path
  }

  static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return path.withSystemName { stat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  static func exists(_ path: String) -> Bool {
    var status = stat()
    return path.withSystemName { stat($0, &status) } == 0
  }

  /// Makes a directory and its parents.
  ///
  /// - Throws: ``CoderError/Code/io``. The message names a parent that is in the way, but not `path` itself.
  static func makeDirectory(_ path: String, _ console: Console) throws(CoderError) {
    var above = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      above += "\(part)/"
      let location = console.location(of: above)
      guard location.withSystemName({ mkdir($0, 0o777) }) != 0, errno != EEXIST || !isDirectory(location) else {
        continue
      }
      let reason = String(cString: strerror(errno == EEXIST ? ENOTDIR : errno)).lowercased()
      let isWhole = above.split(separator: "/").count == path.split(separator: "/").count
      throw .io(isWhole ? reason : "\(String(above.dropLast()).printable): \(reason)")
    }
  }

  /// What tells one file from all others.
  struct Identity: Hashable {
    private let device: UInt
    private let number: UInt

    /// Nil for a file that does not exist.
    init?(_ path: String) {
      var status = stat()
      guard path.withSystemName({ stat($0, &status) }) == 0 else { return nil }
      (device, number) = (status.st_dev, status.st_ino)
    }
  }

  /// Whether an output exists and is not older than its input.
  static func isUpToDate(_ output: String, with input: String) -> Bool {
    var (made, source) = (stat(), stat())
    guard output.withSystemName({ stat($0, &made) }) == 0, input.withSystemName({ stat($0, &source) }) == 0,
      made.st_mode & S_IFMT == S_IFREG
    else { return false }
    return (made.st_mtim.tv_sec, made.st_mtim.tv_nsec) >= (source.st_mtim.tv_sec, source.st_mtim.tv_nsec)
  }

  /// Where a link leads that leads to nothing yet; any other path as it is.
  static func withoutDanglingLinks(_ path: String) -> String {
    var path = path
    var status = stat()
    // As many links in a row as the system follows (path_resolution(7)).
    for _ in 0..<40 {
      guard path.withSystemName({ stat($0, &status) }) != 0, path.withSystemName({ lstat($0, &status) }) == 0,
        status.st_mode & S_IFMT == S_IFLNK
      else { return path }
      var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = path.withSystemName { readlink($0, &buffer, Int(PATH_MAX)) }
      guard count > 0 else { return path }
      let target = SystemName.string(buffer[..<count].map { UInt8(bitPattern: $0) })
      path = target.hasPrefix("/") ? target : "\(folder(path))/\(target)"
    }
    return path
  }

  /// Whether two paths name the same file.
  static func areSame(_ first: String, _ second: String) -> Bool {
    guard let one = Identity(first), let other = Identity(second) else { return false }
    return one == other
  }
}
