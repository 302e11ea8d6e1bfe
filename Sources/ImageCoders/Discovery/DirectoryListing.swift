// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoderModel

/// Files of plugin directories, and whether they can be trusted.
enum DirectoryListing {
  static let suffix = ".imgcoder.json"

  /// The manifests in a directory, without its subdirectories, in the order of their names' bytes.
  static func manifests(in directory: String) throws(SkipReason) -> [String] {
    guard let stream = opendir(directory) else {
      throw SkipReason(.manifestUnreadable, "\(directory): \(String(cString: strerror(errno)).lowercased())")
    }
    defer { closedir(stream) }
    if let reason = permissionProblem(directory) { throw reason }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(suffix), name != suffix { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { "\(directory)/\($0)" }
  }

  /// A manifest's bytes.
  static func contents(of path: String) throws(SkipReason) -> [UInt8] {
    if let reason = permissionProblem(path) { throw reason }
    let read = Result { () throws(CoderError) in
      let source = try OpenSource(.file(path), limits: .standard)
      return source.size > Manifest.maxBytes ? [] : try source.contents()
    }
    switch read {
    case .success(let bytes) where bytes.isEmpty:
      throw SkipReason(.manifestInvalid, "empty, or over \(Manifest.maxBytes) bytes")
    case .success(let bytes): return bytes
    case .failure(let error): throw SkipReason(.manifestUnreadable, error.message)
    }
  }

  /// Why a file or directory must not be used: it is not there, or somebody else could change it.
  static func permissionProblem(_ path: String) -> SkipReason? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      return SkipReason(.libraryMissing, "\(path): \(String(cString: strerror(errno)).lowercased())")
    }
    guard status.st_uid == 0 || status.st_uid == geteuid() else {
      return SkipReason(
        .permission, "\(path) belongs to user \(status.st_uid), who is neither root nor the current user")
    }
    guard status.st_mode & S_IWOTH == 0 else { return SkipReason(.permission, "\(path) can be written by everybody") }
    let isOwnGroup = status.st_gid == 0 || status.st_gid == getegid()
    guard status.st_mode & S_IWGRP == 0 || isOwnGroup else {
      return SkipReason(.permission, "\(path) can be written by group \(status.st_gid)")
    }
    return nil
  }
}

/// What plugins have to fit.
package enum HostPlatform {
  package static let abiMajor = 1
  package static let abiMinor = 0

  package static var name: String {
    #if arch(x86_64)
      "linux-x86_64"
    #elseif arch(arm64)
      "linux-aarch64"
    #else
      "linux-unknown"
    #endif
  }

  /// The Swift runtime of this process, as manifests name it: major and minor version, which is all that it tells.
  package static let runtime = "swift/\(_SwiftStdlibVersion.current)".split(separator: ".").prefix(2).joined(
    separator: ".")
}
