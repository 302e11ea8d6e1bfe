// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What a VP8X chunk says of an extended file.
///
/// - Format: RFC 9649 §2.7. 10 bytes, little-endian.
struct ExtendedHeader: Equatable {
  static let size = 10

  struct Flags: OptionSet {
    let rawValue: UInt8
    static let animation = Flags(rawValue: 0x02)
    static let xmp = Flags(rawValue: 0x04)
    static let exif = Flags(rawValue: 0x08)
    static let alpha = Flags(rawValue: 0x10)
    static let colorProfile = Flags(rawValue: 0x20)
  }

  var flags: Flags
  /// Each side is 1 to 2^24.
  var canvas: Size

  init(flags: Flags, canvas: Size) {
    self.flags = flags
    self.canvas = canvas
  }

  /// - Parameter reader: Little-endian.
  init(parsing reader: inout ByteReader) throws(CoderError) {
    flags = Flags(rawValue: try reader.uint8("the flags"))
    try reader.skip(3, "the reserved bytes")
    canvas = Size(
      width: Int(try reader.uint24("the canvas width")) + 1, height: Int(try reader.uint24("the canvas height")) + 1)
  }

  /// - Parameter writer: Little-endian.
  func write(to writer: inout ByteWriter) {
    writer.put([flags.rawValue, 0, 0, 0])
    writer.put(UInt64(canvas.width - 1), bytes: 3)
    writer.put(UInt64(canvas.height - 1), bytes: 3)
  }
}

/// What an ANIM chunk says of the whole animation.
///
/// - Format: RFC 9649 §2.7.1.1. 6 bytes, little-endian.
struct AnimationHeader: Equatable {
  static let size = 6

  /// Blue, green, red and alpha.
  var background: [UInt8] = [0, 0, 0, 0]
  /// 0 for without end.
  var plays: UInt16

  init(plays: UInt16) { self.plays = plays }

  /// - Parameter reader: Little-endian.
  init(parsing reader: inout ByteReader) throws(CoderError) {
    background = try reader.array(4, "the background color")
    plays = try reader.uint16("the number of plays")
  }

  /// - Parameter writer: Little-endian.
  func write(to writer: inout ByteWriter) {
    writer.put(background)
    writer.put(plays)
  }
}

/// What an ANMF chunk says of a frame before its bitstream.
///
/// - Format: RFC 9649 §2.7.1.2. 16 bytes, little-endian.
struct StoredFrame: Equatable {
  static let size = 16

  /// Its left and top edges are even: they are stored halved.
  var rect: Rect
  /// Less than 2^24.
  var milliseconds: Int
  var disposal: FrameHeader.Disposal
  var blend: FrameHeader.Blend

  init(rect: Rect, milliseconds: Int, disposal: FrameHeader.Disposal, blend: FrameHeader.Blend) {
    self.rect = rect
    self.milliseconds = milliseconds
    self.disposal = disposal
    self.blend = blend
  }

  /// - Parameter reader: Little-endian.
  init(parsing reader: inout ByteReader) throws(CoderError) {
    let (x, y) = (Int(try reader.uint24("the left edge")), Int(try reader.uint24("the top edge")))
    let (width, height) = (Int(try reader.uint24("the width")), Int(try reader.uint24("the height")))
    rect = Rect(x: 2 * x, y: 2 * y, width: width + 1, height: height + 1)
    milliseconds = Int(try reader.uint24("the delay"))
    let flags = try reader.uint8("the flags")
    disposal = flags & 1 == 0 ? .keep : .restoreBackground
    blend = flags & 2 == 0 ? .over : .source
  }

  /// - Parameter writer: Little-endian.
  func write(to writer: inout ByteWriter) {
    for value in [rect.x / 2, rect.y / 2, rect.width - 1, rect.height - 1, milliseconds] {
      writer.put(UInt64(value), bytes: 3)
    }
    writer.put(UInt8((disposal == .restoreBackground ? 1 : 0) | (blend == .source ? 2 : 0)))
  }
}
