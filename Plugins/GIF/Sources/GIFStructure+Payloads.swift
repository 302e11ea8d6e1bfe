// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

extension GIFStructure {
  /// The XMP packet, or nil when the file has none.
  ///
  /// The packet lies in the file as it is, not cut into sub-blocks. 258 bytes behind it, the magic trailer, make a
  /// reader that takes it for sub-blocks arrive at the terminator, wherever it came from.
  ///
  /// - Format: XMP Specification Part 3, §1.1.2, GIF 89a.
  /// - Throws: ``CoderError/Code/limitExceeded``.
  func xmp(in bytes: UnsafeRawBufferPointer, limits: Limits) throws(CoderError) -> [UInt8]? {
    guard let start = xmpOffset else { return nil }
    let end = Self.endOfSubBlocks(at: start, in: bytes)
    let packetEnd = end - 258
    if packetEnd >= start, Self.isMagicTrailer(bytes[packetEnd..<end]) {
      try limits.check(metadata: packetEnd - start)
      return packetEnd == start ? nil : [UInt8](bytes[start..<packetEnd])
    }
    // Some writers do use sub-blocks.
    try limits.check(metadata: end - start)
    let joined = Self.joinedSubBlocks(from: start, to: end, in: bytes)
    return joined.isEmpty ? nil : joined
  }

  /// The ICC profile, or nil when the file has none.
  ///
  /// - Throws: ``CoderError/Code/limitExceeded``.
  func icc(in bytes: UnsafeRawBufferPointer, limits: Limits) throws(CoderError) -> [UInt8]? {
    guard let start = iccOffset else { return nil }
    let end = Self.endOfSubBlocks(at: start, in: bytes)
    try limits.check(metadata: end - start)
    let joined = Self.joinedSubBlocks(from: start, to: end, in: bytes)
    return joined.isEmpty ? nil : joined
  }

  /// The comments that the limits have room for, a line feed between two of them, or nil when the file has none.
  func comment(in bytes: UnsafeRawBufferPointer, limits: Limits) -> String? {
    guard !commentOffsets.isEmpty else { return nil }
    var texts: [String] = []
    var length = 0
    for offset in commentOffsets {
      let end = Self.endOfSubBlocks(at: offset, in: bytes)
      length += end - offset
      guard length <= limits.maxMetadata else { break }
      let text = Self.joinedSubBlocks(from: offset, to: end, in: bytes)
      // GIF89a §24 asks for ASCII. What is not UTF-8 either is taken for ISO 8859-1, in which nothing is invalid.
      texts.append(
        String(validating: text, as: UTF8.self) ?? String(String.UnicodeScalarView(text.map { Unicode.Scalar($0) })))
    }
    return texts.joined(separator: "\n")
  }

  /// What is in the sub-blocks of a range, their lengths left out.
  ///
  /// - Format: GIF89a §15, Data Sub-blocks.
  private static func joinedSubBlocks(from start: Int, to end: Int, in bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var joined: [UInt8] = []
    var offset = start
    while offset < end, bytes[offset] > 0 {
      let next = min(offset + 1 + Int(bytes[offset]), end)
      joined.append(contentsOf: bytes[offset + 1..<next])
      offset = next
    }
    return joined
  }

  /// The offset behind the terminator, or the end of the bytes.
  private static func endOfSubBlocks(at start: Int, in bytes: UnsafeRawBufferPointer) -> Int {
    var offset = start
    while offset < bytes.count {
      let length = Int(bytes[offset])
      offset += 1 + length
      if length == 0 { return offset }
    }
    return bytes.count
  }

  /// 1, then 255 down to 0, then the terminator.
  private static func isMagicTrailer(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
    bytes.elementsEqual([1] + (0...255).reversed().map { UInt8($0) } + [0])
  }
}
