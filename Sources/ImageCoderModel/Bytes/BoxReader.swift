// SPDX-License-Identifier: Apache-2.0

/// Reads consecutive boxes (ISO/IEC 14496-12 §4.2).
///
///     var boxes = BoxReader(ByteReader(bytes))
///     while let box = try boxes.next() {
///       if box.type == FourCC("meta") { try readMeta(boxes.content(of: box)) }
///     }
///
/// - Lifetime: At most that of the bytes.
public struct BoxReader: ~Escapable {
  private var reader: ByteReader
  private let name: StaticString
  private let isCutOff: Bool

  /// - Parameters:
  ///   - reader: Positioned at the first box; its bytes end where the last box does.
  ///   - name: The name of what contains the boxes, for errors.
  ///   - isCutOff: Whether the file ends with these bytes: then a box may extend beyond them, and has ``Box/isCut``
  ///     set.
  @_lifetime(copy reader)
  public init(_ reader: ByteReader, in name: StaticString = "the file", isCutOff: Bool = false) {
    self.reader = reader
    self.name = name
    self.isCutOff = isCutOff
  }

  /// The next box, or nil at the end. Fewer than 8 bytes at the end, such as QuickTime's terminator, are ignored.
  ///
  /// - Throws: ``CoderError/Code/malformed`` for a box that is smaller than its header, or larger than what contains it
  ///   unless the file ends there; what the reader throws if a header is incomplete.
  public mutating func next() throws(CoderError) -> Box? {
    guard reader.remaining >= 8 else { return nil }
    let start = reader.position
    let offset = reader.offset
    let header = try BoxHeader(parsing: &reader)
    let room = reader.count &- start
    let size = header.size ?? room
    guard size <= room || isCutOff else {
      throw .malformed("a box \(header.type) of \(size) bytes in \(name), which has \(room) left", at: offset)
    }
    try reader.seek(to: start &+ min(size, room))
    let (end, overflow) = offset.addingReportingOverflow(size)
    return Box(
      type: header.type, start: offset, content: offset &+ header.length, end: overflow ? .max : end,
      isCut: size > room)
  }

  /// The first box of a type from here on, or nil. Other boxes before it are skipped.
  public mutating func first(_ type: FourCC) throws(CoderError) -> Box? {
    while let box = try next() {
      if box.type == type { return box }
    }
    return nil
  }

  /// A reader of the content of a box that this reader returned; for a truncated box, of the bytes that exist.
  @_lifetime(copy self)
  public func content(of box: Box, as name: StaticString = "a box") throws(CoderError) -> ByteReader {
    let start = box.content &- reader.fileOffset
    let end = min(box.end &- reader.fileOffset, reader.count)
    let bytes = try reader.bytes(at: start, count: max(0, end &- start), name)
    return ByteReader(bytes, at: box.content, of: name, isCutOff: box.isCut)
  }
}

extension ByteReader {
  /// The version and flags of a full box (ISO/IEC 14496-12 §4.2).
  public mutating func fullBox() throws(CoderError) -> (version: UInt8, flags: UInt32) {
    let word = try uint32("the version and flags")
    return (UInt8(truncatingIfNeeded: word >> 24), word & 0xFF_FFFF)
  }

  /// Reads a name of 4 bytes, in file order whatever ``ByteReader/order`` is.
  public mutating func fourCC(_ field: StaticString = "a name") throws(CoderError) -> FourCC {
    FourCC(rawValue: try unsigned32BigEndian(field))
  }

  /// Text up to a zero byte, which is skipped, or to the end.
  public mutating func terminatedText() -> String { String(decoding: terminatedBytes()) }

  /// The bytes up to a zero byte, which is skipped, or to the end.
  @_lifetime(copy self)
  public mutating func terminatedBytes() -> RawSpan {
    let start = position
    var end = start
    while end < count, bytes.unsafeLoad(fromUncheckedByteOffset: end, as: UInt8.self) != 0 { end &+= 1 }
    advance(to: min(end &+ 1, count))
    return bytes.extracting(unchecked: start..<end)
  }
}
