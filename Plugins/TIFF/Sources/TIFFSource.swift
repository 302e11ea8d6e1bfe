// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The bytes of a TIFF file: its byte order, the width of its offsets, and reads that never leave the file.
///
/// - Format: TIFF 6.0 §2; BigTIFF as libtiff describes it.
struct TIFFSource {
  let source: SourceView
  let isBigEndian: Bool
  /// Whether offsets and counts have 8 bytes.
  let isBigTIFF: Bool
  /// Of the first directory.
  let firstDirectory: Int

  /// Reads the file's header.
  init(_ source: SourceView) throws(CoderError) {
    self.source = source
    var shown = [UInt8](try source.view(at: 0, least: 8, most: 16))
    let orders: [[UInt8]: Bool] = [[0x49, 0x49]: false, [0x4D, 0x4D]: true]
    guard shown.count >= 2 else {
      throw .truncated("a header needs 8 bytes, \(shown.count) are there", at: shown.count)
    }
    guard let isBigEndian = orders[Array(shown[..<2])] else { throw .wrongFormat("no byte order, II or MM", at: 0) }
    guard shown.count >= 4 else {
      throw .truncated("a header needs 8 bytes, \(shown.count) are there", at: shown.count)
    }
    let version = shown.number(at: 2, bytes: 2, isBigEndian: isBigEndian)
    guard version == 42 || version == 43 else {
      throw .wrongFormat("version \(version), 42 and 43 are known", at: 2)
    }
    let isBigTIFF = version == 43
    let length = isBigTIFF ? 16 : 8
    if shown.count < length { shown = [UInt8](try source.view(at: 0, count: length)) }
    guard shown.count >= length else {
      throw .truncated("a header needs \(length) bytes, \(shown.count) are there", at: shown.count)
    }
    if isBigTIFF {
      let width = shown.number(at: 4, bytes: 2, isBigEndian: isBigEndian)
      guard width == 8 else { throw .wrongFormat("offsets of \(width) bytes, 8 are known", at: 4) }
    }
    self.isBigEndian = isBigEndian
    self.isBigTIFF = isBigTIFF
    let offset = shown.number(at: isBigTIFF ? 8 : 4, bytes: isBigTIFF ? 8 : 4, isBigEndian: isBigEndian)
    firstDirectory = Int(clamping: offset)
    guard firstDirectory >= length else {
      throw .malformed(
        "a first directory at \(offset), \(length) is the first place it can have", at: isBigTIFF ? 8 : 4)
    }
  }

  /// Bytes in all, or the largest integer as long as bytes arrive.
  var size: Int { source.size }
  /// Whether every byte is there.
  var isComplete: Bool { size < .max }
  /// Bytes of an entry of a directory.
  var entrySize: Int { isBigTIFF ? 20 : 12 }
  /// Bytes of the number of entries.
  var countSize: Int { isBigTIFF ? 8 : 2 }
  /// Bytes of an offset.
  var offsetSize: Int { isBigTIFF ? 8 : 4 }

  /// Copies exactly `count` bytes, and waits for them where bytes arrive.
  func bytes(at offset: Int, count: Int, of what: String) throws(CoderError) -> [UInt8] {
    if offset >= 0, count >= 0, offset <= size, count <= size - offset {
      let shown = try source.view(at: offset, count: count)
      // Only now is it known where arriving bytes end.
      if shown.count == count { return [UInt8](shown) }
    }
    try waitForAll()
    throw .truncated("\(what) needs \(count) bytes at \(offset), the file has \(size)", at: size)
  }

  /// Whether the file has bytes; waits until that is known.
  func hasBytes(at offset: Int, count: Int) throws(CoderError) -> Bool {
    if isComplete { return offset <= size && count <= size - offset }
    return try source.view(at: offset, count: count).count == count
  }

  /// Waits until ``size`` is known.
  func waitForAll() throws(CoderError) {
    if !isComplete { _ = try source.view(at: .max, count: 1) }
  }

  /// A number of 1 to 8 bytes in the file's order.
  func number(at offset: Int, bytes count: Int, of what: String) throws(CoderError) -> UInt64 {
    try bytes(at: offset, count: count, of: what).number(at: 0, bytes: count, isBigEndian: isBigEndian)
  }

  /// How many entries a directory says that it has.
  func entryCount(at offset: Int) throws(CoderError) -> Int {
    let count = try number(at: offset, bytes: countSize, of: "a directory")
    guard count > 0, count <= 65_535 else {
      throw .malformed("a directory of \(count) entries, 1 to 65535 are allowed", at: offset)
    }
    return Int(count)
  }
}

extension Array where Element == UInt8 {
  /// A number of so many bytes; 0 where the array has none.
  func number(at offset: Int, bytes count: Int, isBigEndian: Bool) -> UInt64 {
    guard offset >= 0, count >= 0, offset <= self.count, count <= self.count &- offset else { return 0 }
    var value: UInt64 = 0
    for index in 0..<count {
      let byte = self[offset + (isBigEndian ? index : count - 1 - index)]
      value = value << 8 | UInt64(byte)
    }
    return value
  }
}
