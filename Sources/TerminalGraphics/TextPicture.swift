// SPDX-License-Identifier: Apache-2.0

package import ImageCoders

/// Pictures as lines of text. A character shows two pixels, one above the other, since it is twice as high as wide; or several parts.
package struct TextPicture: PicturePainter {
  let style: TextProtocol

  package init(style: TextProtocol) { self.style = style }

  /// The lines of a picture, each with its line end.
  ///
  /// - Parameter pixels: In `rgba8`, premultiplied: what is transparent is shown on black.
  package func draw(_ pixels: PixelBuffer) throws(CoderError) -> [UInt8] {
    if let parts = style.parts { return Self.draw(pixels, in: parts) }
    let width = pixels.size.width
    // An odd last row stands on black.
    let rows = (0..<(pixels.size.height + 1) / 2 * 2).map { SpreadColors.row($0, of: pixels) }
    let numbers = try style.palette.map { (colors) throws(CoderError) in
      try SpreadColors(colors: colors).numbers(rows, width: width)
    }
    var text: [UInt8] = []
    text.reserveCapacity(pixels.size.pixelCount * 8)
    for y in stride(from: 0, to: rows.count, by: 2) {
      var last: (UInt32, UInt32)?
      for x in 0..<width {
        let (upper, lower) =
          numbers.map { (UInt32($0[y * width + x]), UInt32($0[(y + 1) * width + x])) } ?? (rows[y][x], rows[y + 1][x])
        guard style != .ascii else {
          text.append(Self.ramp[(Self.luma(upper) + Self.luma(lower)) * (Self.ramp.count - 1) / 510])
          continue
        }
        if last.map({ $0 != (upper, lower) }) ?? true { text += style.rendition(upper, lower).utf8 }
        last = (upper, lower)
        text += Self.upperHalfBlock
      }
      text += style == .ascii ? Self.lineEnd : Self.reset + Self.lineEnd
    }
    return text
  }

  /// ITU-T H.273, matrix coefficients 1, in thousandths.
  private static func luma(_ color: UInt32) -> Int {
    (213 * Int(color & 0xFF) + 715 * Int(color >> 8 & 0xFF) + 72 * Int(color >> 16 & 0xFF) + 500) / 1000
  }

  /// From black to white on a dark terminal.
  private static let ramp = Array(" .:-=+*#%@".utf8)
  private static let upperHalfBlock = Array("▀".utf8)
  private static let reset = Array("\u{1B}[0m".utf8)
  private static let lineEnd: [UInt8] = [0x0A]
}
