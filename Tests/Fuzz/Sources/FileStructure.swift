// SPDX-License-Identifier: Apache-2.0

/// How the bytes of a format are put together, so that a change goes further than its first check.
protocol FileStructure: SendableMetatype {
  /// The parts that can be left out, doubled or exchanged: chunks, boxes, blocks. In order, without overlaps.
  static func parts(of bytes: [UInt8]) -> [Range<Int>]

  /// Makes lengths and checksums right that a change has made wrong.
  static func repair(_ bytes: inout [UInt8])
}

extension FileStructure {
  /// Changes the order and number of parts.
  static func rearrange(_ bytes: inout [UInt8], most: Int, _ choices: inout Choices) {
    let parts = parts(of: bytes)
    guard !parts.isEmpty else { return }
    let part = parts[choices.below(parts.count)]
    let other = parts[choices.below(parts.count)]
    switch choices.below(3) {
    case 0: bytes.removeSubrange(part)
    case 1 where bytes.count + part.count <= most: bytes.insert(contentsOf: bytes[part], at: other.lowerBound)
    default:
      guard part.upperBound <= other.lowerBound else { return }
      let moved = Array(bytes[other]) + bytes[part.upperBound..<other.lowerBound] + bytes[part]
      bytes.replaceSubrange(part.lowerBound..<other.upperBound, with: moved)
    }
  }
}

extension [UInt8] {
  /// A number of 4 bytes, the most significant first; nil behind the end.
  fileprivate func big(at offset: Int) -> Int? {
    guard offset >= 0, offset + 4 <= count else { return nil }
    return self[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  /// A number of 4 bytes, the least significant first; nil behind the end.
  fileprivate func little(at offset: Int) -> Int? {
    guard offset >= 0, offset + 4 <= count else { return nil }
    return self[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  fileprivate mutating func setBig(_ value: Int, at offset: Int) {
    for place in 0..<4 { self[offset + place] = UInt8(truncatingIfNeeded: value >> (24 - 8 * place)) }
  }

  fileprivate mutating func setLittle(_ value: Int, at offset: Int) {
    for place in 0..<4 { self[offset + place] = UInt8(truncatingIfNeeded: value >> (8 * place)) }
  }
}

/// Chunks with checksums (PNG, third edition, section 5).
enum PNGStructure: FileStructure {
  static func parts(of bytes: [UInt8]) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var offset = 8
    while let length = bytes.big(at: offset), length <= bytes.count - offset - 12 {
      parts.append(offset..<offset + 12 + length)
      offset += 12 + length
    }
    return parts
  }

  static func repair(_ bytes: inout [UInt8]) {
    for part in parts(of: bytes) {
      bytes.setBig(Int(checksum(bytes[part.lowerBound + 4..<part.upperBound - 4])), at: part.upperBound - 4)
    }
  }

  /// CRC-32 as in section 5.5.
  static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    ~bytes.reduce(UInt32.max) { sum, byte in table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ sum >> 8 }
  }

  private static let table: [UInt32] = (0..<256).map { number in
    (0..<8).reduce(UInt32(number)) { sum, _ in sum & 1 == 1 ? 0xEDB8_8320 ^ sum >> 1 : sum >> 1 }
  }
}

/// Boxes of the first two levels (ISO/IEC 14496-12, section 4.2; JPEG 2000 and JPEG XL have the same).
enum BoxStructure: FileStructure {
  static func parts(of bytes: [UInt8]) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    for box in boxes(in: 0..<bytes.count, of: bytes) {
      let inner = boxes(in: box.lowerBound + headBytes(of: box, bytes)..<box.upperBound, of: bytes)
      // A container's boxes are parts, and the container itself is not: parts do not overlap.
      if inner.count > 1, inner.last?.upperBound == box.upperBound { parts += inner } else { parts.append(box) }
    }
    return parts
  }

  private static func headBytes(of box: Range<Int>, _ bytes: [UInt8]) -> Int {
    // `meta` is a full box: version and flags come first.
    Array(bytes[box].dropFirst(4).prefix(4)) == Array("meta".utf8) ? 12 : 8
  }

  private static func boxes(in range: Range<Int>, of bytes: [UInt8]) -> [Range<Int>] {
    var boxes: [Range<Int>] = []
    var offset = range.lowerBound
    while offset + 8 <= range.upperBound, let length = bytes.big(at: offset), length >= 8,
      length <= range.upperBound - offset
    {
      boxes.append(offset..<offset + length)
      offset += length
    }
    return boxes
  }

  /// The last box takes the bytes up to the end, and `meta` and `moov` are as long as their boxes.
  static func repair(_ bytes: inout [UInt8]) {
    var offset = 0
    while offset + 8 <= bytes.count, let length = bytes.big(at: offset) {
      guard length >= 8, length <= bytes.count - offset else {
        bytes.setBig(bytes.count - offset, at: offset)
        return
      }
      offset += length
    }
  }
}

/// Blocks behind the header and the global palette (GIF89a, sections 17 to 26).
enum GIFStructure: FileStructure {
  static func parts(of bytes: [UInt8]) -> [Range<Int>] {
    guard bytes.count > 13 else { return [] }
    var parts: [Range<Int>] = []
    var offset = 13 + (bytes[10] & 0x80 != 0 ? 6 << Int(bytes[10] & 7) : 0)
    while offset + 2 < bytes.count {
      let start = offset
      switch bytes[offset] {
      case 0x21: offset += 2
      case 0x2C:
        guard offset + 10 < bytes.count else { return parts }
        let flags = bytes[offset + 9]
        offset += 11 + (flags & 0x80 != 0 ? 6 << Int(flags & 7) : 0)
      default: return parts
      }
      while offset < bytes.count, bytes[offset] != 0 { offset += 1 + Int(bytes[offset]) }
      offset += 1
      guard offset <= bytes.count else { return parts }
      parts.append(start..<offset)
    }
    return parts
  }

