// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders

/// File names and directories.
enum Path {
  /// The part after the last slash.
  static func name(_ path: String) -> String {
    String(path.split(separator: "/").last ?? "")
  }

  /// The part before the last slash.
  static func folder(_ path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
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

  static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Makes a directory and its parents.
  ///
  /// - Throws: ``CoderError/Code/io``. The message names a parent that is in the way, but not `path` itself.
  static func makeDirectory(_ path: String) throws(CoderError) {
    var above = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      above += "\(part)/"
      guard mkdir(above, 0o777) != 0, errno != EEXIST || !isDirectory(above) else { continue }
      let reason = String(cString: strerror(errno == EEXIST ? ENOTDIR : errno)).lowercased()
      let isWhole = above.split(separator: "/").count == path.split(separator: "/").count
      throw .io(isWhole ? reason : "\(String(above.dropLast()).printable): \(reason)")
    }
  }

  /// Whether two paths name the same file.
  static func areSame(_ first: String, _ second: String) -> Bool {
    var (one, other) = (stat(), stat())
    return stat(first, &one) == 0 && stat(second, &other) == 0 && one.st_dev == other.st_dev
      && one.st_ino == other.st_ino
  }
}
