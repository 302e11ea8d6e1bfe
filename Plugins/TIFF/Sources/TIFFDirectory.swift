// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// One image file directory: its entries, whose values are read when they are asked for.
///
/// - Format: TIFF 6.0 §2.
struct TIFFDirectory {
  /// What a directory says of one tag.
  struct Entry: Equatable {
    let tag: Int
    let type: TagType
    let count: Int
    /// Where the values are in the file, wherever that is.
    let place: Int
    /// Bytes of all values.
    let length: Int

    init(tag: Int, type: TagType, count: Int, place: Int, length: Int) {
      self.tag = tag
      self.type = type
      self.count = count
      self.place = place
      self.length = length
    }

    /// Reads one entry; nil for a type that is not known, or more values than can be counted.
    ///
    /// - Parameter offsetSize: Bytes of a count and of an offset: 4, or 8 of BigTIFF.
    init?(parsing reader: inout ByteReader, offsetSize: Int) throws(CoderError) {
      tag = Int(try reader.uint16("a tag"))
      type = TagType(rawValue: Int(try reader.uint16("the type of a tag")))
      count = Int(clamping: try reader.unsigned(bytes: offsetSize, "the number of values"))
      // Values that are no longer than an offset stand in its place.
      let field = reader.offset
      let far = Int(clamping: try reader.unsigned(bytes: offsetSize, "the place of values"))
      let unit = type.size
      let (length, overflow) = count.multipliedReportingOverflow(by: unit)
      guard unit > 0, !overflow else { return nil }
      self.length = length
      place = length <= offsetSize ? field : far
    }
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
    var entries: [Entry] = []
    var indexes: [Int: Int] = [:]
    entries.reserveCapacity(count)
    try file.read(
      at: offset + file.countSize, count: count * file.entrySize, of: "a directory of \(count) entries"
    ) { (reader) throws(CoderError) in
      for _ in 0..<count {
        let entry = try Entry(parsing: &reader, offsetSize: file.offsetSize)
        guard let entry, indexes[entry.tag] == nil else { continue }
        indexes[entry.tag] = entries.count
        entries.append(entry)
      }
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
  /// - Throws: ``CoderError/Code/truncated`` when they lie beyond the file's end.
  func numbers(_ tag: Int, limit: Int = 16) throws(CoderError) -> [UInt64]? {
    guard let entry = self[tag] else { return nil }
    let size = entry.type.size
    switch entry.type.rawValue {
    case 1, 3, 4, 6, 8, 9, 13, 16, 17, 18: break
    case 7 where entry.count > 0: break
    default: return nil
    }
    let count = min(entry.count, limit)
    return try file.read(at: entry.place, count: count * size, of: "tag \(tag)") { (reader) throws(CoderError) in
      var numbers: [UInt64] = []
      numbers.reserveCapacity(count)
      for _ in 0..<count { numbers.append(try reader.unsigned(bytes: size)) }
      return numbers
    }
  }

  /// One whole number of a tag, or nil.
  func number(_ tag: Int) throws(CoderError) -> Int? {
    try numbers(tag, limit: 1)?.first.map { Int(clamping: $0) }
  }

  /// Rational, floating or whole numbers of a tag, or nil when it is missing or lies beyond the file's end.
  func reals(_ tag: Int, limit: Int = 16) throws(CoderError) -> [Double]? {
    guard let entry = self[tag], isWhole(entry) else { return nil }
    let count = min(entry.count, limit)
    let size = entry.type.size
    return try ifReadable { () throws(CoderError) in
      try file.read(at: entry.place, count: count * size, of: "tag \(tag)") { (reader) throws(CoderError) in
        var reals: [Double] = []
        for _ in 0..<count { reals.append(try Self.real(entry.type, size, &reader)) }
        return reals
      }
    }
  }

  private static func real(_ type: TagType, _ size: Int, _ reader: inout ByteReader) throws(CoderError) -> Double {
    switch type {
    case .rational:
      let (numerator, denominator) = (try reader.uint32(), try reader.uint32())
      return denominator == 0 ? 0 : Double(numerator) / Double(denominator)
    case .signedRational:
      let numerator = Int32(truncatingIfNeeded: try reader.uint32())
      let denominator = Int32(truncatingIfNeeded: try reader.uint32())
      return denominator == 0 ? 0 : Double(numerator) / Double(denominator)
    case .float: return Double(Float(bitPattern: try reader.uint32()))
    case .double: return Double(bitPattern: try reader.uint64())
    default: return Double(try reader.unsigned(bytes: size))
    }
  }

  /// Text of a tag, as UTF-8 or else as Latin-1, up to its first zero, at most 64 KiB; nil when it is missing, empty or lies beyond the file's end.
  func text(_ tag: Int) throws(CoderError) -> String? {
    guard let entry = self[tag], entry.type == TagType.ascii || entry.type == TagType.byte, entry.length > 0 else {
      return nil
    }
    return try ifReadable { () throws(CoderError) in
      try file.read(
        at: entry.place, count: min(entry.length, 65_536), of: "tag \(tag)"
      ) { (reader) throws(CoderError) in
        let bytes = try reader.array(reader.count).prefix { $0 != 0 }
        let text =
          String(validating: bytes, as: UTF8.self)
          ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        return text.isEmpty ? nil : text
      }
    }
  }
}
