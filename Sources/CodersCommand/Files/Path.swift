// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders

/// Names of files.
enum Path {
  /// The part behind the last slash.
  static func name(_ path: String) -> String {
    String(path.split(separator: "/").last ?? "")
  }

  /// The part before the last slash.
  static func folder(_ path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }

  /// The name without its extension; a dot at the start belongs to the name.
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

  /// Makes a directory and those above it.
  ///
  /// - Throws: ``CoderError/Code/io``.
  static func makeDirectory(_ path: String) throws(CoderError) {
    var above = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      above += "\(part)/"
      guard mkdir(above, 0o777) != 0, errno != EEXIST || !isDirectory(above) else { continue }
      guard errno != EEXIST else { throw .io("\(above.dropLast()) is there and is no directory") }
      throw .io("\(above.dropLast()): \(String(cString: strerror(errno)).lowercased())")
    }
  }

  /// Whether two paths lead to the same file.
  static func areSame(_ first: String, _ second: String) -> Bool {
    var (one, other) = (stat(), stat())
    return stat(first, &one) == 0 && stat(second, &other) == 0 && one.st_dev == other.st_dev
      && one.st_ino == other.st_ino
  }
}
