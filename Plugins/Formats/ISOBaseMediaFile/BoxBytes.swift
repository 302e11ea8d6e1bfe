// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// The payload of a box: big-endian fields, each read within its bounds, and boxes inside.
///
/// - Format: ISO/IEC 14496-12 §4.2.
/// - Lifetime: That of the view of the source that it was made from.
public struct BoxBytes {
  public let type: FourCC
  /// Where the payload lies in the file.
  public let offset: Int
  private let bytes: UnsafeRawBufferPointer

  /// More boxes than any file has in one box.
  private static let maxChildren = 4_096

  public init(type: FourCC, offset: Int, bytes: UnsafeRawBufferPointer) {
    self.type = type
    self.offset = offset
    self.bytes = bytes
  }

  public var count: Int { bytes.count }

  /// Reads fields one after the other.
  public func read<Result>(
    _ body: (inout ByteReader) throws(CoderError) -> Result
  ) throws(CoderError) -> Result {
    var reader = ByteReader(bytes.bytes, at: offset, of: "a box", isCutOff: false)
    return try body(&reader)
  }

  /// A big-endian number of 1 to 8 bytes.
  public func number(at place: Int, bytes width: Int) throws(CoderError) -> UInt64 {
    try ByteReader(bytes.bytes, at: offset, of: "a box", isCutOff: false).unsigned(bytes: width, at: place)
  }

  public func uint8(at place: Int) throws(CoderError) -> UInt8 {
    UInt8(truncatingIfNeeded: try number(at: place, bytes: 1))
  }
  public func uint16(at place: Int) throws(CoderError) -> Int {
    Int(truncatingIfNeeded: try number(at: place, bytes: 2))
  }
  public func uint32(at place: Int) throws(CoderError) -> UInt32 {
    UInt32(truncatingIfNeeded: try number(at: place, bytes: 4))
  }
  public func fourCC(at place: Int) throws(CoderError) -> FourCC { FourCC(rawValue: try uint32(at: place)) }

  /// A copy of some bytes.
  public func copy(at place: Int, count: Int) throws(CoderError) -> [UInt8] {
    [UInt8](try range(at: place, count: count))
  }

  /// Where bytes of the payload lie in the file.
  public func place(of place: Int, count: Int) throws(CoderError) -> Range<Int> {
    _ = try range(at: place, count: count)
    return (offset &+ place)..<(offset &+ place &+ count)
  }

  /// The table of a full box: how many entries of a size its 32-bit count announces, all of which lie in the box.
  ///
  /// - Parameter place: Of the count; the entries follow.
  public func tableCount(at place: Int, entryBytes: Int) throws(CoderError) -> Int {
    let announced = Int(try uint32(at: place))
    let room = max(0, count &- place &- 4) / entryBytes
    guard announced <= room else {
      throw .malformed("the box \(type) announces \(announced) entries and holds \(room)", at: offset &+ place)
    }
    return announced
  }

  /// The boxes from `start` to the end of the payload.
  ///
  /// - Complexity: O(boxes), which are bounded.
  public func children(from start: Int = 0) throws(CoderError) -> [BoxBytes] {
    var reader = ByteReader(bytes.bytes, at: offset, of: "a box", isCutOff: false)
    try reader.seek(to: min(start, count))
    var boxes = BoxReader(reader, in: "a box")
    var result: [BoxBytes] = []
    while let box = try boxes.next() {
      guard result.count < Self.maxChildren else {
        throw .malformed("more than \(Self.maxChildren) boxes in \(type)", at: box.start)
      }
      let payload = try range(at: box.content &- offset, count: box.end &- box.content)
      result.append(BoxBytes(type: box.type, offset: box.content, bytes: payload))
    }
    return result
  }

  /// The first box of a name.
  public func child(_ type: FourCC) throws(CoderError) -> BoxBytes? { try children().first { $0.type == type } }

  /// The first box of a name, which has to be there.
  public func required(_ type: FourCC) throws(CoderError) -> BoxBytes {
    guard let box = try child(type) else { throw .malformed("the box \(self.type) has no \(type)", at: offset) }
    return box
  }

  private func range(at place: Int, count wanted: Int) throws(CoderError) -> UnsafeRawBufferPointer {
    guard place >= 0, wanted >= 0, place <= count, wanted <= count &- place else {
      throw .malformed(
        "the box \(type) holds \(count) bytes, \(wanted) are needed at \(place)",
        at: offset &+ max(0, min(place, count)))
    }
    return UnsafeRawBufferPointer(rebasing: bytes[place..<(place &+ wanted)])
  }
}
