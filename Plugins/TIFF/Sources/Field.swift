// SPDX-License-Identifier: Apache-2.0

/// A tag with its values, ready to be written into a directory.
struct Field: Equatable {
  let tag: Int
  let type: Int
  let count: Int
  /// In the byte order of the file that it goes to.
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

/// Makes fields and directories in one byte order.
///
/// - Format: TIFF 6.0 §2; BigTIFF.
struct FieldWriter {
  let isBigEndian: Bool
  /// Whether offsets and counts have 8 bytes.
  let isBigTIFF: Bool

  var headerSize: Int { isBigTIFF ? 16 : 8 }
  var offsetSize: Int { isBigTIFF ? 8 : 4 }

  func bytes(_ value: Int, count: Int) -> [UInt8] {
    let little = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    return isBigEndian ? little.reversed() : little
  }

  /// An offset as the header and the entries have it.
  func offset(_ value: Int) -> [UInt8] { bytes(value, count: offsetSize) }

  func header(firstDirectory: Int) -> [UInt8] {
    let order: [UInt8] = isBigEndian ? [0x4D, 0x4D] : [0x49, 0x49]
    guard isBigTIFF else { return order + bytes(42, count: 2) + offset(firstDirectory) }
    return order + bytes(43, count: 2) + bytes(8, count: 2) + bytes(0, count: 2) + offset(firstDirectory)
  }

  func shorts(_ tag: Int, _ values: [Int]) -> Field {
    Field(tag: tag, type: TagType.short, count: values.count, value: values.flatMap { bytes($0, count: 2) })
  }

  func long(_ tag: Int, _ value: Int) -> Field {
    Field(tag: tag, type: TagType.long, count: 1, value: bytes(value, count: 4))
  }

  /// Offsets or lengths: as wide as the file's offsets.
  func offsets(_ tag: Int, _ values: [Int]) -> Field {
    Field(
      tag: tag, type: isBigTIFF ? TagType.long8 : TagType.long, count: values.count,
      value: values.flatMap { offset($0) })
  }

  func undefined(_ tag: Int, _ value: [UInt8], type: Int = TagType.undefined) -> Field {
    Field(tag: tag, type: type, count: value.count, value: value)
  }

  /// A directory that begins at an offset: its entries, a link to the next, and the values that are too long for them.
  func directory(_ fields: [Field], at place: Int, next: Int = 0) -> [UInt8] {
    let sorted = fields.sorted { $0.tag < $1.tag }
    let countSize = isBigTIFF ? 8 : 2
    let entrySize = isBigTIFF ? 20 : 12
    let values = place + countSize + sorted.count * entrySize + offsetSize
    var head = bytes(sorted.count, count: countSize)
    var tail: [UInt8] = []
    for field in sorted {
      head += bytes(field.tag, count: 2) + bytes(field.type, count: 2) + bytes(field.count, count: offsetSize)
      if field.value.count <= offsetSize {
        head += field.value + [UInt8](repeating: 0, count: offsetSize - field.value.count)
      } else {
        head += offset(values + tail.count)
        tail += field.value
        if tail.count % 2 != 0 { tail.append(0) }  // values begin on a word boundary
      }
    }
    return head + offset(next) + tail
  }
}
