// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The first byte of each block.
enum BlockIntroducer {
  static let `extension`: UInt8 = 0x21
  static let image: UInt8 = 0x2C
  static let trailer: UInt8 = 0x3B
  static let all = [`extension`, image, trailer]
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
  private var storedColorCount: UInt16
  /// Entries of the palette that follows, a power of two from 2 to 256; 0 without one.
  var localColorCount: Int { Int(storedColorCount) }

  init(_ rect: Rect, isInterlaced: Bool, localColorCount: Int) {
    (x, y) = (UInt16(clamping: rect.x), UInt16(clamping: rect.y))
    (width, height) = (UInt16(clamping: rect.width), UInt16(clamping: rect.height))
    self.isInterlaced = isInterlaced
    storedColorCount = UInt16(clamping: localColorCount)
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
    storedColorCount = flags & 0x80 == 0 ? 0 : 2 << UInt16(flags & 7)
  }

  /// Makes it an image without a palette of its own.
  mutating func dropPalette() { storedColorCount = 0 }

  /// - Parameter writer: Little-endian.
  func write(to writer: inout ByteWriter) {
    writer.put(BlockIntroducer.image)
    for value in [x, y, width, height] { writer.put(value) }
    let palette: UInt8 = localColorCount > 0 ? 0x80 | PaletteBytes.sizeField(localColorCount) : 0
    writer.put(palette | (isInterlaced ? 0x40 : 0))
  }
}
