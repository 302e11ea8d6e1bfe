// SPDX-License-Identifier: Apache-2.0

/// The four bytes that name an element, `it32`.
struct TypeCode: RawRepresentable, Hashable {
  let rawValue: UInt32

  init(rawValue: UInt32) { self.rawValue = rawValue }

  /// - Parameter text: Four characters of ASCII; others are cut off, missing ones are zero bytes.
  init(_ text: String) {
    rawValue = text.utf8.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }

  var bytes: [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> $0) } }

  static let file = TypeCode("icns")
  static let contents = TypeCode("TOC ")
  static let name = TypeCode("name")
  static let version = TypeCode("icnV")
  static let info = TypeCode("info")
  static let dark = TypeCode(rawValue: 0xFDD9_2FA8)

  /// Elements that hold a whole icon in another state. Those of macOS begin with a file's header, older ones do not.
  static let variants: [TypeCode: String] = [
    TypeCode("slct"): "slct", TypeCode("sbtp"): "sbtp", TypeCode("tile"): "tile", TypeCode("over"): "over",
    TypeCode("open"): "open", TypeCode("drop"): "drop", TypeCode("odrp"): "odrp", dark: "dark",
  ]
}

extension TypeCode: CustomStringConvertible {
  /// The four characters, what is not printable ASCII as `?`.
  var description: String {
    String(decoding: bytes.map { (0x20...0x7E).contains($0) ? $0 : 0x3F }, as: UTF8.self)
  }
}
