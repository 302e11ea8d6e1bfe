// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// The bytes of a box, read from the front and never left.
public struct FileBoxReader {
  private let file: FileBytes
  /// Where the next read happens, in the file.
  public private(set) var offset: Int
  /// Where the box ends, in the file.
  public let end: Int

  /// - Parameter range: Inside the file; what lies outside it counts as cut off.
  public init(_ file: FileBytes, in range: Range<Int>) {
    self.file = file
    offset = min(max(range.lowerBound, 0), file.raw.count)
    end = min(max(range.upperBound, offset), file.raw.count)
  }

  public var left: Int { end - offset }

  /// The same file, narrowed to a box inside this one.
  public func inside(_ box: FileBox) -> FileBoxReader { FileBoxReader(file, in: box.payload) }

  /// An error about the place where the next read would happen.
  public func tooShort(_ what: String, needs count: Int) -> CoderError {
    end == file.end
      ? .truncated("\(what) needs \(count) bytes, \(left) are left", at: offset)
      : .malformed("\(what) needs \(count) bytes, its box has \(left) left", at: offset)
  }

  public mutating func skip(_ count: Int, of what: String) throws(CoderError) {
    guard count >= 0, count <= left else { throw tooShort(what, needs: count) }
    offset += count
  }

  /// A big-endian number of 0 to 8 bytes; 0 bytes are 0.
  public mutating func number(_ count: Int, of what: String) throws(CoderError) -> UInt64 {
    guard count <= left, let value = file.raw.bigEndian(at: offset, count: count) else {
      throw tooShort(what, needs: count)
    }
    offset += count
    return value
  }

  public mutating func uint8(_ what: String) throws(CoderError) -> Int { Int(try number(1, of: what)) }
  public mutating func uint16(_ what: String) throws(CoderError) -> Int { Int(try number(2, of: what)) }
  public mutating func uint32(_ what: String) throws(CoderError) -> UInt32 {
    UInt32(truncatingIfNeeded: try number(4, of: what))
  }

  public mutating func fourCC(_ what: String) throws(CoderError) -> FourCC { FourCC(rawValue: try uint32(what)) }

  /// Text up to a zero byte or the end of the box.
  public mutating func text() -> String {
    let bytes = file.raw[offset..<end]
    let stop = bytes.firstIndex(of: 0) ?? end
    let text = String(decoding: UnsafeRawBufferPointer(rebasing: bytes[offset..<stop]), as: UTF8.self)
    offset = min(stop + 1, end)
    return text
  }

  /// What is left of the box.
  public var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: file.raw[offset..<end]) }

  /// The version and flags of a full box (ISO/IEC 14496-12 §4.2).
  public mutating func fullBox(_ name: String) throws(CoderError) -> (version: Int, flags: Int) {
    let word = Int(try uint32("the header of \(name)"))
    return (word >> 24, word & 0xFF_FFFF)
  }

  /// The next box inside this one, or nil at the end.
  ///
  /// ISO/IEC 14496-12 §4.2: a 32-bit size and a name; size 1 is followed by a 64-bit size, size 0 reaches to the end.
  ///
  /// - Throws: For a box that is larger than this one, unless the file ends in it: then it reaches to the end.
  public mutating func nextBox() throws(CoderError) -> FileBox? {
    guard left > 0 else { return nil }
    let start = offset
    guard let header = FileBoxHeader(rest) else {
      guard left >= 8 else { throw tooShort("a box", needs: 8) }
      offset += 8
      throw tooShort("a box's size", needs: 8)
    }
    let room = end - start
    let size = header.size.map { Int(clamping: $0) } ?? room
    guard size >= header.length else {
      throw .malformed("a box \(header.type) of \(size) bytes, its header takes \(header.length)", at: start)
    }
    let isCut = size > room
    guard !isCut || end == file.end else {
      throw .malformed("a box \(header.type) of \(size) bytes in a box that has \(room) left", at: start)
    }
    offset = isCut ? end : start + size
    let (boxEnd, overflow) = start.addingReportingOverflow(size)
    return FileBox(
      type: header.type, start: start, content: start + header.length, end: overflow ? .max : boxEnd, isCut: isCut)
  }
}
