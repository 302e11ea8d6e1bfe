// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A box of a JP2 file (ISO/IEC 15444-1 I.4).
struct Box {
  /// Four characters, big-endian.
  let type: UInt32
  let offset: Int
  let payload: Int
  /// As the box says, or where its container ends for a box that reaches to there. May lie behind the source's end.
  let end: Int

  /// Reads a box's header.
  ///
  /// - Parameter limit: Where the enclosing box or the source ends.
  /// - Returns: nil when no whole header is left.
  /// - Throws: ``CoderError/Code/malformed`` for a length that makes no sense.
  init?(parsing source: SourceView, at offset: Int, before limit: Int) throws(CoderError) {
    guard limit >= 8, offset <= limit - 8 else { return nil }
    var bytes = try source.view(at: offset, least: 8, most: Swift.min(16, limit - offset))
    guard bytes.count >= 8 else { return nil }
    let length = bytes.uint32(at: 0)
    type = UInt32(truncatingIfNeeded: bytes.uint32(at: 4))
    self.offset = offset
    switch length {
    case 0:
      payload = offset + 8
      end = limit
    case 1:
      if bytes.count < 16 { bytes = try source.view(at: offset, count: Swift.min(16, limit - offset)) }
      guard bytes.count >= 16 else { return nil }
      let high = bytes.uint32(at: 8)
      // Offsets stay far from 2^63: no source is larger than 2^47 bytes.
      let long = min(high, 1 << 15) << 32 | bytes.uint32(at: 12)
      guard long >= 16, high < 1 << 15 else { throw .malformed("a box of \(long) bytes", at: offset) }
      payload = offset + 16
      end = offset + long
    default:
      guard length >= 8 else { throw .malformed("a box of \(length) bytes, 8 are needed", at: offset) }
      payload = offset + 8
      end = offset + length
    }
  }

  /// The bytes behind the header.
  var contents: Range<Int> { payload..<end }

  static func type(_ name: StaticString) -> UInt32 {
    name.withUTF8Buffer { $0.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
  }

  static let signature = type("jP  ")
  static let fileType = type("ftyp")
  static let header = type("jp2h")
  static let codestream = type("jp2c")
  static let imageHeader = type("ihdr")
  static let bitsPerComponent = type("bpcc")
  static let colour = type("colr")
  static let palette = type("pclr")
  static let componentMapping = type("cmap")
  static let channelDefinition = type("cdef")
  static let resolution = type("res ")
  static let captureResolution = type("resc")
  static let displayResolution = type("resd")
  static let uuid = type("uuid")

  /// What a JP2 file starts with (I.5.1).
  static let signatureBytes: [UInt8] = [0, 0, 0, 12, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A]
}

/// The identifiers of boxes of type `uuid` that hold metadata.
enum BoxIdentifier {
  static let exif = [UInt8]("JpgTiffExif->JP2".utf8)
  /// Adobe's.
  static let adobeExif: [UInt8] = [
    0x05, 0x37, 0xCD, 0xAB, 0x9D, 0x0C, 0x44, 0x31, 0xA7, 0x2A, 0xFA, 0x56, 0x1F, 0x2A, 0x11, 0x3E,
  ]
  /// XMP Specification Part 3, 1.1.4.
  static let xmp: [UInt8] = [
    0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC,
  ]
}
