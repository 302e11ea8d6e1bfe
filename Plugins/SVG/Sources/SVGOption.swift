// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The reader's options.
enum SVGOption {
  static let background = CoderOption.text(
    "background", maximumBytes: 20, default: "",
    "The color that shows through the drawing, #rrggbb, #rgb or a name of CSS; empty for none.")

  static let table = [background.description]
}

/// A color that a drawing is drawn over.
struct Background {
  /// 0xFFRRGGBB.
  let pixel: UInt32

  /// - Parameter text: An opaque color, or empty for nil.
  /// - Throws: ``CoderError/Code/invalidArgument`` for another text.
  init?(_ text: String) throws(CoderError) {
    if text.isEmpty { return nil }
    guard let color = PixelColor(parsing: text), color.alpha16 == .max else {
      throw .invalidArgument(
        "option \(SVGOption.background.name) is \"\(text)\"; #rrggbb, #rgb, a name of CSS, or nothing is allowed")
    }
    pixel = 0xFF00_0000 | UInt32(color.red) << 16 | UInt32(color.green) << 8 | UInt32(color.blue)
  }
}
