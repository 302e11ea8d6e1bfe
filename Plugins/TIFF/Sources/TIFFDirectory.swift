// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// One image file directory: its entries, whose values are read when they are asked for.
///
/// - Format: TIFF 6.0 §2.
struct TIFFDirectory {
  /// What a directory says of one tag.
  struct Entry {
    let tag: Int
    let type: Int
    let count: Int
    /// Where the values are in the file, wherever that is.
    let place: Int
    /// Bytes of all values.
    let length: Int
  }

  let file: TIFFSource
  /// Where the directory is.
  let offset: Int
  /// The first entry of each tag, in the file's order.
  let entries: [Entry]
  private let indexes: [Int: Int]

  /// Reads the entries of a directory.
  ///
  /// - Throws: ``CoderError/Code/truncated`` when the file ends inside of it.
  init(_ file: TIFFSource, at offset: Int) throws(CoderError) {
    let count = try file.entryCount(at: offset)
    let size = file.entrySize
    let raw = try file.bytes(at: offset + file.countSize, count: count * size, of: "a directory of \(count) entries")
    var entries: [Entry] = []
    var indexes: [Int: Int] = [:]
    entries.reserveCapacity(count)
    for start in stride(from: 0, to: raw.count, by: size) {
      let tag = Int(raw.number(at: start, bytes: 2, isBigEndian: file.isBigEndian))
      let type = Int(raw.number(at: start + 2, bytes: 2, isBigEndian: file.isBigEndian))
      let values = raw.number(at: start + 4, bytes: file.offsetSize, isBigEndian: file.isBigEndian)
      let unit = TagType.size(type)
      let (length, overflow) = Int(clamping: values).multipliedReportingOverflow(by: unit)
      guard unit > 0, !overflow, indexes[tag] == nil else { continue }
      let field = start + 4 + file.offsetSize
      let far = Int(clamping: raw.number(at: field, bytes: file.offsetSize, isBigEndian: file.isBigEndian))
      let place = length <= file.offsetSize ? offset + file.countSize + field : far
      indexes[tag] = entries.count
      entries.append(Entry(tag: tag, type: type, count: Int(clamping: values), place: place, length: length))
    }
    self.file = file
    self.offset = offset
    self.entries = entries
    self.indexes = indexes
  }

  subscript(tag: Int) -> Entry? { indexes[tag].map { entries[$0] } }

  /// Whether an entry's values are inside the file.
  func isWhole(_ entry: Entry) -> Bool { entry.place <= file.size && entry.length <= file.size - entry.place }

  /// The values' bytes as the file has them.
  func bytes(of entry: Entry) throws(CoderError) -> [UInt8] {
    try file.bytes(at: entry.place, count: entry.length, of: "tag \(entry.tag)")
  }

  /// Whole numbers of a tag, at most `limit` of them; nil when the tag is missing or holds something else.
  ///
  /// - Throws: ``CoderError/Code/truncated`` when they lie behind the file's end.
  func numbers(_ tag: Int, limit: Int = 16) throws(CoderError) -> [UInt64]? {
    guard let entry = self[tag] else { return nil }
    let size = TagType.size(entry.type)
    switch entry.type {
    case 1, 3, 4, 6, 8, 9, 13, 16, 18: break
    case 7 where entry.count > 0: break
    default: return nil
    }
    let count = min(entry.count, limit)
    let raw = try file.bytes(at: entry.place, count: count * size, of: "tag \(tag)")
    return (0..<count).map { raw.number(at: $0 * size, bytes: size, isBigEndian: file.isBigEndian) }
  }

  /// One whole number of a tag, or nil.
  func number(_ tag: Int) throws(CoderError) -> Int? {
    try numbers(tag, limit: 1)?.first.map { Int(clamping: $0) }
  }

  /// Rational, floating or whole numbers of a tag, or nil for all that cannot be had.
  func reals(_ tag: Int, limit: Int = 16) -> [Double]? {
    guard let entry = self[tag], isWhole(entry) else { return nil }
    let count = min(entry.count, limit)
    let size = TagType.size(entry.type)
    guard let raw = try? file.bytes(at: entry.place, count: count * size, of: "tag \(tag)") else { return nil }
    return (0..<count).map { index -> Double in
      let start = index * size
      let first = raw.number(at: start, bytes: min(size, 4), isBigEndian: file.isBigEndian)
      let second = raw.number(at: start + 4, bytes: 4, isBigEndian: file.isBigEndian)
      switch entry.type {
      case 5: return second == 0 ? 0 : Double(first) / Double(second)
      case 10:
        let divisor = Int32(truncatingIfNeeded: second)
        return divisor == 0 ? 0 : Double(Int32(truncatingIfNeeded: first)) / Double(divisor)
      case 11: return Double(Float(bitPattern: UInt32(truncatingIfNeeded: first)))
      case 12: return Double(bitPattern: raw.number(at: start, bytes: 8, isBigEndian: file.isBigEndian))
      default: return Double(raw.number(at: start, bytes: size, isBigEndian: file.isBigEndian))
      }
    }
  }

  /// Text of a tag, up to its first zero, at most 64 KiB; or nil.
  func text(_ tag: Int) -> String? {
    guard let entry = self[tag], entry.type == TagType.ascii || entry.type == TagType.byte, entry.length > 0 else {
      return nil
    }
    let length = min(entry.length, 65_536)
    guard let raw = try? file.bytes(at: entry.place, count: length, of: "tag \(tag)") else { return nil }
    let text = String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
    return text.isEmpty ? nil : text
  }
}
