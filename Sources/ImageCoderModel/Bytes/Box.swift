// SPDX-License-Identifier: Apache-2.0

/// The fields that every box begins with (ISO/IEC 14496-12 §4.2).
public struct BoxHeader: Sendable, Equatable {
  public let type: FourCC
  /// Bytes of these fields: 8, or 16 with a size of 64 bits.
  public let length: Int
  /// Bytes of the whole box, or nil for one that reaches to the end of what it lies in. At least ``length``.
  public let size: Int?

  /// Reads the fields.
  ///
  /// - Throws: ``CoderError/Code/truncated`` or ``CoderError/Code/malformed``, as the reader has it, when the bytes end
  ///   inside the fields; ``CoderError/Code/malformed`` for a size smaller than the fields.
  public init(parsing reader: inout ByteReader) throws(CoderError) {
    let start = reader.offset
    let order = reader.order
    reader.order = .bigEndian
    defer { reader.order = order }
    let short = try reader.uint32("the size of a box")
    type = FourCC(rawValue: try reader.uint32("the type of a box"))
    switch short {
    case 0: (length, size) = (8, nil)
    case 1: (length, size) = (16, Int(clamping: try reader.uint64("the 64-bit size of a box")))
    default: (length, size) = (8, Int(short))
    }
    if let size, size < length {
      throw .malformed("a box \(type) of \(size) bytes, its header takes \(length)", at: start)
    }
  }
}

/// Where a box lies in a file (ISO/IEC 14496-12 §4.2).
public struct Box: Sendable, Equatable {
  public let type: FourCC
  /// Of its header, in the file.
  public let start: Int
  /// Of what follows its header, in the file.
  public let content: Int
  /// As its size says; where ``isCut``, after the last byte that there is.
  public let end: Int
  /// Whether the bytes end inside it.
  public let isCut: Bool

  public init(type: FourCC, start: Int, content: Int, end: Int, isCut: Bool) {
    self.type = type
    self.start = start
    self.content = content
    self.end = end
    self.isCut = isCut
  }

  /// What follows the version and flags of a full box.
  public var fullContent: Int { content &+ 4 }

  public var payload: Range<Int> { content..<max(content, end) }
}
