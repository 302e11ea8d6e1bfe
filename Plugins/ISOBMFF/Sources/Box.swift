// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// Where a box lies (ISO/IEC 14496-12 §4.2).
public struct FileBox {
  public let type: FourCC
  /// Of its header, in the file.
  public let start: Int
  /// Behind its header.
  public let content: Int
  /// As its size says, which may be behind the bytes that are there.
  public let end: Int
  /// Whether the bytes end inside it.
  public let isCut: Bool

  /// Behind version and flags of a full box.
  public var fullContent: Int { content + 4 }

  public var payload: Range<Int> { content..<max(content, end) }
}

/// The fields that every box starts with (ISO/IEC 14496-12 §4.2).
public struct FileBoxHeader {
  public let type: FourCC
  /// Bytes of these fields: 8, or 16 with a size of 64 bits.
  public let length: Int
  /// Bytes of the whole box, or nil for one that reaches to the end of what it lies in.
  public let size: UInt64?

  /// - Returns: nil when the bytes end inside the fields.
  public init?(_ bytes: UnsafeRawBufferPointer, at offset: Int = 0) {
    guard let short = bytes.bigEndian(at: offset, count: 4), let name = bytes.bigEndian(at: offset &+ 4, count: 4)
    else { return nil }
    type = FourCC(rawValue: UInt32(truncatingIfNeeded: name))
    switch short {
    case 0: (length, size) = (8, nil)
    case 1:
      guard let long = bytes.bigEndian(at: offset &+ 8, count: 8) else { return nil }
      (length, size) = (16, long)
    default: (length, size) = (8, short)
    }
  }
}

extension UnsafeRawBufferPointer {
  /// A number of 0 to 8 bytes, highest first; nil where the bytes end. 0 bytes are 0.
  func bigEndian(at offset: Int, count wanted: Int) -> UInt64? {
    guard offset >= 0, wanted <= count, offset <= count &- wanted else { return nil }
    var value: UInt64 = 0
    for index in 0..<wanted { value = value << 8 | UInt64(self[offset &+ index]) }
    return value
  }
}
