// SPDX-License-Identifier: Apache-2.0

/// Chunks with checksums (PNG, third edition, section 5).
package enum PNGStructure: FileStructure {
  package static func parts(of bytes: [UInt8]) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var offset = 8
    while let length = bytes.big(at: offset), length <= bytes.count - offset - 12 {
      parts.append(offset..<offset + 12 + length)
      offset += 12 + length
    }
    return parts
  }

  package static func repair(_ bytes: inout [UInt8]) {
    for part in parts(of: bytes) {
      bytes.setBig(Int(checksum(bytes[part.lowerBound + 4..<part.upperBound - 4])), at: part.upperBound - 4)
    }
  }

  /// CRC-32 as in section 5.5.
  package static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    ~bytes.reduce(UInt32.max) { sum, byte in table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ sum >> 8 }
  }

  private static let table: [UInt32] = (0..<256).map { number in
    (0..<8).reduce(UInt32(number)) { sum, _ in sum & 1 == 1 ? 0xEDB8_8320 ^ sum >> 1 : sum >> 1 }
  }
}

/// Chunks in one file chunk (RIFF; WebP Container Specification).
package enum RIFFStructure: FileStructure {
  package static func parts(of bytes: [UInt8]) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var offset = 12
    while let length = bytes.little(at: offset + 4), length <= bytes.count - offset - 8 {
      let end = min(offset + 8 + length + length & 1, bytes.count)
      parts.append(offset..<end)
      offset = end
    }
    return parts
  }

  package static func repair(_ bytes: inout [UInt8]) {
    if bytes.count >= 12 { bytes.setLittle(bytes.count - 8, at: 4) }
  }
}

/// Elements of an icon file, each with its length, and the length of the whole.
package enum ICNSStructure: FileStructure {
  package static func parts(of bytes: [UInt8]) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var offset = 8
    while let length = bytes.big(at: offset + 4), length >= 8, length <= bytes.count - offset {
      parts.append(offset..<offset + length)
      offset += length
    }
    return parts
  }

  package static func repair(_ bytes: inout [UInt8]) {
    if bytes.count >= 8 { bytes.setBig(bytes.count, at: 4) }
  }
}

/// Blocks behind the header and the global palette (GIF89a, sections 17 to 26).
package enum GIFStructure: FileStructure {
  package static func parts(of bytes: [UInt8]) -> [Range<Int>] {
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
}

/// Marker segments, and scans with their coded bytes (ITU-T T.81, annex B).
package enum JPEGStructure: FileStructure {
  package static func parts(of bytes: [UInt8]) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var offset = 2
    while offset + 4 <= bytes.count, bytes[offset] == 0xFF {
      let length = 2 + Int(bytes[offset + 2]) << 8 + Int(bytes[offset + 3])
      guard length >= 4, length <= bytes.count - offset else { break }
      var end = offset + length
      if bytes[offset + 1] == 0xDA {
        // Up to the next marker: a stuffed zero and restarts belong to the scan.
        while end + 1 < bytes.count, bytes[end] != 0xFF || bytes[end + 1] == 0 || 0xD0...0xD7 ~= bytes[end + 1] {
          end += 1
        }
        if end + 1 >= bytes.count { end = bytes.count }
      }
      parts.append(offset..<end)
      offset = end
    }
    return parts
  }
}
