// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The index of a multi-picture file, in which other pictures follow the first.
///
/// - Format: CIPA DC-007-2021 §5.2.3.
enum MultiPictureIndex {
  /// The segment with its marker, for pictures that have moved; nil if it cannot be read.
  ///
  /// - Parameters:
  ///   - others: What the places of all pictures but the first have changed by.
  ///   - first: What the size of the first has changed by.
  static func moved(_ segment: [UInt8], others: Int, first: Int) -> [UInt8]? {
    var start = 0
    // Fill bytes may stand before the marker.
    while start + 8 <= segment.count, !(segment[start] == 0xFF && segment[start + 1] == 0xE2) { start += 1 }
    let base = start + 8  // marker, length, "MPF" and a zero
    guard base < segment.count else { return nil }
    let payload = Array(segment[base...])
    guard let order = ExifPayload.byteOrder(of: payload.span.bytes) else { return nil }
    let reader = ByteReader(payload.span.bytes, order: order, of: "the index")
    guard let directory = try? Int(reader.uint32(at: 4)), let count = try? Int(reader.uint16(at: directory)) else {
      return nil
    }
    var writer = ByteWriter(order: order)
    writer.put(segment)
    for index in 0..<count {
      let entry = directory + 2 + 12 * index
      guard let tag = try? reader.uint16(at: entry), tag == 0xB002 else { continue }
      guard let size = try? Int(reader.uint32(at: entry + 4)), let place = try? Int(reader.uint32(at: entry + 8)),
        size % 16 == 0, (try? reader.bytes(at: place, count: size)) != nil
      else { return nil }
      for picture in 0..<(size / 16) {
        // §5.2.3.3: attributes, size, place, and two numbers of other pictures.
        let (field, delta) = picture == 0 ? (place + 4, first) : (place + 16 * picture + 8, others)
        guard let value = try? Int(reader.uint32(at: field)), value > 0 else { continue }
        writer.replace(UInt32(clamping: value + delta), at: base + field)
      }
    }
    return writer.bytes
  }
}
