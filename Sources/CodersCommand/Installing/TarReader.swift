// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ImageCoders

/// A file or a folder in a tar archive.
package struct TarEntry: Equatable {
  /// Checked: it leads nowhere else.
  package let name: String
  package let isFolder: Bool
  package let size: Int
}

/// Reads a tar archive from its first byte to its last, and refuses all entries but plain files and folders.
///
/// - Format: POSIX.1-2017, pax, "pax Interchange Format" and "ustar Interchange Format"; and the long names of GNU tar.
package final class TarReader {
  /// Fills memory as far as there are bytes, and returns how many came, or the negative number of an error of the system.
  package typealias Source = (UnsafeMutableRawBufferPointer) -> Int

  private static let blockSize = 512
  /// Bytes of a long name or of the records of a pax header.
  private static let maxExtraBytes = 64 << 10
  /// Headers of an archive. Each entry may have a few more before it.
  private static let maxHeaders = 8 * (ArchiveLimits.files + ArchiveLimits.folders)
  /// Zeros after the end, with which tar fills its last record.
  private static let maxPadding = 1 << 20

  private let source: Source
  private var offset = 0
  private var headerCount = 0

  package init(_ source: @escaping Source) { self.source = source }

  /// The next entry, or nil at the end. The contents of the one before have to be read first.
  ///
  /// - Throws: ``CoderError/Code/malformed`` for what a plugin's archive may not have; ``CoderError/Code/truncated``.
  package func next() throws(CoderError) -> TarEntry? {
    var changes = Changes()
    while true {
      let place = offset
      let block = try block("a header")
      if block.allSatisfy({ $0 == 0 }) {
        try readPadding()
        return nil
      }
      headerCount += 1
      guard headerCount <= Self.maxHeaders else {
        throw ArchiveLimits.exceeded("more than \(Self.maxHeaders) headers in the archive")
      }
      let header = try TarHeader(block, at: place)
      switch header.kind {
      case UInt8(ascii: "L"): changes.name = Array(try extra(header).prefix { $0 != 0 })
      case UInt8(ascii: "x"): try changes.read(try extra(header), at: place)
      case UInt8(ascii: "g"):
        // Comments, as git writes them. What holds for all entries is nothing that an archive of a plugin needs.
        var general = Changes()
        try general.read(try extra(header), at: place)
        guard general == Changes() else { throw .malformed("a global header with names or sizes", at: place) }
      default:
        if let entry = try header.entry(changes) { return entry }
        changes = Changes()
      }
    }
  }

  /// Reads the contents of an entry, piece by piece.
  package func contents(
    of entry: TarEntry, _ body: (UnsafeRawBufferPointer) throws(CoderError) -> Void
  ) throws(CoderError) {
    var rest = entry.size
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    while rest > 0 {
      let count = min(rest, piece.count)
      try fill(&piece, count: count, entry.name)
      try piece.span.bytes.withUnsafeBytes { (bytes) throws(CoderError) in
        try body(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
      }
      rest -= count
    }
    _ = try bytes(Self.padding(after: entry.size), "the padding of \(entry.name.printable)")
  }

  private static func padding(after size: Int) -> Int { (blockSize - size % blockSize) % blockSize }

  private func block(_ what: String) throws(CoderError) -> [UInt8] { try bytes(Self.blockSize, what) }

  private func extra(_ header: TarHeader) throws(CoderError) -> [UInt8] {
    guard header.size <= Self.maxExtraBytes else {
      throw .malformed(
        "a header of \(header.size) bytes before an entry, at most \(Self.maxExtraBytes) are allowed", at: header.place)
    }
    let bytes = try bytes(header.size, "a header")
    _ = try self.bytes(Self.padding(after: header.size), "a header")
    return bytes
  }

  private func bytes(_ count: Int, _ what: String) throws(CoderError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    try fill(&bytes, count: count, what)
    return bytes
  }

  private func fill(_ bytes: inout [UInt8], count: Int, _ what: String) throws(CoderError) {
    guard count > 0 else { return }
    let got = try read(into: &bytes, count)
    guard got == count else {
      throw .truncated("the archive ends after \(got) of \(count) bytes of \(what.printable)", at: offset + got)
    }
    offset += count
  }

  private func read(into bytes: inout [UInt8], _ count: Int) throws(CoderError) -> Int {
    let got = bytes.withUnsafeMutableBytes { source(UnsafeMutableRawBufferPointer(rebasing: $0[..<count])) }
    guard got >= 0 else { throw .io(String(cString: strerror(Int32(clamping: -got))).lowercased()) }
    return got
  }

  private func readPadding() throws(CoderError) {
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    var count = 0
    while true {
      let got = try read(into: &piece, piece.count)
      guard got > 0 else { return }
      count += got
      guard count <= Self.maxPadding, piece[..<got].allSatisfy({ $0 == 0 }) else {
        throw .malformed("bytes after the end of the archive", at: offset)
      }
    }
  }
}

extension TarReader {
  /// What headers before an entry say of it.
  struct Changes: Equatable {
    var name: [UInt8]?
    var size: Int?

    /// Reads records, "LENGTH KEY=VALUE" with a line end.
    mutating func read(_ bytes: [UInt8], at place: Int) throws(CoderError) {
      var rest = bytes[...]
      while let space = rest.firstIndex(of: UInt8(ascii: " ")) {
        guard let length = Int(String(decoding: rest[..<space], as: UTF8.self)), length > 0, length <= rest.count,
          rest.startIndex + length > space + 1, rest[rest.startIndex + length - 1] == UInt8(ascii: "\n")
        else { break }
        let record = rest[(space + 1)..<(rest.startIndex + length - 1)]
        rest = rest[(rest.startIndex + length)...]
        guard let equals = record.firstIndex(of: UInt8(ascii: "=")) else { continue }
        let value = record[(equals + 1)...]
        switch String(decoding: record[..<equals], as: UTF8.self) {
        case "path": name = Array(value)
        case "size":
          guard let size = Int(String(decoding: value, as: UTF8.self)), size >= 0 else {
            throw .malformed("a size that is no number", at: place)
          }
          self.size = size
        case let key where key.hasPrefix("GNU.sparse"):
          throw .malformed("a sparse file; only plain files and folders are allowed", at: place)
        default: break
        }
      }
      guard rest.allSatisfy({ $0 == 0 }) else { throw .malformed("a pax header with a broken record", at: place) }
    }
  }
}

/// The block before an entry.
private struct TarHeader {
  let place: Int
  let kind: UInt8
  /// The size that the block itself states.
  let size: Int
  private let name: [UInt8]
  private let mode: Int

  init(_ block: [UInt8], at place: Int) throws(CoderError) {
    self.place = place
    // The sum of all bytes, with spaces in place of the sum itself.
    let sum = block.enumerated().reduce(0) { $0 + ((148..<156).contains($1.offset) ? 0x20 : Int($1.element)) }
    guard try Self.number(block[148..<156], "checksum", at: place) == sum else {
      throw .malformed("no tar archive: the checksum of a header is wrong", at: place)
    }
    kind = block[156]
    size = try Self.number(block[124..<136], "size", at: place)
    mode = try Self.number(block[100..<108], "mode", at: place)
    let own = block[0..<100].prefix { $0 != 0 }
    // GNU tar, which writes "ustar  ", has other things in place of the prefix.
    let prefix = Array(block[257..<263]) == Array("ustar\0".utf8) ? block[345..<500].prefix { $0 != 0 } : []
    name = prefix.isEmpty ? Array(own) : prefix + [UInt8(ascii: "/")] + own
  }

  /// The entry, or nil for the top folder itself.
  func entry(_ changes: TarReader.Changes) throws(CoderError) -> TarEntry? {
    let written = changes.name ?? name
    let shown = String(decoding: written.prefix(200), as: UTF8.self).printable
    var isFolder = kind == UInt8(ascii: "5")
    if !isFolder {
      guard kind == UInt8(ascii: "0") || kind == 0 else {
        throw .malformed("\(shown) is \(Self.word(kind)); only plain files and folders are allowed", at: place)
      }
      // Before POSIX, a folder was a file with a slash at the end of its name.
      isFolder = written.last == UInt8(ascii: "/")
    }
    guard mode & 0o7000 == 0 else {
      throw .malformed(
        "\(shown) has the mode \(String(mode, radix: 8)); setuid, setgid and sticky are not allowed", at: place)
    }
    let size = changes.size ?? size
    guard !isFolder || size == 0 else {
      throw .malformed("the folder \(shown) has contents of \(size) bytes", at: place)
    }
    guard let name = try ArchiveName.checked(written) else {
      guard isFolder else { throw .malformed("a file without a name", at: place) }
      return nil
    }
    return TarEntry(name: name, isFolder: isFolder, size: size)
  }

  private static func word(_ kind: UInt8) -> String {
    switch kind {
    case UInt8(ascii: "1"): "a hard link"
    case UInt8(ascii: "2"): "a symbolic link"
    case UInt8(ascii: "3"), UInt8(ascii: "4"): "a device"
    case UInt8(ascii: "6"): "a FIFO"
    case UInt8(ascii: "S"): "a sparse file"
    default: "an entry of type \(kind)"
    }
  }

  /// A number of octal digits, with spaces before it and a space or a zero after it.
  private static func number(_ field: ArraySlice<UInt8>, _ what: String, at place: Int) throws(CoderError) -> Int {
    let digits = field.drop { $0 == UInt8(ascii: " ") }.prefix { $0 != 0 && $0 != UInt8(ascii: " ") }
    // At most 12 digits, which fit.
    guard let value = digits.isEmpty ? 0 : Int(String(decoding: digits, as: UTF8.self), radix: 8), value >= 0 else {
      throw .malformed("no tar archive: the \(what) of a header is no octal number", at: place)
    }
    return value
  }
}
