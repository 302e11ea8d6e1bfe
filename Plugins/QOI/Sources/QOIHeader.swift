// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The 14 bytes that a file begins with.
///
/// - Format: The Quite OK Image Format, version 1.0: magic `qoif`, width and height of 32 bits, big-endian, then a byte
///   each for channels and color space.
struct QOIHeader {
  static let size = 14
  /// "The byte stream's end is marked with 7 0x00 bytes followed by a single 0x01 byte."
  static let endMarker: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]

  let canvas: Size
  let hasAlpha: Bool
  let isLinear: Bool

  init(canvas: Size, hasAlpha: Bool, isLinear: Bool) {
    self.canvas = canvas
    self.hasAlpha = hasAlpha
    self.isLinear = isLinear
  }

  /// Reads the header.
  ///
  /// - Parameter reader: The first bytes of the file, ``size`` of them unless the file is shorter.
  /// - Throws: ``CoderError/Code/wrongFormat``; ``CoderError/Code/truncated``; ``CoderError/Code/malformed``.
  init(parsing reader: inout ByteReader) throws(CoderError) {
    let magic = [UInt8](copying: try reader.bytes(min(4, reader.count), "the magic"))
    guard !magic.isEmpty, magic.elementsEqual("qoif".utf8.prefix(magic.count)) else {
      throw .wrongFormat("the file does not begin with \"qoif\"", at: 0)
    }
    canvas = Size(width: Int(try reader.uint32("the width")), height: Int(try reader.uint32("the height")))
    let channels = try reader.uint8("the number of channels")
    guard [3, 4].contains(channels) else { throw .malformed("\(channels) channels, 3 and 4 are allowed", at: 12) }
    let colorSpace = try reader.uint8("the color space")
    guard colorSpace <= 1 else { throw .malformed("color space \(colorSpace), 0 and 1 are allowed", at: 13) }
    hasAlpha = channels == 4
    isLinear = colorSpace == 1
  }

  func write(to writer: inout ByteWriter) {
    writer.put("qoif")
    writer.put(UInt32(clamping: canvas.width))
    writer.put(UInt32(clamping: canvas.height))
    writer.put([hasAlpha ? 4 : 3, isLinear ? 1 : 0])
  }
}
