// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What a file begins with: the header and the Logical Screen Descriptor.
///
/// - Format: GIF89a §17, Header; §18, Logical Screen Descriptor. 13 bytes, little-endian.
struct LogicalScreen: Equatable {
  static let size = 13

  /// `87a` or `89a`, which no reader acts on.
  var version = "89a"
  var canvas: Size
  /// Entries of the global palette, a power of two from 2 to 256; 0 without one.
  var globalColorCount = 0
  var backgroundIndex: UInt8 = 0
  /// As stored: 0, or 64 × width ÷ height of a pixel, less 15.
  var aspectRatio: UInt8 = 0

  /// GIF89a §18: aspect ratio = (stored value + 15) ÷ 64. Nil where none is stated.
  var pixelAspect: Double? { aspectRatio == 0 ? nil : (Double(aspectRatio) + 15) / 64 }

  init(canvas: Size, globalColorCount: Int) {
    self.canvas = canvas
    self.globalColorCount = globalColorCount
  }

  /// - Parameter reader: At the first byte of the file.
  /// - Throws: ``CoderError/Code/wrongFormat``; ``CoderError/Code/truncated``.
  init(parsing reader: inout ByteReader) throws(CoderError) {
    let signature = [UInt8](copying: try reader.bytes(min(6, reader.remaining), "the signature"))
    switch signature {
    case Array("GIF87a".utf8): version = "87a"
    case Array("GIF89a".utf8): version = "89a"
    case _ where (1..<6).contains(signature.count) && "GIF8".utf8.starts(with: signature.prefix(4)):
      // What is there of a cut signature may still be right.
      throw .truncated("the signature needs 6 bytes, \(signature.count) are there", at: signature.count)
    default:
      throw .wrongFormat("the first bytes are \(signature), GIF87a or GIF89a is needed", at: 0)
    }
    canvas = Size(
      width: Int(try reader.uint16("the canvas width")), height: Int(try reader.uint16("the canvas height")))
    let flags = try reader.uint8("the flags")
    globalColorCount = flags & 0x80 == 0 ? 0 : 2 << Int(flags & 7)
    backgroundIndex = try reader.uint8("the background color index")
    aspectRatio = try reader.uint8("the pixel aspect ratio")
  }

  /// - Parameter writer: Little-endian.
  func write(to writer: inout ByteWriter) {
    writer.put(Array("GIF\(version)".utf8))
    writer.put(UInt16(clamping: canvas.width))
    writer.put(UInt16(clamping: canvas.height))
    // Eight bits of each primary color were there to choose from. Without a palette the size field still tells how many
    // colors the images have at most.
    let palette: UInt8 = globalColorCount > 0 ? 0x80 | PaletteBytes.sizeField(globalColorCount) : 7
    writer.put(0x70 | palette)
    writer.put(backgroundIndex)
    writer.put(aspectRatio)
  }
}