  /// There are neither lengths of the whole nor checksums.
  static func repair(_ bytes: inout [UInt8]) {}
}

/// Marker segments before the scans (ITU-T T.81, annex B).
enum JPEGStructure: FileStructure {
  static func parts(of bytes: [UInt8]) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var offset = 2
    while offset + 4 <= bytes.count, bytes[offset] == 0xFF, bytes[offset + 1] != 0xDA {
      let length = 2 + Int(bytes[offset + 2]) << 8 + Int(bytes[offset + 3])
      guard length >= 4, length <= bytes.count - offset else { break }
      parts.append(offset..<offset + length)
      offset += length
    }
    return parts
  }

  static func repair(_ bytes: inout [UInt8]) {}
}

/// Chunks in one file chunk (RIFF; WebP Container Specification).
enum RIFFStructure: FileStructure {
  static func parts(of bytes: [UInt8]) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var offset = 12
    while let length = bytes.little(at: offset + 4), length <= bytes.count - offset - 8 {
      let end = min(offset + 8 + length + length & 1, bytes.count)
      parts.append(offset..<end)
      offset = end
    }
    return parts
  }

  static func repair(_ bytes: inout [UInt8]) {
    if bytes.count >= 12 { bytes.setLittle(bytes.count - 8, at: 4) }
  }
}

/// Entries of the first directory (TIFF 6.0, section 2).
enum TIFFStructure: FileStructure {
  static func parts(of bytes: [UInt8]) -> [Range<Int>] {
    guard bytes.count > 8 else { return [] }
    let isLittle = bytes[0] == 0x49
    guard let start = isLittle ? bytes.little(at: 4) : bytes.big(at: 4), start + 2 <= bytes.count else { return [] }
    let (first, second) = (Int(bytes[start]), Int(bytes[start + 1]))
    let count = isLittle ? second << 8 | first : first << 8 | second
    return (0..<min(count, 64)).map { start + 2 + 12 * $0..<start + 14 + 12 * $0 }
      .filter { $0.upperBound <= bytes.count }
  }

  /// A directory's entries are counted before it; one too few or too many is a test of its own.
  static func repair(_ bytes: inout [UInt8]) {}
}
