// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// What Exif says of colors: ColorSpace and InteroperabilityIndex (Exif 2.32 §4.6.5, §4.6.3).
enum ExifColorSpace {
  private static let exifDirectory: UInt16 = 0x8769
  private static let interoperability: UInt16 = 0xA005
  private static let colorSpace: UInt16 = 0xA001
  private static let index: UInt16 = 1

  /// Makes a payload say of converted colors what they are: sRGB, or nothing, which is what 65535 says.
  ///
  /// Nothing moves; a payload without these tags, or that cannot be read, stays as it is.
  static func set(isSRGB: Bool, in payload: inout [UInt8]) {
    guard let order = ExifPayload.byteOrder(of: payload.span.bytes) else { return }
    func put(_ value: UInt16, at place: Int) {
      let (high, low) = (UInt8(value >> 8), UInt8(truncatingIfNeeded: value))
      (payload[place], payload[place + 1]) = order == .bigEndian ? (high, low) : (low, high)
    }
    guard let exif = pointer(exifDirectory, in: payload, order, from: nil) else { return }
    if let entry = entry(colorSpace, in: payload, order, at: exif), entry.type == 3, entry.count == 1 {
      put(isSRGB ? 1 : 0xFFFF, at: entry.place)
    }
    guard let directory = pointer(interoperability, in: payload, order, from: exif),
      let entry = entry(index, in: payload, order, at: directory), entry.type == 2, entry.count == 4,
      Array(payload[entry.place..<entry.place + 3]) == Array("R03".utf8)
    else { return }
    payload.replaceSubrange(entry.place..<entry.place + 3, with: isSRGB ? Array("R98".utf8) : [0, 0, 0])
  }

  private struct Entry {
    let type: UInt16
    let count: Int
    /// The place of the field's four bytes, all of them inside the payload.
    let place: Int
  }

  /// The directory that an entry of a directory points at.
  ///
  /// - Parameter directory: Nil for the first one.
  private static func pointer(
    _ tag: UInt16, in payload: [UInt8], _ order: ByteOrder, from directory: Int?
  ) -> Int? {
    let reader = ByteReader(payload.span.bytes, order: order, of: "the Exif payload")
    guard let start = directory ?? (try? Int(reader.uint32(at: 4))),
      let entry = entry(tag, in: payload, order, at: start)
    else { return nil }
    let sizes: [UInt16: Int] = [1: 1, 3: 2, 4: 4, 6: 1, 8: 2, 9: 4, 13: 4]
    guard let size = sizes[entry.type], entry.count == 1 else { return nil }
    return (try? reader.unsigned(bytes: size, at: entry.place)).map { Int($0) }
  }

  private static func entry(_ tag: UInt16, in payload: [UInt8], _ order: ByteOrder, at directory: Int) -> Entry? {
    let reader = ByteReader(payload.span.bytes, order: order, of: "the Exif payload")
    guard let count = try? reader.uint16(at: directory) else { return nil }
    for index in 0..<Int(count) {
      let start = directory + 2 + 12 * index
      guard let found = try? reader.uint16(at: start), let type = try? reader.uint16(at: start + 2),
        let values = try? reader.uint32(at: start + 4), (try? reader.uint32(at: start + 8)) != nil
      else { return nil }
      if found == tag { return Entry(type: type, count: Int(values), place: start + 8) }
    }
    return nil
  }
}
