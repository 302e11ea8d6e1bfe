// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoders

/// One of the files that a verb reads.
struct InputFile: Sendable, Equatable {
  /// Its name on the command line, or below a directory that was named there.
  let path: String
  /// The directories between the one that was named and the file: empty, or `2024/spring/`.
  let subfolder: String

  init(path: String, subfolder: String = "") { (self.path, self.subfolder) = (path, subfolder) }
}

/// The names in a file of names.
enum FileNameList {
  /// Reads names that are each ended by a null byte or, if there is none, by a line feed.
  ///
  /// - Parameter list: The file's name, or `-` for standard input.
  /// - Throws: ``CoderError/Code/io``.
  static func read(_ list: String, _ console: Console) throws(CoderError) -> [String] {
    let bytes: [UInt8]
    if list == "-" {
      bytes = try StandardInput.read(most: .max, console.cancellation)
    } else {
      bytes = try OpenSource(.file(console.location(of: list)), limits: .standard).contents()
    }
    let end: UInt8 = bytes.contains(0) ? 0 : UInt8(ascii: "\n")
    return bytes.split(separator: end).map { name in
      let name = SystemName.string(name)
      // In a list, a hyphen is the name of a file.
      return name == "-" ? "./-" : name
    }
  }
}

/// Finds the images in directories.
struct DirectoryWalk {
  /// Extensions of the files to take, lower case.
  private let suffixes: Set<String>
  /// A directory whose content is left out, or nil.
  private let output: String?
  private let console: Console
  private let failures: Failures

  init(suffixes: Set<String>, output: String?, console: Console, failures: Failures) {
    (self.suffixes, self.output, self.console, self.failures) = (suffixes, output, console, failures)
  }

  /// The file itself, or the images in a directory and those below, in the order of the bytes of their names.
  ///
  /// Names that begin with a dot and links to directories are left out.
  func files(of name: String, order: Int) -> [InputFile] {
    guard name != "-", Path.isDirectory(console.location(of: name)) else { return [InputFile(path: name)] }
    var found: [InputFile] = []
    add(name, subfolder: "", order: order, to: &found)
    return found
  }

  private func add(_ folder: String, subfolder: String, order: Int, to found: inout [InputFile]) {
    let location = console.location(of: folder)
    if let output, Path.areSame(location, output) { return }
    guard let stream = location.withSystemName({ opendir($0) }) else {
      failures.add(.io(String(cString: strerror(errno)).lowercased()), file: folder, order: order)
      return
    }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        SystemName.string(bytes.prefix { $0 != 0 })
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    closedir(stream)
    let prefix = folder.hasSuffix("/") ? folder : folder + "/"
    for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
      if console.cancellation.isCancelled { return }
      let path = prefix + name
      var status = stat()
      guard console.location(of: path).withSystemName({ lstat($0, &status) }) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        add(path, subfolder: "\(subfolder)\(name)/", order: order, to: &found)
      } else if let suffix = Path.suffix(name), suffixes.contains(suffix.lowercased()),
        !Path.isDirectory(console.location(of: path))
      {
        found.append(InputFile(path: path, subfolder: subfolder))
      }
    }
  }
}
