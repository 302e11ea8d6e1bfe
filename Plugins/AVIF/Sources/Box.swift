// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A box's type or a brand: four ASCII characters.
struct FourCC: Hashable {
  let rawValue: UInt32

  init(rawValue: UInt32) { self.rawValue = rawValue }

  /// - Parameter text: Four ASCII characters.
  init(_ text: StaticString) {
    rawValue = text.withUTF8Buffer { bytes in bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
  }

  var bytes: [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> $0) } }
}

extension FourCC: CustomStringConvertible {
  /// The characters; whatever is not printable becomes a question mark.
  var description: String {
    String(decoding: bytes.map { (0x20...0x7E).contains($0) ? $0 : 0x3F }, as: UTF8.self)
  }
}

/// Where a box lies (ISO/IEC 14496-12 §4.2).
struct Box {
  let type: FourCC
  /// Of the size field.
  let start: Int
  /// Behind size, type and the larger size.
  let payload: Int
  /// As the size field has it, which may be behind the bytes that are there.
  let end: Int

  /// The payload behind version and flags of a full box.
  var fullPayload: Int { payload + 4 }
}

/// Bytes of a file in memory, big-endian. Every read answers nil where the bytes end.
struct FileBytes {
  let raw: UnsafeRawBufferPointer

  var count: Int { raw.count }

  func uint8(at offset: Int) -> Int? {
    guard offset >= 0, offset < raw.count else { return nil }
    return Int(raw[offset])
  }

  func uint16(at offset: Int) -> Int? {
    guard offset >= 0, raw.count >= 2, offset <= raw.count - 2 else { return nil }
    return Int(UInt16(bigEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
  }

  func uint32(at offset: Int) -> UInt32? {
    guard offset >= 0, raw.count >= 4, offset <= raw.count - 4 else { return nil }
    return UInt32(bigEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  func uint64(at offset: Int) -> UInt64? {
    guard offset >= 0, raw.count >= 8, offset <= raw.count - 8 else { return nil }
    return UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  func fourCC(at offset: Int) -> FourCC? { uint32(at: offset).map { FourCC(rawValue: $0) } }

  /// A box's header, or nil when it is cut or its size is less than the header's.
  ///
  /// - Parameter limit: Where the enclosing box or the file ends; a size of 0 reaches up to it.
  func box(at offset: Int, before limit: Int) -> Box? {
    guard let size = uint32(at: offset), let type = fourCC(at: offset + 4), offset + 8 <= limit else { return nil }
    switch size {
    case 0: return Box(type: type, start: offset, payload: offset + 8, end: max(limit, offset + 8))
    case 1:
      guard let large = uint64(at: offset + 8), large >= 16 else { return nil }
      let (end, overflow) = offset.addingReportingOverflow(Int(clamping: large))
      return Box(type: type, start: offset, payload: offset + 16, end: overflow ? .max : end)
    case 2..<8: return nil
    default: return Box(type: type, start: offset, payload: offset + 8, end: offset + Int(size))
    }
  }

  /// The boxes that lie wholly in a range, in order, up to the first that does not.
  func boxes(in range: Range<Int>) -> Children {
    Children(bytes: self, offset: range.lowerBound, limit: range.upperBound)
  }

  /// The boxes inside another one.
  ///
  /// - Parameter skipped: Bytes of fields before the first.
  func children(of box: Box, skipping skipped: Int = 0) -> Children {
    Children(bytes: self, offset: box.payload + skipped, limit: min(box.end, count))
  }

  /// The first box of a type inside another one.
  func child(_ type: FourCC, of box: Box, skipping skipped: Int = 0) -> Box? {
    children(of: box, skipping: skipped).first { $0.type == type }
  }

  /// Boxes one behind the other.
  struct Children: Sequence, IteratorProtocol {
    let bytes: FileBytes
    var offset: Int
    let limit: Int

    mutating func next() -> Box? {
      guard offset < limit, let box = bytes.box(at: offset, before: limit), box.end <= limit else { return nil }
      offset = box.end
      return box
    }
  }
}
