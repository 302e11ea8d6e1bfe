// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The 14 bytes that a file begins with.
///
/// - Format: The Quite OK Image Format, version 1.0: magic `qoif`, width and height of 32 bits, big-endian, then a byte
///   each for channels and colour space.
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

  init(parsing source: SourceView) throws(CoderError) {
    let bytes = [UInt8](try source.view(at: 0, count: Self.size))
    guard !bytes.isEmpty, bytes.starts(with: Array("qoif".utf8).prefix(bytes.count)) else {
      throw .wrongFormat("the file does not begin with \"qoif\"", at: 0)
    }
    guard bytes.count == Self.size else {
      throw .truncated("\(bytes.count) bytes, the header has \(Self.size)", at: bytes.count)
    }
    canvas = Size(width: Self.bigEndian(bytes[4..<8]), height: Self.bigEndian(bytes[8..<12]))
    guard [3, 4].contains(bytes[12]) else { throw .malformed("\(bytes[12]) channels, 3 and 4 are allowed", at: 12) }
    guard bytes[13] <= 1 else { throw .malformed("colour space \(bytes[13]), 0 and 1 are allowed", at: 13) }
    hasAlpha = bytes[12] == 4
    isLinear = bytes[13] == 1
  }

  func write(to output: ByteOutput) throws(CoderError) {
    let sides = [canvas.width, canvas.height].flatMap { side in
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: side >> $0) }
    }
    try output.write(Array("qoif".utf8) + sides + [hasAlpha ? 4 : 3, isLinear ? 1 : 0])
  }

  private static func bigEndian(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
