// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// The numbers in Apple's note in Exif that say how bright its gain map is.
package struct AppleMakerNote {
  /// Tags 33 and 48.
  package var tag33: Double
  package var tag48: Double

  /// - Returns: Nil without Apple's note, or without one of the tags.
  package init?(exif: [UInt8]) {
    guard let order = ExifPayload.byteOrder(of: exif.span.bytes),
      let note = Self.bytes(in: ByteReader(exif.span.bytes, order: order, of: "Exif")), let mark = Self.order(of: note)
    else { return nil }
    let inner = ByteReader(note.span.bytes, order: mark, of: "Apple's note")
    guard let a = Self.rational(33, inner), let b = Self.rational(48, inner) else { return nil }
    (tag33, tag48) = (a, b)
  }

  /// The note, or nil for none, and for one of other makers.
  static func bytes(in reader: borrowing ByteReader) -> [UInt8]? {
    guard let first = try? Int(reader.uint32(at: 4)), let main = entry(0x8769, at: first, reader),
      let second = try? Int(reader.uint32(at: main + 8)), let note = entry(0x927C, at: second, reader),
      let count = try? Int(reader.uint32(at: note + 4)), let place = try? Int(reader.uint32(at: note + 8)),
      count > 16, let bytes = try? reader.bytes(at: place, count: count), reader.has("Apple iOS\0", at: place)
    else { return nil }
    return [UInt8](copying: bytes)
  }

  /// "Apple iOS", zeros, a version, and the order of bytes.
  static func order(of note: [UInt8]) -> ByteOrder? {
    guard note.count > 16 else { return nil }
    return note[12..<14].elementsEqual("II".utf8) ? .littleEndian : .bigEndian
  }

  /// Where the directory of a note is.
  static let directory = 14

  package init(tag33: Double, tag48: Double) { (self.tag33, self.tag48) = (tag33, tag48) }

  /// The headroom as a power of two; nil for numbers that give none.
  package var stops: Double? {
    let stops =
      tag33 < 1
      ? (tag48 <= 0.01 ? -20 * tag48 + 1.8 : -0.101 * tag48 + 1.601)
      : (tag48 <= 0.01 ? -70 * tag48 + 3 : -0.303 * tag48 + 2.303)
    return stops > 0 && stops <= 16 ? stops : nil
  }

  /// Where a directory has the entry of a tag.
  private static func entry(_ tag: UInt16, at place: Int, _ reader: borrowing ByteReader) -> Int? {
    guard let count = try? Int(reader.uint16(at: place)) else { return nil }
    for index in 0..<count {
      let start = place + 2 + 12 * index
      guard let found = try? reader.uint16(at: start) else { return nil }
      if found == tag { return start }
    }
    return nil
  }

  private static func rational(_ tag: UInt16, _ reader: borrowing ByteReader) -> Double? {
    guard let entry = entry(tag, at: directory, reader), let type = try? reader.uint16(at: entry + 2),
      type == 10 || type == 5,
      let place = try? Int(reader.uint32(at: entry + 8)), let numerator = try? reader.uint32(at: place),
      let denominator = try? Int32(bitPattern: reader.uint32(at: place + 4)), denominator != 0
    else { return nil }
    return Double(Int32(bitPattern: numerator)) / Double(denominator)
  }
}
