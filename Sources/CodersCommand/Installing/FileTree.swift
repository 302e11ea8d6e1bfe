// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoders

/// A folder with plain files and folders in it, and nothing else.
///
/// Every file is opened from folder to folder, and no link is followed: what somebody else changes meanwhile leads nowhere.
struct FileTree {
  let folder: String
  /// Names relative to the folder, in the order of their bytes.
  private(set) var files: [String] = []
  /// A folder comes after those that it is in.
  private(set) var folders: [String] = []

  /// Reads the names in a folder.
  ///
  /// - Throws: ``CoderError/Code/malformed`` for links and other things that are no files; ``CoderError/Code/limitExceeded``;
  ///   ``CoderError/Code/io``.
  init(_ folder: String) throws(CoderError) {
    self.folder = folder
    var limits = ArchiveLimits()
    let descriptor = folder.withSystemName { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw Self.failure(folder) }
    try read(descriptor, below: "", &limits)
    files.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// - Parameter descriptor: Of a folder; it is closed.
  private mutating func read(
    _ descriptor: Int32, below prefix: String, _ limits: inout ArchiveLimits
  ) throws(CoderError) {
    guard let stream = fdopendir(descriptor) else {
      close(descriptor)
      throw Self.failure("\(folder)/\(prefix)")
    }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      guard bytes != Array(".".utf8), bytes != Array("..".utf8) else { continue }
      guard let name = try ArchiveName.checked(Array(prefix.utf8) + bytes) else { continue }
      let last = String(decoding: bytes, as: UTF8.self)
      var status = stat()
      guard fstatat(dirfd(stream), last, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
        throw Self.failure("\(folder)/\(name)")
      }
      switch status.st_mode & S_IFMT {
      case S_IFREG:
        guard status.st_mode & 0o7000 == 0 else {
          throw .malformed("\(name.printable) is setuid, setgid or sticky, which is not allowed")
        }
        try limits.addFile(name, bytes: Int(status.st_size))
        files.append(name)
      case S_IFDIR:
        try limits.addFolder()
        folders.append(name)
        let inner = openat(dirfd(stream), last, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard inner >= 0 else { throw Self.failure("\(folder)/\(name)") }
        try read(inner, below: "\(name)/", &limits)
      case S_IFLNK: throw .malformed("\(name.printable) is a symbolic link; only plain files and folders are allowed")
      default:
        throw .malformed("\(name.printable) is a device, a FIFO or a socket; only plain files and folders are allowed")
      }
    }
  }

  /// Copies all files into a folder that is there and empty, as files that everybody may read.
  func copy(into target: String) throws(CoderError) {
    for name in folders { try Self.makeFolder("\(target)/\(name)") }
    var limits = ArchiveLimits()
    for name in files {
      let source = try openFile(name)
      defer { close(source) }
      // The sum of what is read counts: a file may have grown.
      try limits.addFile(name, bytes: 0)
      let file = try NewPlainFile("\(target)/\(name)")
      var piece = [UInt8](repeating: 0, count: 64 << 10)
      while true {
        let count = Glibc.read(source, &piece, piece.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw Self.failure("\(folder)/\(name)") }
        guard count > 0 else { break }
        try limits.addBytes(count, of: name)
        try piece.span.bytes.withUnsafeBytes { (bytes) throws(CoderError) in
          try file.append(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        }
      }
      try file.finish()
    }
  }

  /// The bytes of a file.
  func contents(of name: String, upTo limit: Int) throws(CoderError) -> [UInt8] {
    let descriptor = try openFile(name)
    defer { close(descriptor) }
    return try Self.contents(descriptor, "\(folder)/\(name)", upTo: limit)
  }

  /// The bytes of a plain file, to which a link may lead.
  static func contents(of path: String, upTo limit: Int) throws(CoderError) -> [UInt8] {
    let descriptor = path.withSystemName { open($0, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    return try contents(descriptor, path, upTo: limit)
  }

  private static func contents(
    _ descriptor: Int32, _ path: String, upTo limit: Int
  ) throws(CoderError) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = Glibc.read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(path) }
      guard count > 0 else { return bytes }
      bytes += piece[..<count]
      guard bytes.count <= limit else {
        throw ArchiveLimits.exceeded("\(path.printable) has more than \(limit) bytes, as many as it may have")
      }
    }
  }

  private func openFile(_ name: String) throws(CoderError) -> Int32 {
    var descriptor = folder.withSystemName { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    var parts = name.split(separator: "/").map(String.init)
    let last = parts.removeLast()
    for part in parts where descriptor >= 0 {
      let next = openat(descriptor, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      let reason = errno
      close(descriptor)
      (descriptor, errno) = (next, reason)
    }
    guard descriptor >= 0 else { throw Self.failure("\(folder)/\(name)") }
    defer { close(descriptor) }
    let file = openat(descriptor, last, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { throw Self.failure("\(folder)/\(name)") }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(file)
      throw .malformed("\(name.printable) is no plain file")
    }
    return file
  }
}

extension FileTree {
  static func failure(_ path: String, _ code: Int32 = errno) -> CoderError {
    CoderError.io(String(cString: strerror(code)).lowercased()).annotated(file: path)
  }

  /// Makes a folder that is not there yet and that everybody may read, whatever the process masks.
  static func makeFolder(_ path: String) throws(CoderError) {
    guard mkdir(path, 0o755) == 0, chmod(path, 0o755) == 0 else { throw failure(path) }
  }

  /// Makes a folder and those above it that are missing.
  static func makeFolders(_ path: String) throws(CoderError) {
    guard !Path.isDirectory(path) else { return }
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex { try makeFolders(String(path[..<slash])) }
    try makeFolder(path)
  }

  /// Removes a file or a folder with all that is in it. Links are removed and not followed, also if somebody puts one in the place
  /// of a folder meanwhile; what cannot be removed stays.
  static func remove(_ path: String) { remove(path, in: AT_FDCWD, depth: 0) }

  private static func remove(_ name: String, in folder: Int32, depth: Int) {
    guard unlinkat(folder, name, 0) != 0, errno == EISDIR || errno == EPERM, depth < maxDepth else { return }
    let descriptor = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0, let stream = fdopendir(descriptor) else {
      if descriptor >= 0 { close(descriptor) }
      return
    }
    for inner in names(stream) { remove(inner, in: dirfd(stream), depth: depth + 1) }
    closedir(stream)
    unlinkat(folder, name, AT_REMOVEDIR)
  }

  /// More than an archive can have, since names have a limit. Each level is an open descriptor.
  private static let maxDepth = ArchiveLimits.nameBytes / 2 + 1

  /// The names in a folder; none if it cannot be read.
  static func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    return names(stream).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private static func names(_ stream: OpaquePointer) -> [String] {
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}

/// A file that is not there yet and that everybody may read.
final class NewPlainFile {
  private let path: String
  private var descriptor: Int32

  init(_ path: String) throws(CoderError) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
    guard descriptor >= 0, fchmod(descriptor, 0o644) == 0 else { throw FileTree.failure(path) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func append(_ bytes: UnsafeRawBufferPointer) throws(CoderError) {
    if let failure = Descriptor.write(bytes, to: descriptor) { throw failure.annotated(file: path) }
  }

  func finish() throws(CoderError) {
    let open = descriptor
    descriptor = -1
    // A full disk may first be noticed here.
    guard close(open) == 0 else { throw FileTree.failure(path) }
  }

  static func write(_ bytes: [UInt8], to path: String) throws(CoderError) {
    let file = try NewPlainFile(path)
    try bytes.span.bytes.withUnsafeBytes { (bytes) throws(CoderError) in try file.append(bytes) }
    try file.finish()
  }
}
