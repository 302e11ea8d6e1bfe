// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A tag with its values, ready to be written into a directory.
struct Field: Equatable {
  let tag: Int
  let type: Int
  let count: Int
  /// In the byte order of the file that it goes to. Empty in a directory for libtiff, for values that nobody reads.
  var value: [UInt8]

  /// The same values in the other byte order.
  var swapped: Field {
    let unit = TagType.unit(type)
    guard unit > 1 else { return self }
    var field = self
    for start in stride(from: 0, through: value.count - unit, by: unit) {
      field.value.replaceSubrange(start..<start + unit, with: value[start..<start + unit].reversed())
    }
    return field
  }
}

/// The byte order of this machine.
let nativeOrder: ByteOrder = 1.bigEndian == 1 ? .bigEndian : .littleEndian

/// Makes fields and directories in one byte order.
///
/// - Format: TIFF 6.0 §2; BigTIFF.
struct FieldWriter {
  let order: ByteOrder
  /// Whether offsets and counts have 8 bytes.
  let isBigTIFF: Bool

  var headerSize: Int { isBigTIFF ? 16 : 8 }
  var offsetSize: Int { isBigTIFF ? 8 : 4 }

  private func bytes(_ values: [Int], width: Int) -> [UInt8] {
    var writer = ByteWriter(order: order, capacity: values.count * width)
    for value in values { writer.put(UInt64(truncatingIfNeeded: value), bytes: width) }
    return writer.bytes
  }

  /// An offset as the header and the entries have it.
  func offset(_ value: Int) -> [UInt8] { bytes([value], width: offsetSize) }

  func header(firstDirectory: Int) -> [UInt8] {
    var writer = ByteWriter(order: order)
    writer.put(order == .bigEndian ? "MM" : "II")
    writer.put(UInt16(isBigTIFF ? 43 : 42))
    if isBigTIFF {
      writer.put(UInt16(8))  // bytes of an offset
      writer.put(UInt16(0))
    }
    writer.put(offset(firstDirectory))
    return writer.bytes
  }

  func shorts(_ tag: Int, _ values: [Int]) -> Field {
    Field(tag: tag, type: TagType.short, count: values.count, value: bytes(values, width: 2))
  }

  func long(_ tag: Int, _ value: Int) -> Field {
    Field(tag: tag, type: TagType.long, count: 1, value: bytes([value], width: 4))
  }

  /// Offsets or lengths: as wide as the file's offsets.
  func offsets(_ tag: Int, _ values: [Int]) -> Field {
    Field(
      tag: tag, type: isBigTIFF ? TagType.long8 : TagType.long, count: values.count,
      value: bytes(values, width: offsetSize))
  }

  func undefined(_ tag: Int, _ value: [UInt8], type: Int = TagType.undefined) -> Field {
    Field(tag: tag, type: type, count: value.count, value: value)
  }

  /// A directory that begins at an offset: its entries, a link to the next, and the values that are too long for them.
  ///
  /// - Throws: ``CoderError/Code/outOfMemory``.
  func directory(_ fields: [Field], at place: Int, next: Int = 0) throws(CoderError) -> [UInt8] {
    let sorted = fields.sorted { $0.tag < $1.tag }
    let countSize = isBigTIFF ? 8 : 2
    let values = place + countSize + sorted.count * (isBigTIFF ? 20 : 12) + offsetSize
    var head = ByteWriter(order: order)
    var tail = ByteWriter(order: order)
    let count = fields.reduce(0) { $0 + $1.value.count + 1 }
    try tail.reserve(count, for: "metadata")
    try head.reserve(values - place + count, for: "metadata")
    head.put(UInt64(sorted.count), bytes: countSize)
    for field in sorted {
      head.put(UInt16(truncatingIfNeeded: field.tag))
      head.put(UInt16(truncatingIfNeeded: field.type))
      head.put(UInt64(truncatingIfNeeded: field.count), bytes: offsetSize)
      if field.value.count <= offsetSize {
        head.put(field.value)
        head.putZeros(offsetSize - field.value.count)
      } else {
        head.put(offset(values + tail.count))
        tail.put(field.value)
        tail.putZeros(tail.count % 2)  // values begin on a word boundary
      }
    }
    head.put(offset(next))
    head.put(tail.bytes)
    return head.bytes
  }
}
