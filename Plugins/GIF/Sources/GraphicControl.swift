// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// How the image that follows is shown.
///
/// - Format: GIF89a §23, Graphic Control Extension. 8 bytes, little-endian.
struct GraphicControl: Equatable {
  static let label: UInt8 = 0xF9

  /// 0 to 7 as stored; 4 to 7 are not defined.
  var disposalMethod: UInt8 = 0
  /// In 1/100 s.
  var delay: UInt16 = 0
  /// Pixels of this index show what was there before.
  var transparentIndex: UInt8?

  init() {}

  /// Reads the four bytes of the extension's sub-block.
  ///
  /// - Parameter reader: At the byte after the sub-block's length.
  /// - Throws: ``CoderError/Code/truncated``.
  init(parsing reader: inout ByteReader) throws(CoderError) {
    let flags = try reader.uint8("the flags")
    disposalMethod = flags >> 2 & 7
    delay = try reader.uint16("the delay")
    let index = try reader.uint8("the transparent color index")
    transparentIndex = flags & 1 == 0 ? nil : index
  }

  /// Whether an image without the extension is shown in the same way.
  var isDefault: Bool { self == GraphicControl() }

  /// Puts the whole extension.
  ///
  /// - Parameter writer: Little-endian.
  func write(to writer: inout ByteWriter) {
    writer.put([BlockIntroducer.extension, Self.label, 4])
    writer.put(disposalMethod << 2 | (transparentIndex == nil ? 0 : 1))
    writer.put(delay)
    writer.put([transparentIndex ?? 0, 0])
  }
}
