// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// The bytes of a file from its start on, and where it ends. Every read answers nil where the bytes end.
public struct FileBytes {
  public let raw: UnsafeRawBufferPointer
  /// After the last byte; the largest integer as long as more bytes may arrive than are here.
  public let end: Int

  /// All bytes of a file.
  public init(whole raw: UnsafeRawBufferPointer) {
    self.raw = raw
    end = raw.count
  }

  /// The first bytes of a file, of which more arrive.
  public init(first raw: UnsafeRawBufferPointer) {
    self.raw = raw
    end = .max
  }

  /// The first bytes of a file of which all are there, and the rest is not looked at.
  public init(first raw: UnsafeRawBufferPointer, of size: Int) {
    self.raw = raw
    end = size
  }

  /// Bytes that are here.
  public var count: Int { raw.count }

  public func bytes(in range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: raw[range]) }

  /// Reads the content of a box, or what is here of it.
  ///
  /// - Parameter name: Of the box, for errors. What is missing at the end of the file is
  ///   ``CoderError/Code/truncated``, elsewhere ``CoderError/Code/malformed``.
  public func read<Result>(
    _ box: Box, as name: StaticString, _ body: (inout ByteReader) throws(CoderError) -> Result
  ) throws(CoderError) -> Result {
    let start = min(max(box.content, 0), raw.count)
    let stop = min(max(box.end, start), raw.count)
    let content = UnsafeRawBufferPointer(rebasing: raw[start..<stop])
    var reader = ByteReader(content.bytes, at: start, of: name, isCutOff: stop == end)
    return try body(&reader)
  }

  public func uint8(at offset: Int) -> Int? { number(at: offset, as: UInt8.self).map { Int($0) } }
  public func uint16(at offset: Int) -> Int? { number(at: offset, as: UInt16.self).map { Int($0) } }
  public func uint32(at offset: Int) -> UInt32? { number(at: offset, as: UInt32.self) }
  public func fourCC(at offset: Int) -> FourCC? { uint32(at: offset).map { FourCC(rawValue: $0) } }

  /// A big-endian number.
  @inline(__always)
  private func number<Value: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: Value.Type) -> Value? {
    guard offset >= 0, offset <= raw.count &- MemoryLayout<Value>.size else { return nil }
    return raw.loadUnaligned(fromByteOffset: offset, as: type).bigEndian
  }

  /// A box, or nil when its header is cut or its size is less than the header's.
  ///
  /// - Parameter limit: Where the enclosing box or the file ends; a size of 0 reaches up to it.
  public func box(at offset: Int, before limit: Int) -> Box? {
    guard offset >= 0, limit >= 8, offset <= limit &- 8 else { return nil }
    guard let header = BoxHeader(raw.bytes, at: offset) else { return nil }
    let (end, overflow) = offset.addingReportingOverflow(header.size ?? limit &- offset)
    return Box(
      type: header.type, start: offset, content: offset &+ header.length, end: overflow ? .max : end,
      isCut: overflow || end > raw.count)
  }

  /// The boxes that lie wholly in a range, in order, up to the first that does not.
  public func boxes(in range: Range<Int>) -> Children {
    Children(bytes: self, offset: range.lowerBound, limit: range.upperBound)
  }

  /// The boxes inside another one, up to the first that does not fit.
  ///
  /// - Parameter skipped: Bytes of fields before the first.
  public func children(of box: Box, skipping skipped: Int = 0) -> Children {
    Children(bytes: self, offset: box.content + skipped, limit: min(box.end, raw.count))
  }

  /// The first box of a type inside another one.
  public func child(_ type: FourCC, of box: Box, skipping skipped: Int = 0) -> Box? {
    children(of: box, skipping: skipped).first { $0.type == type }
  }

  /// A box's payload, which has to be here.
  public func payload(of box: Box) -> BoxBytes? {
    guard !box.isCut else { return nil }
    return BoxBytes(type: box.type, offset: box.content, bytes: bytes(in: box.payload))
  }

  /// Boxes one after the other.
  public struct Children: Sequence, IteratorProtocol {
    let bytes: FileBytes
    var offset: Int
    let limit: Int

    public mutating func next() -> Box? {
      guard offset < limit, let box = bytes.box(at: offset, before: limit), box.end <= limit else { return nil }
      offset = box.end
      return box
    }
  }
}
