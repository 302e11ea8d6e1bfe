// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderModel

/// What tells one state of a file from another.
struct FileStamp: Hashable, Sendable {
  let size: Int
  /// Nanoseconds since 1970.
  let modified: Int
  let changed: Int
  let inode: UInt

  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    size = Int(status.st_size)
    modified = status.st_mtim.tv_sec &* 1_000_000_000 &+ status.st_mtim.tv_nsec
    changed = status.st_ctim.tv_sec &* 1_000_000_000 &+ status.st_ctim.tv_nsec
    inode = UInt(status.st_ino)
  }

  /// As a line of the cache has it.
  var text: String { "\(size) \(modified) \(changed) \(inode)" }
}

/// Answers of scans, in memory and in a file of the user's.
///
/// The file has a line for each library, fields separated by tabs: path, stamp, code, message, missing library. A file
/// that somebody else could write to does not count, and one that cannot be written is done without.
enum ScanCache {
  struct Answer: Sendable {
    /// Nil for a library that can be loaded.
    let reason: SkipReason?
  }

  private struct Key: Hashable {
    let library: String
    let stamp: FileStamp
  }

  private static let known = Lock<[Key: Answer]>([:])
  /// Another version of the host, of its interface or of the runtime may answer otherwise.
  private static let header = "scans 1 \(HostPlatform.abiMajor).\(HostPlatform.abiMinor) \(HostPlatform.runtime)"
  private static let maxBytes = 1 << 20

  static func answer(to library: String, _ stamp: FileStamp) -> Answer? {
    if let answer = known.withLock({ $0[Key(library: library, stamp: stamp)] }) { return answer }
    guard let line = lines().first(where: { $0.first == library && $0[1] == stamp.text }) else { return nil }
    let answer = Answer(
      reason: SkipReason.Code(rawValue: line[2]).map {
        SkipReason($0, line[3], missingLibrary: line[4].isEmpty ? nil : line[4])
      })
    guard answer.reason != nil || line[2] == "ok" else { return nil }
    known.withLock { $0[Key(library: library, stamp: stamp)] = answer }
    return answer
  }

  static func keep(_ answer: Answer, for library: String, _ stamp: FileStamp) {
    known.withLock { $0[Key(library: library, stamp: stamp)] = answer }
    let fields = [
      library, stamp.text, answer.reason?.code.rawValue ?? "ok", answer.reason?.message ?? "",
      answer.reason?.missingLibrary ?? "",
    ]
    guard let path, !fields.contains(where: { $0.contains("\t") || $0.contains("\n") }) else { return }
    // A library has one line, and those that are gone have none.
    let others = lines().filter { $0[0] != library && access($0[0], F_OK) == 0 }
    let text = ([header] + (others + [fields]).map { $0.joined(separator: "\t") }).joined(separator: "\n") + "\n"
    write(text, to: path)
  }

  /// The file's lines, or none if it is not this version's or not the user's alone.
  private static func lines() -> [[String]] {
    guard let path,
      case .success(let bytes) = Result(catching: { () throws(FileProblem) in
        try TrustedFile.contents(of: path, maxBytes: maxBytes)
      })
    else { return [] }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    guard lines.first.map(String.init) == header else { return [] }
    return lines.dropFirst().map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }.filter { $0.count == 5 }
  }

  /// `$XDG_CACHE_HOME/coders/scans`, or nil for a user without a home.
  private static var path: String? {
    if let home = PluginSearchPath.secureEnvironment("XDG_CACHE_HOME"), home.hasPrefix("/") {
      return "\(home)/coders/scans"
    }
    if let home = PluginSearchPath.secureEnvironment("HOME"), home.hasPrefix("/") {
      return "\(home)/.cache/coders/scans"
    }
    return nil
  }

  /// Writes a whole file or none.
  private static func write(_ text: String, to path: String) {
    guard let folder = PluginSearchPath.parent(of: path) else { return }
    var made = ""
    for part in folder.split(separator: "/") {
      made += "/\(part)"
      mkdir(made, 0o700)
    }
    let temporary = "\(path).\(getpid())"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return }
    let bytes = Array(text.utf8)
    let written = Glibc.write(descriptor, bytes, bytes.count)
    close(descriptor)
    if written == bytes.count, rename(temporary, path) == 0 { return }
    unlink(temporary)
  }
}
