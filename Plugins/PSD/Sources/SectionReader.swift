// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Reads fields of a section that may be larger than memory: of the file, only the bytes of each field are looked at.
struct SectionReader {
  private let source: SourceView
  /// Where the next field begins in the file.
  private(set) var place: Int
  private let end: Int

  /// - Parameter range: Inside the file.
  init(_ source: SourceView, in range: Range<Int>) {
    self.source = source
    place = range.lowerBound
    end = range.upperBound
  }

  /// Bytes after the last field that was read.
  var remaining: Int { end - place }

  /// A number of up to 8 bytes; one that is too large is the largest integer.
  mutating func number(bytes width: Int, _ field: StaticString) throws(CoderError) -> Int {
    try check(width, field)
    let value = try source.reader(at: place, count: width, of: "the layers").unsigned(bytes: width, at: 0, field)
    place += width
    return Int(clamping: value)
  }

  mutating func bytes(_ count: Int, _ field: StaticString) throws(CoderError) -> [UInt8] {
    try check(count, field)
    let bytes = try source.bytes(at: place, count: count, of: "\(field)")
    place += count
    return bytes
  }

  mutating func skip(_ count: Int, _ field: StaticString) throws(CoderError) {
    try check(count, field)
    place += count
  }

  /// A reader of the next bytes alone, which this one skips.
  mutating func part(_ count: Int, of field: StaticString) throws(CoderError) -> SectionReader {
    try check(count, field)
    let part = SectionReader(source, in: place..<(place + count))
    place += count
    return part
  }

  /// Goes to the content of the next block of additional layer information; nil where none begins.
  ///
  /// - Parameter lengthBytes: Bytes of the length of a block, by its key.
  mutating func block(
    lengthBytes: (FourCC) -> Int
  ) throws(CoderError) -> (key: FourCC, length: Int)? {
    // Lengths are even by the specification; Photoshop pads to four bytes.
    let shown = try source.reader(at: place, count: min(remaining, 11), of: "the layers")
    guard let padding = (0..<4).first(where: { shown.has("8BIM", at: $0) || shown.has("8B64", at: $0) }) else {
      return nil
    }
    try skip(padding + 4, "the signature of a block")
    let key = FourCC(rawValue: UInt32(truncatingIfNeeded: try number(bytes: 4, "the key of a block")))
    return (key, try number(bytes: lengthBytes(key), "the length of a block"))
  }

  private func check(_ count: Int, _ field: StaticString) throws(CoderError) {
    guard count <= remaining else {
      throw .malformed("\(field) needs \(count) bytes, \(remaining) are left of the section", at: place)
    }
  }
}
