// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The files of a plugin directory, without its subdirectories, in the order of their names' bytes.
struct DirectoryListing {
  static let suffix = ".imgcoder.json"

  /// The directory's path without links.
  let resolved: String
  let manifests: [String]
  let others: [String]
  /// Manifests whose names are not UTF-8; their paths have other characters for what is not.
  let unnameable: [String]
  let status: stat

  /// Reads a directory.
  ///
  /// - Throws: ``SkipReason`` if it cannot be read, or others could change it.
  init(_ directory: String) throws(SkipReason) {
    guard let stream = opendir(directory) else {
      throw SkipReason(.manifestUnreadable, "\(directory): \(String(cString: strerror(errno)).lowercased())")
    }
    defer { closedir(stream) }
    var status = stat()
    let walk = PathWalk(directory)
    guard fstat(dirfd(stream), &status) == 0 else {
      throw SkipReason(.manifestUnreadable, "\(directory): \(String(cString: strerror(errno)).lowercased())")
    }
    guard let resolved = walk.resolved, walk.problem == nil, TrustedFile.writers(of: status, directory) == nil else {
      throw SkipReason(.permission, TrustedFile.writers(of: status, directory) ?? walk.problem ?? directory)
    }
    self.resolved = resolved
    self.status = status
    var names: [String] = []
    var unnameable: [String] = []
    while let entry = readdir(stream) {
      withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        let bytes = bytes.prefix { $0 != 0 }
        if let name = String(validating: bytes, as: UTF8.self) {
          if name != ".", name != ".." { names.append(name) }
        } else if bytes.suffix(Self.suffix.utf8.count).elementsEqual(Self.suffix.utf8) {
          unnameable.append(String(decoding: bytes, as: UTF8.self))
        }
      }
    }
    func paths(_ names: [String]) -> [String] {
      names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { "\(directory)/\($0)" }
    }
    manifests = paths(names.filter { $0.hasSuffix(Self.suffix) && $0 != Self.suffix })
    others = paths(names.filter { !$0.hasSuffix(Self.suffix) || $0 == Self.suffix })
    self.unnameable = paths(unnameable)
  }

  /// A manifest's bytes.
  func contents(of manifest: String) throws(SkipReason) -> [UInt8] {
    do throws(FileProblem) {
      let name = Self.names(of: manifest).last.map(String.init) ?? manifest
      let walk = PathWalk(name, in: resolved, status)
      let bytes = try TrustedFile.contents(of: manifest, maxBytes: Manifest.maxBytes, known: walk.status)
      if let problem = walk.problem { throw FileProblem(kind: .permission, message: problem) }
      return bytes
    } catch {
      switch error.kind {
      case .missing, .unreadable: throw SkipReason(.manifestUnreadable, error.message)
      case .tooLarge: throw SkipReason(.manifestInvalid, error.message)
      case .permission: throw SkipReason(.permission, error.message)
      }
    }
  }

  /// Why a library must not be loaded, or nil.
  ///
  /// - Parameters:
  ///   - library: Relative to the directory.
  ///   - path: The same library's path from the directory as it was named.
  func problem(library: String, path: String) -> SkipReason? {
    // A directory on the way has to be as safe as the one that the manifest lies in.
    var folder = resolved
    for name in Self.names(of: library).dropLast() where name != "." {
      folder += "/\(name)"
      var status = stat()
      if stat(folder, &status) == 0, let problem = TrustedFile.writers(of: status, folder) {
        return SkipReason(.permission, problem)
      }
    }
    return Self.problem(path, PathWalk(library, in: resolved, status))
  }

  private static func names(of path: String) -> [Substring] {
    path.utf8.split(separator: UInt8(ascii: "/")).map(Substring.init)
  }

  /// Why a library must not be loaded, or nil.
  static func permissionProblem(_ library: String) -> SkipReason? { problem(library, PathWalk(library)) }

  private static func problem(_ path: String, _ walk: PathWalk) -> SkipReason? {
    do throws(FileProblem) {
      try TrustedFile.check(path, known: walk.status)
    } catch {
      return SkipReason(error.kind == .permission ? .permission : .libraryMissing, error.message)
    }
    return walk.problem.map { SkipReason(.permission, $0) }
  }
}
