// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders
import ImageCodersBuiltIn

/// Seeds on disk.
enum Files {
  /// The files below a folder, in order; a file itself; nothing for a path that is not there.
  static func below(_ path: String) -> [String] {
    guard let names = names(in: path) else { return access(path, R_OK) == 0 ? [path] : [] }
    return names.sorted().flatMap { below("\(path)/\($0)") }
  }

  /// What is in a folder, but what is hidden; nil for what is none.
  private static func names(in path: String) -> [String]? {
    guard let folder = opendir(path) else { return nil }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }

  static func bytes(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&part, 1, part.count, file), count > 0 { bytes += part[..<count] }
    return bytes
  }

  /// A new folder in memory, where there is such a place.
  static func temporaryFolder() -> String? {
    let place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var name = Array("\(place)/coder-fuzz.XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else { return nil }
    return name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
  }

  /// Removes a folder and all that is in it and not hidden.
  static func remove(_ path: String) {
    for name in names(in: path) ?? [] { remove("\(path)/\(name)") }
    _ = Glibc.remove(path)
  }

  static func write(_ bytes: [UInt8], to path: String) {
    guard let file = fopen(path, "wb") else { return }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }
}

extension Seeds {
  /// The bytes, and where they are from.
  func inputs() -> [(path: String, bytes: [UInt8])] {
    switch self {
    case .files(let paths):
      return paths.flatMap(Files.below).compactMap { path in Files.bytes(path).map { (path, $0) } }
    case .bytes(let list): return list.enumerated().map { ("seed \($0.offset)", $0.element) }
    case .metadata(let kind):
      let registry = CoderRegistry(
        builtIn: .all, searchPath: .only(["build/lib/coders/1"]), preferences: CoderPreferences())
      return Files.below("Tests/Fixtures").compactMap { path in
        guard let block = try? registry.open(.file(path)).metadata(kind) else { return nil }
        return (path, block)
      }
    }
  }
}
