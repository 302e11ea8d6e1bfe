// SPDX-License-Identifier: Apache-2.0

/// The header fields of a box (ISO/IEC 14496-12 §4.2).
public struct BoxHeader: Sendable, Equatable {
  /// The box's type, `meta`; `uuid` if an extended type follows these fields.
  public let type: FourCC
  /// The number of bytes of these fields: 8, or 16 with a 64-bit size.
  public let length: Int
  /// The number of bytes of the whole box, at least ``length``; nil if the box extends to the end of what contains it.
  public let size: Int?

  /// Reads the fields.
  ///
  /// - Throws: ``CoderError/Code/truncated`` or ``CoderError/Code/malformed``, as the reader throws, if the bytes end
  ///   inside the fields; ``CoderError/Code/malformed`` for a size smaller than the fields.
  public init(parsing reader: inout ByteReader) throws(CoderError) {
    guard let header = BoxHeader(reader.bytes, at: reader.position) else {
      let start = reader.offset
      let short = try reader.unsigned32BigEndian("the size of a box")
      let type = FourCC(rawValue: try reader.unsigned32BigEndian("the type of a box"))
      let (isLong, order) = (short == 1, reader.order)
      defer { reader.order = order }
      reader.order = .bigEndian
      let size = isLong ? try reader.uint64("the 64-bit size of a box") : UInt64(short)
      throw .malformed("a box \(type) of \(size) bytes, its header takes \(isLong ? 16 : 8)", at: start)
    }
    self = header
    reader.advance(to: reader.position &+ length)
  }

  /// Reads the fields at an offset from the start of bytes.
  ///
  /// - Returns: nil where the bytes end inside the fields, and for a size smaller than the fields.
  public init?(_ bytes: RawSpan, at place: Int) {
    guard place >= 0, place <= bytes.byteCount &- 8 else { return nil }
    let short = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt32.self).bigEndian
    let name = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: place &+ 4, as: UInt32.self).bigEndian
    type = FourCC(rawValue: name)
    switch short {
    case 0: (length, size) = (8, nil)
    case 1:
      guard place <= bytes.byteCount &- 16 else { return nil }
      let long = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: place &+ 8, as: UInt64.self).bigEndian
      (length, size) = (16, Int(clamping: long))
    default: (length, size) = (8, Int(short))
    }
    if let size, size < length { return nil }
  }
}

/// The place of a box in a file (ISO/IEC 14496-12 §4.2).
public struct Box: Sendable, Equatable {
  /// The box's type, `meta`; `uuid` if its content begins with an extended type.
  public let type: FourCC
  /// The offset of its header in the file.
  public let start: Int
  /// The offset of its content, after the header, in the file.
  public let content: Int
  /// The offset of its end according to its size, at most the largest integer; beyond the bytes if ``isCut``.
  public let end: Int
  /// Whether the bytes end inside the box.
  public let isCut: Bool

  /// Makes a place from offsets in the file, which are not checked.
  public init(type: FourCC, start: Int, content: Int, end: Int, isCut: Bool) {
    self.type = type
    self.start = start
    self.content = content
    self.end = end
    self.isCut = isCut
  }

  /// The offset after the version and flags of a full box.
  public var fullContent: Int { content &+ 4 }

  /// The offsets of its content in the file, up to ``end``: beyond the bytes if ``isCut``.
  public var payload: Range<Int> { content..<max(content, end) }
}
