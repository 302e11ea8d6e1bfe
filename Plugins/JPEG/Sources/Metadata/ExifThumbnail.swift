// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The thumbnail of an Exif payload: a JPEG file that the payload's second directory names, Exif 2.32 §4.6.9.
///
/// Nothing else of a payload is changed or moved.
enum ExifThumbnail {
  /// Bytes that a thumbnail takes beside its own: at most one of padding, a directory, two resolutions.
  static let overhead = 1 + directorySize + 16

  private static let entryCount: UInt16 = 6
  private static let directorySize = 2 + 12 * Int(entryCount) + 4

  /// A payload without its thumbnail.
  ///
  /// The thumbnail's bytes are cut off where only zeros follow, and cleared where they are not: an old picture
  /// must not be left in the file of a new one.
  ///
  /// - Returns: Nil for a payload whose first directory cannot be read.
  static func removing(from payload: [UInt8]) -> [UInt8]? {
    guard let first = FirstDirectory(of: payload) else { return nil }
    guard first.next != 0 else { return payload }
    var result = payload
    for index in first.link..<first.link + 4 { result[index] = 0 }
    guard let old = Old(in: payload, first) else { return result }
    if payload[old.picture.upperBound...].allSatisfy({ $0 == 0 }) {
      result.removeSubrange(old.start...)
    } else {
      for index in old.picture { result[index] = 0 }
    }
    return result
  }

  /// A payload with a thumbnail, in a directory after all that is there.
  ///
  /// - Returns: Nil for a payload whose first directory cannot be read.
  static func adding(_ picture: [UInt8], to payload: [UInt8]) -> [UInt8]? {
    guard let first = FirstDirectory(of: payload) else { return nil }
    // TIFF 6.0 §2: a directory begins on a word boundary.
    let start = payload.count + payload.count % 2
    let resolutions = start + directorySize
    var writer = ByteWriter(order: first.order, capacity: resolutions + 16 + picture.count)
    writer.put(payload)
    writer.putZeros(start - payload.count)
    writer.replace(UInt32(clamping: start), at: first.link)
    writer.put(entryCount)
    writer.entry(0x0103, short: 6)  // Compression: JPEG
    writer.entry(0x011A, type: 5, value: resolutions)  // XResolution
    writer.entry(0x011B, type: 5, value: resolutions + 8)  // YResolution
    writer.entry(0x0128, short: 2)  // ResolutionUnit: inches
    writer.entry(0x0201, type: 4, value: resolutions + 16)  // JPEGInterchangeFormat
    writer.entry(0x0202, type: 4, value: picture.count)  // JPEGInterchangeFormatLength
    writer.put(UInt32(0))
    // Exif 2.32 §4.6.4 A: 72 per inch where the resolution is not known.
    for _ in 0..<2 {
      writer.put(UInt32(72))
      writer.put(UInt32(1))
    }
    writer.put(picture)
    return writer.bytes
  }
}

extension ExifThumbnail {
  /// The directory that a payload's header names (TIFF 6.0 §2).
  private struct FirstDirectory {
    let order: ByteOrder
    /// Where it says where the second one is; four bytes that are inside the payload.
    let link: Int
    /// The offset of the second one, or 0.
    let next: Int

    /// Reads it, or nil when it cannot be read.
    init?(of payload: [UInt8]) {
      guard let order = ExifPayload.byteOrder(of: payload.span.bytes) else { return nil }
      let reader = ByteReader(payload.span.bytes, order: order, of: "Exif")
      do throws(CoderError) {
        // Offsets are sums of 32-bit numbers: they are far from 2^63.
        let directory = Int(try reader.uint32(at: 4))
        guard directory >= 8 else { return nil }
        link = directory + 2 + 12 * Int(try reader.uint16(at: directory))
        next = Int(try reader.uint32(at: link))
      } catch {
        return nil
      }
      self.order = order
    }
  }

  /// A thumbnail that is to go.
  private struct Old {
    /// From its SOI marker to its EOI marker and what fills it up.
    let picture: Range<Int>
    /// Where bytes begin that only the thumbnail needs: its picture, or its directory if nothing is between the two.
    let start: Int

    /// Finds it; nil when the second directory names none, or cannot be read.
    init?(in payload: [UInt8], _ first: FirstDirectory) {
      let reader = ByteReader(payload.span.bytes, order: first.order, of: "Exif")
      let end = first.link + 4
      guard first.next >= end, let entries = try? Entries(reader, at: first.next) else { return nil }
      let (offset, length) = (entries.offset, entries.length)
      guard offset >= end, length >= 4, offset <= payload.count, length <= payload.count - offset else { return nil }
      // Cameras fill a fixed length up with zeros.
      let filled = payload[offset..<offset + length].reversed().prefix { $0 == 0 }.count
      guard length - filled >= 4, payload[offset..<offset + 2].elementsEqual([0xFF, 0xD8]),
        payload[offset + length - filled - 2..<offset + length - filled].elementsEqual([0xFF, 0xD9]),
        offset >= entries.end || offset + length <= first.next
      else { return nil }
      picture = offset..<offset + length
      // A byte of padding may follow each value.
      let isAlone = offset >= entries.end && offset - entries.end <= entries.outside + entries.count
      start = isAlone ? first.next : offset
    }
  }

  /// What the second directory says of a thumbnail.
  private struct Entries {
    let count: Int
    /// Where the directory ends.
    let end: Int
    private(set) var offset = 0
    private(set) var length = 0
    /// Bytes of values that stand outside the directory.
    private(set) var outside = 0

    init(_ reader: ByteReader, at directory: Int) throws(CoderError) {
      count = Int(try reader.uint16(at: directory))
      end = directory + 2 + 12 * count + 4
      for index in 0..<count {
        let entry = directory + 2 + 12 * index
        let (tag, type) = (try reader.uint16(at: entry), Int(try reader.uint16(at: entry + 2)))
        let (values, value) = (Int(try reader.uint32(at: entry + 4)), Int(try reader.uint32(at: entry + 8)))
        if tag == 0x0201, type == 4, values == 1 { offset = value }
        if tag == 0x0202, type == 4, values == 1 { length = value }
        let size = values * Self.size(ofType: type)
        if size > 4 { outside += size }
      }
    }

    /// Bytes of a value, TIFF 6.0 §2; 0 for types that are not known.
    private static func size(ofType type: Int) -> Int {
      switch type {
      case 1, 2, 6, 7: 1
      case 3, 8: 2
      case 4, 9, 11: 4
      case 5, 10, 12: 8
      default: 0
      }
    }
  }
}

extension ByteWriter {
  /// An entry of one value that is a SHORT.
  fileprivate mutating func entry(_ tag: UInt16, short value: UInt16) {
    put(tag)
    put(UInt16(3))
    put(UInt32(1))
    put(value)
    put(UInt16(0))
  }

  /// An entry of one value, or of where it is.
  fileprivate mutating func entry(_ tag: UInt16, type: UInt16, value: Int) {
    put(tag)
    put(type)
    put(UInt32(1))
    put(UInt32(clamping: value))
  }
}
