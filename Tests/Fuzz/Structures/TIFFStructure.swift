// SPDX-License-Identifier: Apache-2.0

/// Entries of directories (TIFF 6.0, section 2). Everything in a file has its place by an offset, so that nothing may move:
/// an entry is left out by those behind it, and copied over another one.
package enum TIFFStructure: FileStructure {
  /// BigTIFF has wider numbers.
  private struct Directory {
    /// Of the number of entries.
    let start: Int
    let count: Int
    let isBig: Bool

    var countBytes: Int { isBig ? 8 : 2 }
    var entryBytes: Int { isBig ? 20 : 12 }
    var offsetBytes: Int { isBig ? 8 : 4 }
    /// Of the next directory's offset.
    var end: Int { start + countBytes + count * entryBytes }

    func entry(_ index: Int) -> Range<Int> {
      let first = start + countBytes + index * entryBytes
      return first..<first + entryBytes
    }
  }

  private static let mostDirectories = 16
  private static let mostEntries = 128

  package static func parts(of bytes: [UInt8]) -> [Range<Int>] {
    directories(of: bytes).flatMap { directory in (0..<directory.count).map(directory.entry) }
      .sorted { $0.lowerBound < $1.lowerBound }
  }

  package static func rearrange(_ bytes: inout [UInt8], most: Int, _ choices: inout Choices) {
    let directories = directories(of: bytes)
    guard !directories.isEmpty else { return }
    let directory = directories[choices.below(directories.count)]
    let other = directories[choices.below(directories.count)]
    guard directory.count > 0, other.count > 0 else { return }
    let (one, two) = (directory.entry(choices.below(directory.count)), other.entry(choices.below(other.count)))
    switch choices.below(3) {
    case 0:
      // With what says where the next directory is.
      let rest = Array(bytes[one.upperBound..<min(directory.end + directory.offsetBytes, bytes.count)])
      bytes.replaceSubrange(one.lowerBound..<one.lowerBound + rest.count, with: rest)
      set(directory.count - 1, in: directory, &bytes)
    case 1: bytes.replaceSubrange(two, with: Array(bytes[one]))
    default:
      let first = Array(bytes[one])
      bytes.replaceSubrange(one, with: Array(bytes[two]))
      bytes.replaceSubrange(two, with: first)
    }
  }

  private static func directories(of bytes: [UInt8]) -> [Directory] {
    guard bytes.count > 16, let version = number(2, at: 2, bytes), version == 42 || version == 43 else { return [] }
    let isBig = version == 43
    let width = isBig ? 8 : 4
    var directories: [Directory] = []
    var next = number(width, at: isBig ? 8 : 4, bytes)
    while let start = next, start > 0, directories.count < mostDirectories,
      let stated = number(isBig ? 8 : 2, at: start, bytes)
    {
      var directory = Directory(start: start, count: 0, isBig: isBig)
      let there = (bytes.count - directory.end) / directory.entryBytes
      directory = Directory(start: start, count: min(stated, mostEntries, there), isBig: isBig)
      // What a loop would come back to was seen.
      guard !directories.contains(where: { $0.start == start }) else { break }
      directories.append(directory)
      next = directory.count == stated ? number(width, at: directory.end, bytes) : nil
    }
    return directories
  }

  /// A number of some bytes that is an offset or a count; nil behind the end, and for one beyond 2^62.
  private static func number(_ width: Int, at offset: Int, _ bytes: [UInt8]) -> Int? {
    guard offset >= 0, offset <= bytes.count - width else { return nil }
    let part = bytes[offset..<offset + width]
    let value = (bytes[0] == 0x49 ? Array(part.reversed()) : Array(part)).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return value < 1 << 62 ? Int(value) : nil
  }

  private static func set(_ count: Int, in directory: Directory, _ bytes: inout [UInt8]) {
    for place in 0..<directory.countBytes {
      let byte = UInt8(truncatingIfNeeded: count >> (8 * place))
      bytes[directory.start + (bytes[0] == 0x49 ? place : directory.countBytes - 1 - place)] = byte
    }
  }
}
