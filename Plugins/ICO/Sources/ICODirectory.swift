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
    /// Of icons.
    let bitCount: Int
    /// Of cursors: the pixel that points, from the upper left corner.
    let hotSpot: (x: Int, y: Int)?
    let offset: Int
    let byteCount: Int
  }

  static let headerBytes = 6
  static let entryBytes = 16

  let isCursor: Bool
  let entries: [Entry]

  init(parsing source: SourceView, limits: Limits) throws(CoderError) {
    let header = try source.view(at: 0, count: Self.headerBytes)
    for (index, allowed) in [[0], [0], [1, 2], [0]].enumerated() where index < header.count {
      guard allowed.contains(Int(header[index])) else {
        throw .wrongFormat("byte \(header[index]), an icon's directory begins with 0, 0, 1 or 2, 0", at: index)
      }
    }
    guard header.count > 0 else { throw .wrongFormat("an empty file") }
    guard header.count == Self.headerBytes else {
      throw .truncated(
        "the directory's header has \(Self.headerBytes) bytes, \(header.count) are left", at: header.count)
    }
    let isCursor = header[2] == 2
    let count = Int(header[4]) | Int(header[5]) << 8
    // Files of other formats begin with these bytes, and have zeros where the count is.
    guard count > 0 else { throw .wrongFormat("a directory of no pictures", at: 4) }
    guard count <= limits.maxPages else {
      throw .limitExceeded(.maxPages, found: count, allowed: limits.maxPages, what: "a page count of")
    }
    let bytes = try source.bytes(at: Self.headerBytes, count: count &* Self.entryBytes, of: "the directory")
    self.isCursor = isCursor
    entries = (0..<count).map { index in
      func byte(_ place: Int) -> Int { Int(bytes[index &* Self.entryBytes &+ place]) }
      func pair(_ place: Int) -> Int { byte(place) | byte(place &+ 1) << 8 }
      let size = Size(width: byte(0) == 0 ? 256 : byte(0), height: byte(1) == 0 ? 256 : byte(1))
      return Entry(
        size: size, bitCount: isCursor ? 0 : pair(6), hotSpot: isCursor ? (pair(4), pair(6)) : nil,
        offset: pair(12) | pair(14) << 16, byteCount: pair(8) | pair(10) << 16)
    }
  }
}
