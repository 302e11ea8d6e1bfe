// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The reader's options.
enum SVGOption {
  static let background = CoderOption.text(
    "background", maximumBytes: 7, default: "",
    "The color that shows through the drawing, #rrggbb; empty for none.")

  static let table = [background.description]
}

/// A color that a drawing is drawn over.
struct Background {
  /// 0xFFRRGGBB.
  let pixel: UInt32

  /// - Parameter text: `#rrggbb`, or empty for nil.
  /// - Throws: ``CoderError/Code/invalidArgument`` for another text.
  init?(_ text: String) throws(CoderError) {
    if text.isEmpty { return nil }
    let digits = text.utf8.dropFirst()
    // A sign before the digits would be read, too.
    guard text.hasPrefix("#"), digits.count == 6, digits.first != UInt8(ascii: "+"), digits.first != UInt8(ascii: "-"),
      let color = UInt32(text.dropFirst(), radix: 16)
    else {
      throw .invalidArgument("option \(SVGOption.background.name) is \"\(text)\", #rrggbb or nothing is allowed")
    }
    pixel = 0xFF00_0000 | color
  }
}
