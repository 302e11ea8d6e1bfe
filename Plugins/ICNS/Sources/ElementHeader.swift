// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The 8 bytes that the file and each of its elements begin with, big-endian.
///
/// - Format: Apple Icon Image: a type code, and a length that counts these bytes too.
struct ElementHeader: Equatable {
  static let size = 8

  let code: FourCC
  let length: Int

  init(_ code: FourCC, dataLength: Int) {
    self.code = code
    length = dataLength + Self.size
  }

  /// - Throws: ``CoderError/Code/truncated`` as the reader has it. A length below 8 is for the caller to judge.
  init(parsing reader: inout ByteReader) throws(CoderError) {
    code = try reader.fourCC("the type code")
    length = Int(try reader.uint32("the length"))
  }

  func write(to writer: inout ByteWriter) {
    writer.put(code)
    writer.put(UInt32(clamping: length))
  }
}

extension FourCC {
  static let file = FourCC("icns")
  static let contents = FourCC("TOC ")
  static let name = FourCC("name")
  static let version = FourCC("icnV")
  static let info = FourCC("info")
  static let dark = FourCC(rawValue: 0xFDD9_2FA8)

  /// Elements that hold a whole icon in another state. Those of macOS begin with a file's header, older ones do not.
  static let variants: [FourCC: String] = [
    FourCC("slct"): "slct", FourCC("sbtp"): "sbtp", FourCC("tile"): "tile", FourCC("over"): "over",
    FourCC("open"): "open", FourCC("drop"): "drop", FourCC("odrp"): "odrp", dark: "dark",
  ]
}
