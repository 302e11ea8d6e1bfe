// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders
import SampleImages
import Testing

/// Sample files, written once for all tests with the plugins that `make` stages.
enum SampleFiles {
  static let registry: CoderRegistry = {
    // …/Examples/Demo/Tests/ContactSheetsTests/SampleFiles.swift
    let root = "/" + #filePath.split(separator: "/").dropLast(5).joined(separator: "/")
    return CoderRegistry(
      searchPath: .only(["\(root)/build/lib/coders/1"]))
  }()

  static let folder = Folder()

  private static let files = Result { () throws(CoderError) in
    let wanted: Set = ["window.png", "shapes-alpha.webp", "comet-alpha.gif"]
    var files: [String: String] = [:]
    for sample in Sample.all where sample.files.contains(where: { wanted.contains($0.name) }) {
      let pages = try sample.pages()
      for file in sample.files where wanted.contains(file.name) {
        files[file.name] = folder.write(file.name, try Sample.encode(pages, as: file, with: registry))
      }
    }
    return files
  }

  /// The path of a sample.
  static func path(_ name: String) throws -> String {
    try #require(try files.get()[name], "no sample \(name)")
  }
}

/// A directory that goes away with its last user.
final class Folder: Sendable {
  let path: String

  init() {
    var template = Array("/tmp/contact-sheet-tests-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { bytes in
      bytes.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? "/nowhere"
    }
  }

  /// Writes a file and gives its path.
  func write(_ name: String, _ bytes: [UInt8]) -> String {
    let file = "\(path)/\(name)"
    let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    _ = Glibc.write(descriptor, bytes, bytes.count)
    close(descriptor)
    return file
  }
}
