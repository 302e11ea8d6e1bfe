// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ImageCoderModel
import ImageCoders

/// The files of a plugin that is checked.
package struct CheckedPlugin: Sendable {
  /// The path of the manifest, or nil for a library without one.
  package let manifest: String?
  /// The path of the library, or nil when the manifest names none.
  package let library: String?
  /// Sample files that the caller gave.
  package let files: [String]

  /// What to print: the manifest's identifier, or a file's name.
  package let name: String

  /// - Parameter files: Sample files; those of other formats serve as files that the plugin has to refuse.
  package init(manifest: String?, library: String?, files: [String]) {
    self.files = files
    let parsed = manifest.flatMap { Self.contents($0) }.flatMap { try? Manifest(json: $0) }
    self.manifest = manifest
    self.library =
      library ?? manifest.flatMap { path in parsed.map { "\(Self.folder(path))/\($0.library)" } }
    name = parsed?.id ?? Self.lastName(manifest ?? library ?? "")
  }

  /// The plugins that a path names.
  ///
  /// - Parameter path: A library, a manifest, or a directory of manifests.
  package static func find(_ path: String, files: [String]) throws(CoderError) -> [CheckedPlugin] {
    let path = absolute(path)
    var status = stat()
    guard stat(path, &status) == 0 else { throw .io("\(path): \(String(cString: strerror(errno)).lowercased())") }
    if status.st_mode & S_IFMT == S_IFDIR {
      let manifests = names(in: path).filter { $0.hasSuffix(suffix) && $0 != suffix }
      guard !manifests.isEmpty else { throw .io("\(path): no manifest, NAME\(suffix)") }
      return manifests.map { CheckedPlugin(manifest: "\(path)/\($0)", library: nil, files: files) }
    }
    if path.hasSuffix(".json") { return [CheckedPlugin(manifest: path, library: nil, files: files)] }
    // A manifest beside the library names it.
    let beside = names(in: folder(path)).filter { $0.hasSuffix(suffix) }.map { "\(folder(path))/\($0)" }
    let manifest = beside.first { name in
      contents(name).flatMap { try? Manifest(json: $0) }.map { "\(folder(name))/\($0.library)" } == path
    }
    return [CheckedPlugin(manifest: manifest, library: path, files: files)]
  }

  /// The files that a check of a result looks at: only a few look at those of other formats.
  package func ownFiles(_ check: String) -> [String] {
    if ["manifest.others", "decode.foreign", "interface.recognize"].contains(check) { return files }
    let parsed = manifest.flatMap { Self.contents($0) }.flatMap { try? Manifest(json: $0) }
    guard let extensions = parsed.map({ $0.formats.flatMap(\.extensions) }), !extensions.isEmpty else { return files }
    return files.filter { Self.fileExtension($0).isEmpty || extensions.contains(Self.fileExtension($0)) }
  }

  static let suffix = ".imgcoder.json"

  static func folder(_ path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  static func lastName(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }

  /// In lower case, without the dot; empty if the name has none.
  static func fileExtension(_ path: String) -> String {
    let name = lastName(path)
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
    return name[name.index(after: dot)...].lowercased()
  }

  package static func absolute(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// The names in a directory, sorted; none if it cannot be read.
  static func names(in directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// The bytes of a regular file of at most 64 MiB, or nil.
  static func contents(_ path: String, atMost limit: Int = 64 << 20) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= limit else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var count = 0
    while count < bytes.count {
      let step = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress! + count, $0.count - count) }
      guard step > 0 else { return nil }
      count += step
    }
    return bytes
  }
}
