// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoders

/// A file or a folder that holds a plugin, as its author gives it away.
struct PluginArchive {
  /// How the file is compressed, by its first bytes.
  private enum Compression: String {
    case plain, xz, gzip

    init(_ start: [UInt8]) {
      // The .xz file format 1.2, section 2.1.1.1; RFC 1952 section 2.3.1.
      if start.starts(with: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]) {
        self = .xz
      } else {
        self = start.starts(with: [0x1F, 0x8B]) ? .gzip : .plain
      }
    }
  }

  /// What messages call it.
  let name: String
  /// The open file, or nil for a folder.
  private let descriptor: Int32?
  /// Its owner.
  let owner: (user: uid_t, group: gid_t)
  private let location: String

  /// Opens an archive.
  ///
  /// - Parameter name: A folder, a file, or `-` for a file that is standard input.
  /// - Throws: ``CoderError/Code/io``.
  init(_ name: String, _ console: Console) throws(CoderError) {
    let location = console.location(of: name)
    let descriptor =
      name == "-"
      ? dup(STDIN_FILENO) : location.withSystemName { open($0, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) }
    var status = stat()
    guard descriptor >= 0, fstat(descriptor, &status) == 0 else { throw FileTree.failure(name) }
    let kind = status.st_mode & S_IFMT
    if kind != S_IFREG { close(descriptor) }
    guard kind == S_IFREG || kind == S_IFDIR && name != "-" else {
      throw CoderError.io("a file or a folder is needed").annotated(file: name)
    }
    (self.name, self.location, owner) = (name, location, (status.st_uid, status.st_gid))
    self.descriptor = kind == S_IFREG ? descriptor : nil
  }

  /// Whether it is a file, and where it is open.
  var file: Int32? { descriptor }

  /// The path from the root, for another process and for the receipt.
  var path: String { Path.absolute(location, in: Path.workingDirectory() ?? ".") }

  /// Writes the files into a folder that is there and empty, once their names, kinds and sizes are allowed.
  ///
  /// - Throws: ``CoderError/Code/malformed``, ``CoderError/Code/truncated`` and ``CoderError/Code/limitExceeded`` for an archive
  ///   that is refused; ``CoderError/Code/io``; ``CoderError/Code/cancelled``.
  func unpack(into folder: String, _ console: Console) throws(CoderError) {
    guard let descriptor else { return try FileTree(location).copy(into: folder) }
    var start = [UInt8](repeating: 0, count: 6)
    let count = pread(descriptor, &start, start.count, 0)
    guard count >= 0, lseek(descriptor, 0, SEEK_SET) == 0 else { throw FileTree.failure(name) }
    let compression = Compression(Array(start.prefix(count)))
    guard let program = try Self.program(for: compression, input: descriptor) else {
      return try Self.unpack(descriptor, into: folder, console)
    }
    var problem: CoderError?
    do throws(CoderError) { try Self.unpack(program.output, into: folder, console) } catch { problem = error }
    // A file that cannot be inflated ends early, and that is the better reason.
    if let problem, problem.code != .truncated { throw problem }
    let status = program.wait()
    guard status == 0 else {
      throw .malformed("it cannot be unpacked: \(compression.rawValue) ends with status \(status)")
    }
    if let problem { throw problem }
  }

  private static func program(for compression: Compression, input: Int32) throws(CoderError) -> ChildProgram? {
    switch compression {
    case .plain: nil
    // Enough for what xz -9 writes.
    case .xz: try ChildProgram("xz", ["--decompress", "--stdout", "--memlimit-decompress=128MiB"], input: input)
    case .gzip: try ChildProgram("gzip", ["--decompress", "--stdout"], input: input)
    }
  }

  private static func unpack(_ descriptor: Int32, into folder: String, _ console: Console) throws(CoderError) {
    let reader = TarReader { memory in
      var got = 0
      while got < memory.count {
        let step = read(descriptor, memory.baseAddress.map { $0 + got }, memory.count - got)
        if step < 0, errno == EINTR, !console.cancellation.isCancelled { continue }
        guard step >= 0 else { return -Int(errno) }
        guard step > 0 else { break }
        got += step
      }
      return got
    }
    try unpack(reader, into: folder, console)
  }

  private static func unpack(_ reader: TarReader, into folder: String, _ console: Console) throws(CoderError) {
    var limits = ArchiveLimits()
    var folders: Set<String> = []
    func addFolder(_ name: String) throws(CoderError) {
      guard !folders.contains(name) else { return }
      if let slash = name.lastIndex(of: "/") { try addFolder(String(name[..<slash])) }
      try limits.addFolder()
      guard mkdir("\(folder)/\(name)", 0o755) == 0, chmod("\(folder)/\(name)", 0o755) == 0 else {
        guard errno != EEXIST else { throw twice(name) }
        throw FileTree.failure(name)
      }
      folders.insert(name)
    }
    while let entry = try reader.next() {
      guard !console.cancellation.isCancelled else { throw CoderError(code: .cancelled, message: "interrupted") }
      if entry.isFolder {
        try addFolder(entry.name)
        continue
      }
      try limits.addFile(entry.name, bytes: entry.size)
      if let slash = entry.name.lastIndex(of: "/") { try addFolder(String(entry.name[..<slash])) }
      guard access("\(folder)/\(entry.name)", F_OK) != 0 else { throw twice(entry.name) }
      let file = try NewPlainFile("\(folder)/\(entry.name)")
      try reader.contents(of: entry) { (bytes) throws(CoderError) in try file.append(bytes) }
      try file.finish()
    }
  }

  private static func twice(_ name: String) -> CoderError { .malformed("\(name.printable) is there twice") }
}
