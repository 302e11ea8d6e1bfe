// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The first byte of each block.
enum BlockIntroducer {
  static let `extension`: UInt8 = 0x21
  static let image: UInt8 = 0x2C
  static let trailer: UInt8 = 0x3B
}

/// Where an image lies on the canvas, and which palette it has.
///
/// - Format: GIF89a §20, Image Descriptor. 10 bytes, little-endian.
struct ImageDescriptor: Equatable {
  static let size = 10

  var x: UInt16
  var y: UInt16
  var width: UInt16
  var height: UInt16
  var isInterlaced: Bool
  /// Entries of the palette that follows, a power of two from 2 to 256; 0 without one.
  var localColorCount: Int

  init(_ rect: Rect, isInterlaced: Bool, localColorCount: Int) {
    (x, y) = (UInt16(clamping: rect.x), UInt16(clamping: rect.y))
    (width, height) = (UInt16(clamping: rect.width), UInt16(clamping: rect.height))
    self.isInterlaced = isInterlaced
    self.localColorCount = localColorCount
  }

  /// - Parameter reader: At the introducer of the block.
  /// - Throws: ``CoderError/Code/truncated``.
  init(parsing reader: inout ByteReader) throws(CoderError) {
    try reader.skip(1, "the introducer")
    x = try reader.uint16("the left edge")
    y = try reader.uint16("the top edge")
    width = try reader.uint16("the width")
    height = try reader.uint16("the height")
    let flags = try reader.uint8("the flags")
    isInterlaced = flags & 0x40 != 0
    localColorCount = flags & 0x80 == 0 ? 0 : 2 << Int(flags & 7)
  }

  /// - Parameter writer: Little-endian.
  func write(to writer: inout ByteWriter) {
    writer.put(BlockIntroducer.image)
    for value in [x, y, width, height] { writer.put(value) }
    let palette: UInt8 = localColorCount > 0 ? 0x80 | PaletteBytes.sizeField(localColorCount) : 0
    writer.put(palette | (isInterlaced ? 0x40 : 0))
  }
}
