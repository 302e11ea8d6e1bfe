// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The payload of a box: big-endian fields, each read within its bounds, and boxes inside.
///
/// - Format: ISO/IEC 14496-12 §4.2.
/// - Lifetime: That of the view of the source that it was made from.
struct BoxBytes {
  let name: FourCC
  /// Where the payload lies in the file.
  let offset: Int
  private let bytes: UnsafeRawBufferPointer

  /// More boxes than any file has in one box.
  private static let maxChildren = 4_096

  init(name: FourCC, offset: Int, bytes: UnsafeRawBufferPointer) {
    self.name = name
    self.offset = offset
    self.bytes = bytes
  }

  var count: Int { bytes.count }

  /// A big-endian number of 1 to 8 bytes.
  func number(at place: Int, bytes width: Int) throws(CoderError) -> UInt64 {
    let part = try range(at: place, count: width)
    return part.reduce(0) { $0 << 8 | UInt64($1) }
  }

  func uint8(at place: Int) throws(CoderError) -> UInt8 {
    UInt8(truncatingIfNeeded: try number(at: place, bytes: 1))
  }
  func uint16(at place: Int) throws(CoderError) -> Int { Int(truncatingIfNeeded: try number(at: place, bytes: 2)) }
  func uint32(at place: Int) throws(CoderError) -> UInt32 {
    UInt32(truncatingIfNeeded: try number(at: place, bytes: 4))
  }
  func uint64(at place: Int) throws(CoderError) -> UInt64 { try number(at: place, bytes: 8) }
  func fourCC(at place: Int) throws(CoderError) -> FourCC { FourCC(rawValue: try uint32(at: place)) }

  /// A copy of some bytes.
  func copy(at place: Int, count: Int) throws(CoderError) -> [UInt8] { [UInt8](try range(at: place, count: count)) }

  /// Where bytes of the payload lie in the file.
  func place(of place: Int, count: Int) throws(CoderError) -> Range<Int> {
    _ = try range(at: place, count: count)
    return (offset &+ place)..<(offset &+ place &+ count)
  }

  /// The table of a full box: how many entries of a size its 32-bit count announces, all of which lie in the box.
  ///
  /// - Parameter place: Of the count; the entries follow.
  func tableCount(at place: Int, entryBytes: Int) throws(CoderError) -> Int {
    let announced = Int(try uint32(at: place))
    let room = max(0, count &- place &- 4) / entryBytes
    guard announced <= room else {
      throw .malformed("the box \(name) announces \(announced) entries and holds \(room)", at: offset &+ place)
    }
    return announced
  }

  /// The boxes from `start` to the end of the payload.
  ///
  /// - Complexity: O(boxes), which are bounded.
  func children(from start: Int = 0) throws(CoderError) -> [BoxBytes] {
    var result: [BoxBytes] = []
    var place = start
    // Fewer than 8 bytes at the end, a terminator of QuickTime among them, are no box.
    while count &- place >= 8 {
      var header = 8
      var size = try number(at: place, bytes: 4)
      let name = try fourCC(at: place &+ 4)
      if size == 1 {
        size = try uint64(at: place &+ 8)
        header = 16
      } else if size == 0 {
        size = UInt64(count &- place)
      }
      guard size >= UInt64(header), size <= UInt64(count &- place) else {
        throw .malformed(
          "a box \(name) of \(size) bytes, where \(count &- place) are left in \(self.name)", at: offset &+ place)
      }
      guard result.count < Self.maxChildren else {
        throw .malformed("more than \(Self.maxChildren) boxes in \(self.name)", at: offset &+ place)
      }
      let length = Int(size)
      let payload = try range(at: place &+ header, count: length &- header)
      result.append(BoxBytes(name: name, offset: offset &+ place &+ header, bytes: payload))
      place &+= length
    }
    return result
  }

  /// The first box of a name.
  func child(_ name: FourCC) throws(CoderError) -> BoxBytes? { try children().first { $0.name == name } }

  /// The first box of a name, which has to be there.
  func required(_ name: FourCC) throws(CoderError) -> BoxBytes {
    guard let box = try child(name) else { throw .malformed("the box \(self.name) has no \(name)", at: offset) }
    return box
  }

  private func range(at place: Int, count wanted: Int) throws(CoderError) -> UnsafeRawBufferPointer {
    guard place >= 0, wanted >= 0, place <= count, wanted <= count &- place else {
      throw .malformed(
        "the box \(name) holds \(count) bytes, \(wanted) are needed at \(place)",
        at: offset &+ max(0, min(place, count)))
    }
    return UnsafeRawBufferPointer(rebasing: bytes[place..<(place &+ wanted)])
  }
}
