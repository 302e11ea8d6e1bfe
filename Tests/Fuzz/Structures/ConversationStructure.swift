// SPDX-License-Identifier: Apache-2.0

/// What a worker says, one message after the other, behind two bytes of what it is asked for.
///
/// A message is its kind, the lies about it (1 byte each), the length of its payload (2 bytes, the least significant first),
/// five words of 4 bytes, four of 8 bytes, and the payload.
package enum ConversationStructure: FileStructure {
  package static let start = 2
  package static let headBytes = 56

  package static func parts(of bytes: [UInt8]) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var offset = start
    while offset + headBytes <= bytes.count {
      let length = Int(bytes[offset + 2]) | Int(bytes[offset + 3]) << 8
      let end = min(offset + headBytes + length, bytes.count)
      parts.append(offset..<end)
      offset = end
    }
    return parts
  }

  /// The last message ends with the bytes.
  package static func repair(_ bytes: inout [UInt8]) {
    guard let last = parts(of: bytes).last else { return }
    let length = last.count - headBytes
    bytes[last.lowerBound + 2] = UInt8(truncatingIfNeeded: length)
    bytes[last.lowerBound + 3] = UInt8(truncatingIfNeeded: length >> 8)
  }
}
