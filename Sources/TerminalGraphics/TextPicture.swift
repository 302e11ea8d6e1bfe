// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// What a picture is made of in a terminal.
package enum TextProtocol: String, CaseIterable {
  /// Upper half blocks in 24-bit colors: two pixels to a character.
  case blocks
  /// The same with the 216 colors and 24 grays that terminals of 256 colors have.
  case colors256 = "256"
  /// Characters from light to dark, without colors.
  case ascii

  /// The best that a terminal is known to have, by the variables that it sets.
  package init(environment: (String) -> String?) {
    let (colors, terminal) = (environment("COLORTERM") ?? "", environment("TERM") ?? "")
    if environment("NO_COLOR") != nil || terminal.isEmpty || terminal == "dumb" {
      self = .ascii
    } else if colors == "truecolor" || colors == "24bit" || terminal.hasSuffix("-direct") {
      self = .blocks
    } else if terminal.contains("256color") {
      self = .colors256
    } else {
      self = .ascii
    }
  }
}

/// Pictures as lines of text. A character shows two pixels, one above the other, since it is twice as high as wide.
package struct TextPicture {
  let style: TextProtocol

  package init(style: TextProtocol) { self.style = style }

  /// The lines of a picture, each with its line end.
  ///
  /// - Parameter pixels: In `rgba8`, premultiplied: what is transparent is shown on black.
  func text(_ pixels: PixelBuffer) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(pixels.size.pixelCount * 8)
    for y in stride(from: 0, to: pixels.size.height, by: 2) {
      let top = pixels.samples(inRow: y)
      let bottom = pixels.samples(inRow: min(y + 1, pixels.size.height - 1))
      // An odd last row stands on black.
      let hasBottom = y + 1 < pixels.size.height
      var last: (Pixel, Pixel)?
      for x in 0..<pixels.size.width {
        let upper = Pixel(top[x * 4], top[x * 4 + 1], top[x * 4 + 2])
        let lower = hasBottom ? Pixel(bottom[x * 4], bottom[x * 4 + 1], bottom[x * 4 + 2]) : Pixel(0, 0, 0)
        guard style != .ascii else {
          text.append(Self.ramp[(upper.luma + lower.luma) * (Self.ramp.count - 1) / 510])
          continue
        }
        if last.map({ $0 != (upper, lower) }) ?? true { text += colors(upper, lower) }
        last = (upper, lower)
        text += Self.upperHalfBlock
      }
      text += style == .ascii ? Self.lineEnd : Self.reset + Self.lineEnd
    }
    return text
  }

  private struct Pixel: Equatable {
    let red: Int
    let green: Int
    let blue: Int

    init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
      (self.red, self.green, self.blue) = (Int(red), Int(green), Int(blue))
    }

    /// ITU-T H.273, matrix coefficients 1, in thousandths.
    var luma: Int { (213 * red + 715 * green + 72 * blue + 500) / 1000 }

    /// The nearest of the 216 colors of the cube, 16 to 231, and the 24 grays, 232 to 255.
    var number: Int {
      let levels = [0, 95, 135, 175, 215, 255]
      func level(_ value: Int) -> Int { value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40 }
      let (r, g, b) = (level(red), level(green), level(blue))
      let gray = min(max(((red + green + blue) / 3 - 3) / 10, 0), 23)
      let inCube = distance(levels[r], levels[g], levels[b])
      let shade = 8 + 10 * gray
      return distance(shade, shade, shade) < inCube ? 232 + gray : 16 + 36 * r + 6 * g + b
    }

    private func distance(_ r: Int, _ g: Int, _ b: Int) -> Int {
      (red - r) * (red - r) + (green - g) * (green - g) + (blue - b) * (blue - b)
    }
  }

  /// ECMA-48 §8.3.117, Select Graphic Rendition: the colors of the block and of what is below it.
  private func colors(_ upper: Pixel, _ lower: Pixel) -> [UInt8] {
    let text =
      style == .blocks
      ? "\u{1B}[38;2;\(upper.red);\(upper.green);\(upper.blue);48;2;\(lower.red);\(lower.green);\(lower.blue)m"
      : "\u{1B}[38;5;\(upper.number);48;5;\(lower.number)m"
    return Array(text.utf8)
  }

  /// From black to white on a dark terminal.
  private static let ramp = Array(" .:-=+*#%@".utf8)
  private static let upperHalfBlock = Array("▀".utf8)
  private static let reset = Array("\u{1B}[0m".utf8)
  private static let lineEnd: [UInt8] = [0x0A]
}
