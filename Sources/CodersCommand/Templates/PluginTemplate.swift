// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoders

/// A whole plugin to begin with: a folder of files in which names are replaced.
///
/// The templates are installed in `share/coders/templates`, a folder for each language. They build as they stand there.
struct PluginTemplate {
  /// A file of the template.
  struct File: Equatable {
    /// Relative to the template's folder.
    let path: String
    let bytes: [UInt8]
  }

  /// In no order.
  let files: [File]

  /// Reads a template.
  ///
  /// - Throws: ``CoderError/Code/io`` if a file cannot be read, or the folder holds none.
  init(folder: String) throws(CoderError) {
    var files: [File] = []
    for path in try Self.paths(in: folder, below: "", depth: 0) {
      let bytes: [UInt8]
      do throws(CoderError) {
        bytes = try OpenSource(.file("\(folder)/\(path)"), limits: .standard).contents()
      } catch {
        throw .io("the template \(folder)/\(path): \(error.message)")
      }
      files.append(File(path: path, bytes: bytes))
    }
    guard !files.isEmpty else { throw .io("there is no template in \(folder)") }
    self.files = files
  }

  /// The files of a plugin with its own names, in the order of the paths' bytes.
  func files(named name: PluginName) -> [File] {
    files.map {
      File(
        path: String(decoding: name.filled(Array($0.path.utf8)), as: UTF8.self), bytes: name.filled($0.bytes))
    }.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }

  /// Where the templates are: in the folder that the environment names, or beside the program.
  ///
  /// - Throws: ``CoderError/Code/io`` that says where they were looked for.
  static func folder(of language: PluginLanguage, _ console: Console) throws(CoderError) -> String {
    let installed = console.executable.map { "\(Path.folder($0))/../share/coders/templates" }
    guard let templates = console.environment("CODERS_TEMPLATES") ?? installed else {
      throw .io("no templates: the program's place is not known; set CODERS_TEMPLATES to their folder")
    }
    let folder = "\(templates)/\(language.rawValue)"
    guard Path.isDirectory(folder) else {
      throw .io("no templates in \(templates); set CODERS_TEMPLATES to the folder share/coders/templates")
    }
    return folder
  }

  /// What building a template in its place leaves there.
  private static let built: Set = ["build", ".build", "target", "Cargo.lock", "Package.resolved"]

  /// Paths of regular files; links are followed.
  private static func paths(in folder: String, below: String, depth: Int) throws(CoderError) -> [String] {
    guard depth < 8, let stream = opendir("\(folder)/\(below)") else {
      throw .io("the template \(folder)/\(below): \(String(cString: strerror(errno)).lowercased())")
    }
    defer { closedir(stream) }
    var paths: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard name != ".", name != "..", !built.contains(name) else { continue }
      let path = below + name
      if Path.isDirectory("\(folder)/\(path)") {
        paths += try Self.paths(in: folder, below: "\(path)/", depth: depth + 1)
      } else {
        paths.append(path)
      }
    }
    return paths
  }
}

/// A language that a plugin can be written in, with a template.
enum PluginLanguage: String, CaseIterable, Sendable {
  case c
  case cpp
  case rust
  case swift

  /// The language's own spelling.
  var title: String {
    switch self {
    case .c: "C"
    case .cpp: "C++"
    case .rust: "Rust"
    case .swift: "Swift"
    }
  }
}
