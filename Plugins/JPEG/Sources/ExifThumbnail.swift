// SPDX-License-Identifier: Apache-2.0

/// The thumbnail of an Exif payload: a JPEG stream that the directory behind the first one names, Exif 2.32 §4.6.9.
///
/// Nothing else of a payload is changed or moved.
enum ExifThumbnail {
  /// Bytes that a thumbnail takes beside its own: at most one of padding, a directory, two resolutions.
  static let overhead = 1 + directorySize + 16

  private static let entryCount = 6
  private static let directorySize = 2 + 12 * entryCount + 4

  /// A payload without its thumbnail.
  ///
  /// The thumbnail's bytes are cut off where only zeros follow, and cleared where they are not: an old picture
  /// must not stay behind a new one.
  ///
  /// - Returns: Nil for a payload whose first directory cannot be read.
  static func removing(from payload: [UInt8]) -> [UInt8]? {
    guard let bytes = ExifBytes(payload), let link = bytes.link, let directory = bytes.uint32(at: link) else {
      return nil
    }
    guard directory != 0 else { return payload }
    var result = bytes
    result.set(uint32: 0, at: link)
    guard let old = Old(in: bytes, at: directory, behind: link + 4) else { return result.bytes }
    if payload[old.picture.upperBound...].allSatisfy({ $0 == 0 }) {
      result.bytes.removeSubrange(old.start...)
    } else {
      for index in old.picture { result.bytes[index] = 0 }
    }
    return result.bytes
  }

  /// A payload with a thumbnail, in a directory behind all that is there.
  ///
  /// - Returns: Nil for a payload whose first directory cannot be read.
  static func adding(_ picture: [UInt8], to payload: [UInt8]) -> [UInt8]? {
    guard var bytes = ExifBytes(payload), let link = bytes.link else { return nil }
    if bytes.count % 2 != 0 { bytes.bytes.append(0) }  // TIFF 6.0 §2: a directory begins on a word boundary.
    let start = bytes.count
    bytes.set(uint32: start, at: link)
    let resolutions = start + directorySize
    bytes.append(uint16: entryCount)
    bytes.append(tag: 0x0103, short: 6)  // Compression: JPEG
    bytes.append(tag: 0x011A, type: 5, value: resolutions)  // XResolution
    bytes.append(tag: 0x011B, type: 5, value: resolutions + 8)  // YResolution
    bytes.append(tag: 0x0128, short: 2)  // ResolutionUnit: inches
    bytes.append(tag: 0x0201, type: 4, value: resolutions + 16)  // JPEGInterchangeFormat
    bytes.append(tag: 0x0202, type: 4, value: picture.count)  // JPEGInterchangeFormatLength
    bytes.append(uint32: 0)
    // Exif 2.32 §4.6.4 A: 72 per inch where the resolution is not known.
    for _ in 0..<2 {
      bytes.append(uint32: 72)
      bytes.append(uint32: 1)
    }
    bytes.bytes.append(contentsOf: picture)
    return bytes.bytes
  }
}

extension ExifThumbnail {
  /// A thumbnail that is to go.
  private struct Old {
    /// From its SOI marker to its EOI marker and what fills it up.
    let picture: Range<Int>
    /// Of what only the thumbnail needs: the picture, or the directory, when nothing else is between the two.
    let start: Int

