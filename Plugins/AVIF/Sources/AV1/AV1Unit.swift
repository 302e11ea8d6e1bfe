// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Open bitstream units (AV1 §5.3), of which an item is made.
enum AV1Unit {
  /// OBU_SEQUENCE_HEADER (§6.2.2).
  static let sequenceHeader: UInt8 = 1
  /// OBU_METADATA.
  static let metadata: UInt8 = 5
  /// OBU_FRAME_HEADER, OBU_TILE_GROUP, OBU_FRAME.
  static let pictures: Set<UInt8> = [3, 4, 6]

  /// Reads a unit's header, shows its content, as far as that is there, and passes over it.
  static func read<Result>(
    _ reader: inout ByteReader,
    _ body: (_ type: UInt8, _ start: Int, _ bits: inout BitReader) throws(CoderError) -> Result
  ) throws(CoderError) -> Result {
    // §5.3.2: type in bits 3 to 6, extension flag, size flag.
    let head = try reader.uint8("the header of a unit")
    if head & 4 != 0 { try reader.skip(1, "the extension of a unit's header") }
    let size = head & 2 != 0 ? try leb128(&reader) : reader.remaining
    let start = reader.offset
    var bits = BitReader(try reader.bytes(min(size, reader.remaining)), at: start, of: "a unit")
    return try body(head >> 3 & 15, start, &bits)
  }

  /// §4.10.5: 7 bits in each byte, at most 8 bytes.
  private static func leb128(_ reader: inout ByteReader) throws(CoderError) -> Int {
    var value = 0
    for index in 0..<8 {
      let byte = Int(try reader.uint8("the size of a unit"))
      value |= (byte & 0x7F) << (index * 7)
      if byte & 0x80 == 0 { return value }
    }
    throw .malformed("the size of a unit has more than 8 bytes", at: reader.offset)
  }
}

extension AV1SequenceHeader {
  /// The first sequence header of an item, or nil when it has none.
  ///
  /// - Throws: ``CoderError/Code/malformed`` or ``CoderError/Code/truncated`` for units that are cut before it.
  static func first(in reader: inout ByteReader) throws(CoderError) -> AV1SequenceHeader? {
    while reader.remaining > 0 {
      let found = try AV1Unit.read(&reader) { type, _, bits throws(CoderError) -> AV1SequenceHeader? in
        type == AV1Unit.sequenceHeader ? try AV1SequenceHeader(parsing: &bits) : nil
      }
      if let found { return found }
    }
    return nil
  }

  /// The largest frame.
  var size: Size { Size(width: width, height: height) }
}
