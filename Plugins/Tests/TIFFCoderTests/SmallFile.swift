// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A TIFF file made by hand: a header, one directory of LONG, SHORT and UNDEFINED values, and whatever follows.
struct SmallFile {
  private var entries: [(tag: UInt16, type: UInt16, values: [UInt32])] = []

  /// A gray picture of 8 bits, not compressed, one strip of zeros at byte 0.
  init(width: UInt32, height: UInt32) {
    set(256, [width])
    set(257, [height])
    set(258, [8], type: 3)
    set(259, [1], type: 3)
    set(262, [1], type: 3)
    set(273, [8])
    set(278, [height])
    set(279, [width * height])
  }

  mutating func set(_ tag: UInt16, _ values: [UInt32], type: UInt16 = 4) {
    remove(tag)
    entries.append((tag, type, values))
  }

  mutating func remove(_ tag: UInt16) { entries.removeAll { $0.tag == tag } }

  /// The file in a byte order, with 4-byte offsets.
  func bytes(_ order: ByteOrder = .littleEndian) -> [UInt8] {
    let sorted = entries.sorted { $0.tag < $1.tag }
    var writer = ByteWriter(order: order)
    writer.put(order == .littleEndian ? "II" : "MM")
    writer.put(UInt16(42))
    writer.put(UInt32(8))
    writer.put(UInt16(sorted.count))
    var far = 8 + 2 + 12 * sorted.count + 4
    var values = ByteWriter(order: order)
    for entry in sorted {
      writer.put(entry.tag)
      writer.put(entry.type)
      writer.put(UInt32(entry.values.count))
      var data = ByteWriter(order: order)
      for value in entry.values {
        switch entry.type {
        case 3: data.put(UInt16(value))
        case 7: data.put(UInt8(value))
        default: data.put(value)
        }
      }
      if data.count <= 4 {
        writer.put(data.bytes)
        writer.putZeros(4 - data.count)
      } else {
        writer.put(UInt32(far))
        values.put(data.bytes)
        far += data.count
      }
    }
    writer.put(UInt32(0))
    return writer.bytes + values.bytes
  }
}
