// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A palette: the `pclr` box (ISO/IEC 15444-1 I.5.3.4).
struct Palette {
  /// One generated channel.
  struct Column {
    let bits: Int
    let isSigned: Bool
    var entries: [Int32]
  }

  private(set) var columns: [Column] = []

  init(parsing box: Box, in source: SourceView) throws(CoderError) {
    // 1,024 entries of 255 columns of 5 bytes, and a header.
    let bytes = try source.bytes(
      at: box.payload, count: min(box.end - box.payload, 3 + 255 + 1024 * 255 * 5), of: "the palette")
    guard bytes.count >= 3 else { throw .malformed("a palette of \(bytes.count) bytes", at: box.offset) }
    let count = bytes.uint16(at: 0)
    let columnCount = Int(bytes[2])
    guard (1...1024).contains(count), columnCount > 0, bytes.count >= 3 + columnCount else {
      throw .malformed(
        "a palette of \(count) entries and \(columnCount) columns, 1024 and 255 are allowed", at: box.offset)
    }
    for byte in bytes[3..<3 + columnCount] {
      let bits = Int(byte & 0x7F) + 1
      guard bits <= 31 else { throw .unsupported("a palette of \(bits) bits, 31 are supported", at: box.payload + 3) }
      var column = Column(bits: bits, isSigned: byte & 0x80 != 0, entries: [])
      column.entries.reserveCapacity(count)
      columns.append(column)
    }
    let entryBytes = columns.reduce(0) { $0 + $1.bits.dividedUp(by: 8) }
    guard bytes.count >= 3 + columnCount + count * entryBytes else {
      throw .malformed(
        "a palette of \(bytes.count) bytes, \(3 + columnCount + count * entryBytes) are needed", at: box.offset)
    }
    var place = 3 + columnCount
    for _ in 0..<count {
      for index in columns.indices {
        let bits = columns[index].bits
        var value: UInt32 = 0
        for _ in 0..<bits.dividedUp(by: 8) {
          value = value << 8 | UInt32(bytes[place])
          place += 1
        }
        let unused = UInt32(32 - bits)
        let shifted = Int32(bitPattern: value << unused)
        columns[index].entries.append(
          columns[index].isSigned ? shifted >> Int32(unused) : Int32(bitPattern: UInt32(bitPattern: shifted) >> unused))
      }
    }
  }
}
