// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What a JPEG file's frame header says of the size (ITU-T T.81 §B.2.2).
struct JPEGFrame: Equatable {
  let size: Size

  /// Looks for the first frame header.
  ///
  /// - Parameter reader: All of the file.
  /// - Throws: ``CoderError/Code/malformed`` for a byte that is no marker where one belongs;
  ///   ``CoderError/Code/truncated`` when the file ends before the header.
  init(parsing reader: inout ByteReader) throws(CoderError) {
    try reader.seek(to: 2, "the first marker")
    while true {
      let start = reader.offset
      guard try reader.uint8("a marker") == 0xff else { throw .malformed("no marker where one belongs", at: start) }
      let marker = try reader.uint8(at: reader.position, "a marker's code")
      // Any number of bytes of 0xFF may come before a marker.
      if marker == 0xff { continue }
      try reader.skip(1)
      if Self.isFrame(marker) {
        try reader.skip(3, "the length and precision")
        let height = try reader.uint16("the height")
        size = Size(width: Int(try reader.uint16("the width")), height: Int(height))
        return
      }
      let length = Int(try reader.uint16(at: reader.position, "a segment's length"))
      try reader.skip(max(2, length), "a segment")
    }
  }

  /// SOF0 to SOF15 without DHT, JPG and DAC, which lie among them.
  private static func isFrame(_ marker: UInt8) -> Bool {
    (0xc0...0xcf).contains(marker) && ![0xc4, 0xc8, 0xcc].contains(marker)
  }
}