    /// - Parameter first: Where the first directory ends.
    init?(in bytes: ExifBytes, at directory: Int, behind first: Int) {
      guard directory >= first, let count = bytes.uint16(at: directory) else { return nil }
      var (offset, length, outside) = (0, 0, 0)
      for entry in stride(from: directory + 2, to: directory + 2 + 12 * count, by: 12) {
        guard let tag = bytes.uint16(at: entry), let type = bytes.uint16(at: entry + 2),
          let values = bytes.uint32(at: entry + 4), let value = bytes.uint32(at: entry + 8)
        else { return nil }
        if tag == 0x0201, type == 4, values == 1 { offset = value }
        if tag == 0x0202, type == 4, values == 1 { length = value }
        let size = values * ExifBytes.size(ofType: type)
        if size > 4 { outside += size }
      }
      let directoryEnd = directory + 2 + 12 * count + 4
      guard offset >= first, length >= 4, offset <= bytes.count, length <= bytes.count - offset else { return nil }
      // Cameras fill a fixed length up with zeros.
      let filled = bytes.bytes[offset..<offset + length].reversed().prefix { $0 == 0 }.count
      guard bytes.has([0xFF, 0xD8], at: offset), bytes.has([0xFF, 0xD9], at: offset + length - filled - 2),
        offset >= directoryEnd || offset + length <= directory
      else { return nil }
      picture = offset..<offset + length
      // A byte of padding may follow each value.
      start = offset >= directoryEnd && offset - directoryEnd <= outside + count ? directory : offset
    }
  }
}

/// The bytes of an Exif payload, a TIFF structure (TIFF 6.0 §2), read without ever leaving them.
private struct ExifBytes {
  var bytes: [UInt8]
  private let isBigEndian: Bool

  var count: Int { bytes.count }

  /// Reads the header, or nil when it is none.
  init?(_ bytes: [UInt8]) {
    switch bytes.prefix(4) {
    case [0x4D, 0x4D, 0, 42]: isBigEndian = true
    case [0x49, 0x49, 42, 0]: isBigEndian = false
    default: return nil
    }
    self.bytes = bytes
  }

  /// Where the first directory says where the next one is.
  var link: Int? {
    guard let directory = uint32(at: 4), directory >= 8, let count = uint16(at: directory),
      uint32(at: directory + 2 + 12 * count) != nil
    else { return nil }
    return directory + 2 + 12 * count
  }

  /// Bytes of a value, TIFF 6.0 §2; 0 for types that are not known.
  static func size(ofType type: Int) -> Int {
    switch type {
    case 1, 2, 6, 7: 1
    case 3, 8: 2
    case 4, 9, 11: 4
    case 5, 10, 12: 8
    default: 0
    }
  }

  func has(_ wanted: [UInt8], at offset: Int) -> Bool {
    offset >= 0 && offset <= count - wanted.count && bytes[offset..<offset + wanted.count].elementsEqual(wanted)
  }

  // Offsets are sums of 32-bit numbers: they are far from 2^63.

  func uint16(at offset: Int) -> Int? {
    guard offset >= 0, offset <= count - 2 else { return nil }
    let (first, second) = (Int(bytes[offset]), Int(bytes[offset + 1]))
    return isBigEndian ? first << 8 | second : second << 8 | first
  }

  func uint32(at offset: Int) -> Int? {
    guard let first = uint16(at: offset), let second = uint16(at: offset + 2) else { return nil }
    return isBigEndian ? first << 16 | second : second << 16 | first
  }

  /// The place lies inside.
  mutating func set(uint32 value: Int, at offset: Int) {
    bytes.replaceSubrange(offset..<offset + 4, with: number(value, bytes: 4))
  }

  mutating func append(uint16 value: Int) { bytes.append(contentsOf: number(value, bytes: 2)) }

  mutating func append(uint32 value: Int) { bytes.append(contentsOf: number(value, bytes: 4)) }

  /// Appends an entry of one value that is a SHORT.
  mutating func append(tag: Int, short value: Int) {
    append(uint16: tag)
    append(uint16: 3)
    append(uint32: 1)
    append(uint16: value)
    append(uint16: 0)
  }

  /// Appends an entry of one value, or of where it is.
  mutating func append(tag: Int, type: Int, value: Int) {
    append(uint16: tag)
    append(uint16: type)
    append(uint32: 1)
    append(uint32: value)
  }

  private func number(_ value: Int, bytes: Int) -> [UInt8] {
    let little = (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    return isBigEndian ? little.reversed() : little
  }
}
