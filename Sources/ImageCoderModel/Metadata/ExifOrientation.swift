// SPDX-License-Identifier: Apache-2.0

/// The Orientation tag of an Exif payload, and nothing else of it: TIFF 6.0 §2, Exif 2.32 §4.6.4 A.
///
/// A payload begins with its TIFF header. Only the directory behind it is looked at, once; nothing in it is followed, and
/// whatever cannot be read states no orientation.
public enum ExifOrientation {
  /// The orientation that a payload states, ``Orientation/up`` when it states none that is known.
  public static func read(_ payload: UnsafeRawBufferPointer) -> Orientation {
    Entry(in: payload).flatMap { Orientation(rawValue: $0.value) } ?? .up
  }

  /// The orientation that a payload states, ``Orientation/up`` when it states none that is known.
  public static func read(_ payload: [UInt8]) -> Orientation { payload.withUnsafeBytes { read($0) } }

  /// Changes the orientation that a payload states.
  ///
  /// - Returns: False for a payload that states none, which stays as it is.
  @discardableResult
  public static func set(_ orientation: Orientation, in payload: inout [UInt8]) -> Bool {
    guard let entry = payload.withUnsafeBytes({ Entry(in: $0) }) else { return false }
    let size = entry.isLong ? 4 : 2
    for index in 0..<size { payload[entry.place + index] = 0 }
    payload[entry.isBigEndian ? entry.place + size - 1 : entry.place] = UInt8(orientation.rawValue)
    return true
  }

  private static let tag = 0x0112

  /// The smallest payload that states an orientation.
  public static func payload(_ orientation: Orientation) -> [UInt8] {
    [
      0x4D, 0x4D, 0, 42, 0, 0, 0, 8,  // "MM", 42, the directory follows
      0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation.rawValue), 0, 0,  // one entry: a SHORT
      0, 0, 0, 0,  // no further directory
    ]
  }

  /// A payload whose first directory has an entry for the orientation, or nil when the payload cannot be read.
  ///
  /// The directory is written anew behind the payload with the entry in its place; the values that its other entries
  /// point at stay where they are.
  public static func adding(_ orientation: Orientation, to payload: [UInt8]) -> [UInt8]? {
    payload.withUnsafeBytes { raw -> [UInt8]? in
      guard let bytes = TIFFBytes(raw), let directory = bytes.uint32(at: 4), let count = bytes.uint16(at: directory),
        count < 0xFFFF, bytes.uint32(at: directory + 2 + 12 * count) != nil
      else { return nil }
      var result = payload
      if result.count % 2 != 0 { result.append(0) }  // TIFF 6.0 §2: a directory begins on a word boundary.
      let start = result.count
      bytes.append(uint16: count + 1, to: &result)
      // TIFF 6.0 §2: entries are in the order of their tags.
      let before = (0..<count).prefix { bytes.uint16(at: directory + 2 + 12 * $0) ?? 0 < tag }.count
      let split = directory + 2 + 12 * before
      result.append(contentsOf: raw[directory + 2..<split])
      bytes.append(uint16: tag, to: &result)
      bytes.append(uint16: 3, to: &result)
      bytes.append(uint32: 1, to: &result)
      bytes.append(uint16: orientation.rawValue, to: &result)
      bytes.append(uint16: 0, to: &result)
      result.append(contentsOf: raw[split..<directory + 2 + 12 * count + 4])
      var offset: [UInt8] = []
      bytes.append(uint32: start, to: &offset)
      result.replaceSubrange(4..<8, with: offset)
      return result
    }
  }
}

extension ExifOrientation {
  /// Where a payload keeps the tag's value.
  private struct Entry {
    /// As the payload has it; 1 to 8 have a meaning.
    let value: Int
    let isBigEndian: Bool
    /// Of the two or four bytes of the value, all inside the payload.
    let place: Int
    let isLong: Bool

    /// Finds the tag, or nil when the payload has none or cannot be read.
    init?(in payload: UnsafeRawBufferPointer) {
      guard let bytes = TIFFBytes(payload), let directory = bytes.uint32(at: 4),
        let count = bytes.uint16(at: directory)
      else { return nil }
      for index in 0..<count {
        let entry = directory + 2 + 12 * index
        guard let tag = bytes.uint16(at: entry), let type = bytes.uint16(at: entry + 2),
          let values = bytes.uint32(at: entry + 4)
        else { return nil }
        guard tag == ExifOrientation.tag else { continue }
        // SHORT by the specification; LONG is written as well.
        guard values == 1, type == 3 || type == 4, bytes.uint32(at: entry + 8) != nil,
          let value = type == 3 ? bytes.uint16(at: entry + 8) : bytes.uint32(at: entry + 8)
        else { return nil }
        self.value = value
        isBigEndian = bytes.isBigEndian
        place = entry + 8
        isLong = type == 4
        return
      }
      return nil
    }
  }
}

/// The bytes of a TIFF structure, read without ever leaving them.
private struct TIFFBytes {
  let isBigEndian: Bool
  private let bytes: UnsafeRawBufferPointer

  /// Reads the header, or nil when it is none.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= 8 else { return nil }
    switch (bytes[0], bytes[1]) {
    case (0x4D, 0x4D): isBigEndian = true
    case (0x49, 0x49): isBigEndian = false
    default: return nil
    }
    self.bytes = bytes
    guard uint16(at: 2) == 42 else { return nil }
  }

  func uint16(at offset: Int) -> Int? {
    guard offset >= 0, offset <= bytes.count - 2 else { return nil }
    let first = Int(bytes[offset])
    let second = Int(bytes[offset + 1])
    return isBigEndian ? first << 8 | second : second << 8 | first
  }

  func uint32(at offset: Int) -> Int? {
    guard offset >= 0, offset <= bytes.count - 4, let first = uint16(at: offset), let second = uint16(at: offset + 2)
    else { return nil }
    return isBigEndian ? first << 16 | second : second << 16 | first
  }

  func append(uint16 value: Int, to result: inout [UInt8]) {
    let high = UInt8(truncatingIfNeeded: value >> 8)
    let low = UInt8(truncatingIfNeeded: value)
    result.append(contentsOf: isBigEndian ? [high, low] : [low, high])
  }

  func append(uint32 value: Int, to result: inout [UInt8]) {
    append(uint16: isBigEndian ? value >> 16 : value, to: &result)
    append(uint16: isBigEndian ? value : value >> 16, to: &result)
  }
}
