// SPDX-License-Identifier: Apache-2.0

import DeviceIndependentBitmap
import ImageCoderPlugin

/// Finds the bitmaps of a file: one, or those of an OS/2 bitmap array, or one without a file header, as the clipboard
/// has it.
///
/// - Format: MS-WMF 2.2.2.3 and Windows GDI, BITMAPFILEHEADER; OS/2 Presentation Manager, BITMAPARRAYFILEHEADER.
struct BMPFile {
  /// What a file header says.
  struct Entry {
    /// Where the bitmap's header is.
    let headerOffset: Int
    /// Where pixels begin, or nil when the header says nothing.
    let pixelOffset: Int?
  }

  let entries: [Entry]
  let isArray: Bool
  /// Whether the array goes on to where there is no entry.
  let isDamaged: Bool

  init(parsing source: SourceView, limits: Limits) throws(CoderError) {
    let start = [UInt8](try source.view(at: 0, count: 14))
    if let first = start.first, Self.headerSizes.contains(first) {
      (entries, isArray, isDamaged) = ([try Self.bareEntry(start)], false, false)
      return
    }
    switch (start.first, start.dropFirst().first) {
    case (UInt8(ascii: "B"), UInt8(ascii: "M")):
      (entries, isArray, isDamaged) = ([try Self.entry(at: 0, in: source)], false, false)
    case (UInt8(ascii: "B"), UInt8(ascii: "A")):
      isArray = true
      (entries, isDamaged) = try Self.array(in: source, limits: limits)
    case (UInt8(ascii: "B"), nil): throw .truncated("the file header has 14 bytes, 1 is left", at: 1)
    default: throw .wrongFormat("bytes \(start.prefix(2)), a bitmap file begins with BM or BA", at: 0)
    }
  }

  /// Sizes of the headers that are taken for bitmaps without a file header: those of Windows 3, 4 and 5.
  private static let headerSizes: [UInt8] = [40, 108, 124]

  private static func bareEntry(_ start: [UInt8]) throws(CoderError) -> Entry {
    // The size's upper bytes, and one plane.
    for (place, byte) in [1: 0, 2: 0, 3: 0, 12: 1, 13: 0] where place < start.count && start[place] != byte {
      throw .wrongFormat("byte \(start[place]) at \(place) of what might be a bitmap's header", at: place)
    }
    guard start.count == 14 else {
      throw .truncated("the header has \(start.first ?? 0) bytes, \(start.count) are left", at: start.count)
    }
    return Entry(headerOffset: 0, pixelOffset: nil)
  }

  private static func entry(at offset: Int, in source: SourceView) throws(CoderError) -> Entry {
    let header = try source.reader(at: offset, count: 14, order: .littleEndian, of: "the file header")
    let pixels = Int(try header.uint32(at: 10, "where pixels begin"))
    return Entry(headerOffset: offset &+ 14, pixelOffset: pixels == 0 ? nil : pixels)
  }

  private static func array(in source: SourceView, limits: Limits) throws(CoderError) -> ([Entry], isDamaged: Bool) {
    var entries: [Entry] = []
    var visited: Set<Int> = []
    var offset = 0
    while true {
      var header = try source.reader(at: offset, count: 14, order: .littleEndian, of: "an array's entry")
      let isEntry = header.has("BA", at: 0)
      try header.skip(6)
      let next = Int(try header.uint32("the next entry"))
      try header.skip(4, "the resolution")
      guard visited.insert(offset).inserted, isEntry else {
        guard !entries.isEmpty else { throw .malformed("an array's entry that does not begin with BA", at: offset) }
        return (entries, true)
      }
      guard visited.count <= limits.maxPages else {
        throw .limitExceeded(.maxPages, found: visited.count, allowed: limits.maxPages, what: "a page count of")
      }
      // Icons and pointers (IC, CI, PT, CP) have another layout; an array may hold them between bitmaps.
      let picture = try source.bytes(at: offset &+ 14, count: 2, of: "the entry's file header")
      if picture == [UInt8(ascii: "B"), UInt8(ascii: "M")] {
        entries.append(try entry(at: offset &+ 14, in: source))
      }
      guard next != 0 else { break }
      offset = next
    }
    guard !entries.isEmpty else { throw .unsupported("an array of \(visited.count) entries without a bitmap") }
    return (entries, false)
  }
}
