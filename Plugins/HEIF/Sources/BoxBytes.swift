// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The bytes of a box, read from the front and never left.
struct BoxBytes {
  /// The whole file.
  private let file: UnsafeRawBufferPointer
  /// Where the next read happens, in the file.
  private(set) var offset: Int
  /// Where the box ends, in the file.
  let end: Int

  /// - Parameter range: Inside the file; what lies outside it counts as cut off.
  init(_ file: UnsafeRawBufferPointer, in range: Range<Int>) {
    self.file = file
    offset = min(max(range.lowerBound, 0), file.count)
    end = min(max(range.upperBound, offset), file.count)
  }

  var left: Int { end - offset }

  /// The same file, narrowed to a box inside this one.
  func inside(_ box: Box) -> BoxBytes { BoxBytes(file, in: box.payload) }

  /// An error about the place where the next read would happen.
  func tooShort(_ what: String, needs count: Int) -> CoderError {
    end == file.count
      ? .truncated("\(what) needs \(count) bytes, \(left) are left", at: offset)
      : .malformed("\(what) needs \(count) bytes, its box has \(left) left", at: offset)
  }

  mutating func skip(_ count: Int, of what: String) throws(CoderError) {
    guard count >= 0, count <= left else { throw tooShort(what, needs: count) }
    offset += count
  }

  /// A big-endian number of 0 to 8 bytes; 0 bytes are 0.
  mutating func number(_ count: Int, of what: String) throws(CoderError) -> UInt64 {
    guard count <= left else { throw tooShort(what, needs: count) }
    var value: UInt64 = 0
    for index in 0..<count { value = value << 8 | UInt64(file[offset + index]) }
    offset += count
    return value
  }

  mutating func uint8(_ what: String) throws(CoderError) -> Int { Int(try number(1, of: what)) }
  mutating func uint16(_ what: String) throws(CoderError) -> Int { Int(try number(2, of: what)) }
  mutating func uint32(_ what: String) throws(CoderError) -> UInt32 {
    UInt32(truncatingIfNeeded: try number(4, of: what))
  }

  mutating func name(_ what: String) throws(CoderError) -> FourCC { FourCC(rawValue: try uint32(what)) }

  /// Text up to a zero byte or the end of the box.
  mutating func text() -> String {
    let bytes = file[offset..<end]
    let stop = bytes.firstIndex(of: 0) ?? end
    let text = String(decoding: UnsafeRawBufferPointer(rebasing: bytes[offset..<stop]), as: UTF8.self)
    offset = min(stop + 1, end)
    return text
  }

  /// What is left of the box.
  var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: file[offset..<end]) }

  /// The version and flags of a full box (ISO/IEC 14496-12 §4.2).
  mutating func fullBox(_ name: String) throws(CoderError) -> (version: Int, flags: Int) {
    let word = Int(try uint32("the header of \(name)"))
    return (word >> 24, word & 0xFF_FFFF)
  }

  /// The next box inside this one, or nil at the end.
  ///
  /// ISO/IEC 14496-12 §4.2: a 32-bit size and a name; size 1 is followed by a 64-bit size, size 0 reaches to the end.
  ///
  /// - Throws: For a box that is larger than this one, unless the file ends in it: then it reaches to the end.
  mutating func nextBox() throws(CoderError) -> Box? {
    guard left > 0 else { return nil }
    let start = offset
    guard left >= 8 else { throw tooShort("a box", needs: 8) }
    var size = Int(try uint32("a box"))
    let name = try name("a box")
    if size == 1 {
      size = Int(clamping: try number(8, of: "a box's size"))
    } else if size == 0 {
      size = end - start
    }
    let header = offset - start
    guard size >= header else {
      throw .malformed("a box \(name) of \(size) bytes, its header takes \(header)", at: start)
    }
    let isCut = size > end - start
    guard !isCut || end == file.count else {
      throw .malformed("a box \(name) of \(size) bytes in a box that has \(end - start) left", at: start)
    }
    let boxEnd = isCut ? end : start + size
    let box = Box(name: name, start: start, payload: offset..<boxEnd, isCut: isCut)
    offset = boxEnd
    return box
  }
}

/// Where a box lies.
struct Box {
  let name: FourCC
  /// Of its header, in the file.
  let start: Int
  /// Behind its header.
  let payload: Range<Int>
  /// Whether the file ends inside it.
  let isCut: Bool
}
