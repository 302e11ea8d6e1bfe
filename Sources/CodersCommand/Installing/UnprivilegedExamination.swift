// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoders

/// What happens to an archive before anything of it is installed: it is unpacked, compared with its checksums, loaded and
/// checked. Root leaves that to another user.
enum UnprivilegedExamination {
  /// The user who is nobody, where the system does not name one.
  private static let nobody: uid_t = 65_534

  /// Unpacks and examines an archive in this process, which must not be root's.
  ///
  /// - Parameter folder: It is there and empty.
  static func run(_ archive: PluginArchive, in folder: String, _ console: Console) throws(CoderError) {
    try archive.unpack(into: folder, console)
    let plugin = try StagedPlugin(examining: folder)
    try plugin.scan()
    try plugin.check(console)
  }

  /// Does that in a process of the archive's owner or, if that is root, of the user nobody.
  ///
  /// - Parameter folder: It is there and empty, and becomes that user's.
  static func runAsRoot(_ archive: PluginArchive, in folder: String, _ console: Console) throws(CoderError) {
    guard let program = console.executable else { throw .io("the program's own path is not known") }
    let (user, group) = account(of: archive)
    guard chown(folder, user, group) == 0 else { throw FileTree.failure(folder) }
    let child = try ChildProgram(
      "setpriv",
      [
        "--reuid=\(user)", "--regid=\(group)", "--clear-groups", "--no-new-privs", "--", program, "plugin", "install",
        "--stage", folder, archive.file == nil ? archive.path : "-",
      ], input: archive.file, showsErrors: true)
    var answer: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while answer.count < 65_536 {
      let count = read(child.output, &piece, piece.count)
      if count < 0, errno == EINTR, !console.cancellation.isCancelled { continue }
      guard count > 0 else { break }
      answer += piece[..<count]
    }
    guard !console.cancellation.isCancelled else { throw CoderError(code: .cancelled, message: "interrupted") }
    let status = child.wait()
    guard status == 0, let failure = failure(in: answer) else {
      throw .io(
        "the examination as user \(user) ends with status \(status); \(program.printable) has to be readable for that user"
      )
    }
    if let error = failure { throw error }
  }

  /// The end of such a process: its error, or that there is none.
  static func answer(_ error: CoderError?) -> String { error.map { "\($0.code.rawValue)\n\($0.message)" } ?? "ok" }

  /// - Returns: Nil if that is no answer.
  private static func failure(in answer: [UInt8]) -> CoderError?? {
    let lines = String(decoding: answer, as: UTF8.self).split(separator: "\n", maxSplits: 1).map(String.init)
    if lines == ["ok"] { return .some(nil) }
    guard lines.count == 2, let code = UInt32(lines[0]) else { return nil }
    let message = lines[1].hasSuffix("\n") ? String(lines[1].dropLast()) : lines[1]
    return CoderError(code: CoderError.Code(rawValue: code), message: message.printable)
  }

  private static func account(of archive: PluginArchive) -> (user: uid_t, group: gid_t) {
    let (user, group) = archive.owner
    if user != 0 {
      if let entry = getpwuid(user) { return (user, entry.pointee.pw_gid) }
      return (user, group == 0 ? nobody : group)
    }
    guard let entry = getpwnam("nobody"), entry.pointee.pw_uid != 0 else { return (nobody, nobody) }
    return (entry.pointee.pw_uid, entry.pointee.pw_gid)
  }
}
