// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A palette: the `pclr` box (ISO/IEC 15444-1 I.5.3.4).
struct Palette: Equatable {
  /// One generated channel.
  struct Column: Equatable {
    let bits: Int
    let isSigned: Bool
    var entries: [Int32]
  }

  private(set) var columns: [Column] = []

  /// - Parameter reader: At the box's content.
  init(parsing reader: inout ByteReader) throws(CoderError) {
    let start = reader.offset
    let count = Int(try reader.uint16("the number of entries"))
    let columnCount = Int(try reader.uint8("the number of columns"))
    guard (1...1024).contains(count), columnCount > 0 else {
      throw .malformed("a palette of \(count) entries and \(columnCount) columns, 1024 and 255 are allowed", at: start)
    }
    for _ in 0..<columnCount {
      let depth = try reader.uint8("the bits of a column")
      let bits = Int(depth & 0x7F) + 1
      guard bits <= 31 else {
        throw .unsupported("a palette of \(bits) bits, 31 are supported", at: reader.offset - 1)
      }
      columns.append(Column(bits: bits, isSigned: depth & 0x80 != 0, entries: []))
    }
    let entryBytes = columns.reduce(0) { $0 + $1.bits.dividedRoundingUp(by: 8) }
    guard reader.remaining >= count * entryBytes else {
      throw .malformed(
        "\(count) entries of a palette need \(count * entryBytes) bytes, \(reader.remaining) are left",
        at: reader.offset)
    }
    for index in columns.indices { columns[index].entries.reserveCapacity(count) }
    for _ in 0..<count {
      for index in columns.indices {
        let bits = columns[index].bits
        let value = UInt32(truncatingIfNeeded: try reader.unsigned(bytes: bits.dividedRoundingUp(by: 8), "an entry"))
        let unused = UInt32(32 - bits)
        let shifted = Int32(bitPattern: value << unused)
        columns[index].entries.append(
          columns[index].isSigned ? shifted >> Int32(unused) : Int32(bitPattern: UInt32(bitPattern: shifted) >> unused))
      }
    }
  }
}
