// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders
import Testing

/// The package's own directories.
enum Package {
  static let root: String = {
    // …/Tests/CodersCommandTests/Support/Place.swift
    var parts = #filePath.split(separator: "/")
    parts.removeLast(4)
    return "/" + parts.joined(separator: "/")
  }()

  /// Where `make test` stages the plugins before it runs this.
  static let plugins = "\(root)/build/lib/coders/1"
  /// Manifests whose coder's identifier has a dot more than the file's name.
  private static let secondCoders = [
    "giflib.imgcoder.json": "gif.giflib", "libheif.imgcoder.json": "heif.libheif",
  ]
  /// The identifiers of the coders that are staged, each with one manifest.
  static let coders: [String] = Folder.names(in: plugins).filter { $0.hasSuffix(".json") }
    .map { "org.imagecoders.\(secondCoders[$0] ?? String($0.dropLast(".imgcoder.json".count)))" }
  /// The command that `make test` stages.
  static let command = "\(root)/build/bin/coders"

  static func text(_ path: String) throws -> String { String(decoding: try bytes("\(root)/\(path)"), as: UTF8.self) }

  static func bytes(_ path: String) throws -> [UInt8] {
    let source = try OpenSource(.file(path), limits: .standard)
    // A view lives as long as its source, and a source as long as its last use.
    return try withExtendedLifetime(source) { [UInt8](try $0.view(at: 0, count: .max)) }
  }
}

/// A directory that goes away with its test.
final class Folder: Sendable {
  let path: String

  init() {
    var template = Array("/tmp/coders-tests-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { bytes in
      bytes.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? "/nowhere"
    }
  }

  deinit {
    for name in names.reversed() {
      unlink("\(path)/\(name)")
      for inner in Self.names(in: "\(path)/\(name)") { unlink("\(path)/\(name)/\(inner)") }
      rmdir("\(path)/\(name)")
    }
    rmdir(path)
  }

  /// Names of the files in the folder, hidden ones too, in the order of their bytes.
  var names: [String] { Self.names(in: path) }

  static func names(in path: String) -> [String] {
    guard let stream = opendir(path) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Writes a file and gives its path.
  @discardableResult
  func write(_ name: String, _ bytes: [UInt8]) -> String {
    let file = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    _ = Glibc.write(file, bytes, bytes.count)
    close(file)
    return "\(path)/\(name)"
  }

  @discardableResult
  func write(_ name: String, _ text: String) -> String { write(name, Array(text.utf8)) }
}
