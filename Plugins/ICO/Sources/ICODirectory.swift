// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The directory at the front of an icon or cursor file.
///
/// - Format: Windows, icon resources: ICONDIR, ICONDIRENTRY and, for cursors, CURSORDIRENTRY.
struct ICODirectory {
  /// What the directory says of a picture.
  struct Entry {
    /// A stored side of 0 is 256.
    let size: Size
    /// The bits per pixel of icons.
    let bitCount: Int
    /// For cursors: the pixel that points, from the upper left corner.
    let hotSpot: (x: Int, y: Int)?
    let offset: Int
    let byteCount: Int

    /// - Parameter reader: Little-endian.
    init(parsing reader: inout ByteReader, isCursor: Bool) throws(CoderError) {
      let (width, height) = (Int(try reader.uint8("the width")), Int(try reader.uint8("the height")))
      size = Size(width: width == 0 ? 256 : width, height: height == 0 ? 256 : height)
      try reader.skip(2, "the number of colors")
      let (first, second) = (Int(try reader.uint16("the planes")), Int(try reader.uint16("the bit count")))
      bitCount = isCursor ? 0 : second
      hotSpot = isCursor ? (first, second) : nil
      byteCount = Int(try reader.uint32("the length"))
      offset = Int(try reader.uint32("the offset"))
    }

    init(size: Size, bitCount: Int, hotSpot: (x: Int, y: Int)?, offset: Int, byteCount: Int) {
      self.size = size
      self.bitCount = bitCount
      self.hotSpot = hotSpot
      self.offset = offset
      self.byteCount = byteCount
    }

    /// - Parameter writer: Little-endian.
    func write(to writer: inout ByteWriter) {
      // 256 is stored as 0.
      writer.put([UInt8(truncatingIfNeeded: size.width), UInt8(truncatingIfNeeded: size.height), 0, 0])
      // An icon has one plane.
      writer.put(UInt16(clamping: hotSpot?.x ?? 1))
      writer.put(UInt16(clamping: hotSpot?.y ?? bitCount))
      writer.put(UInt32(clamping: byteCount))
      writer.put(UInt32(clamping: offset))
    }
  }

  static let headerBytes = 6
  static let entryBytes = 16

  let isCursor: Bool
  let entries: [Entry]

  init(parsing source: SourceView, limits: Limits) throws(CoderError) {
    let header = try source.reader(at: 0, count: Self.headerBytes, order: .littleEndian, of: "the directory")
    for (index, allowed) in [[0], [0], [1, 2], [0]].enumerated() where index < header.count {
      let byte = try header.uint8(at: index)
      guard allowed.contains(Int(byte)) else {
        throw .wrongFormat("byte \(byte), an icon's directory begins with 0, 0, 1 or 2, 0", at: index)
      }
    }
    guard header.count > 0 else { throw .wrongFormat("an empty file") }
    isCursor = try header.uint16(at: 2, "the kind of pictures") == 2
    let count = Int(try header.uint16(at: 4, "the number of pictures"))
    // Files of other formats begin with these bytes, and have zeros where the count is.
    guard count > 0 else { throw .wrongFormat("a directory of no pictures", at: 4) }
    guard count <= limits.maxPages else {
      throw .limitExceeded(.maxPages, found: count, allowed: limits.maxPages, what: "a page count of")
    }
    let bytes = try source.bytes(at: Self.headerBytes, count: count &* Self.entryBytes, of: "the directory")
    var reader = ByteReader(bytes.span.bytes, order: .littleEndian, at: Self.headerBytes, of: "the directory")
    var entries: [Entry] = []
    for _ in 0..<count { entries.append(try Entry(parsing: &reader, isCursor: isCursor)) }
    self.entries = entries
  }
}
