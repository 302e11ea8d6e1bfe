// SPDX-License-Identifier: Apache-2.0

import BitmapFont
import ImageCoders

/// An opaque color.
struct Ink {
  let red: UInt8
  let green: UInt8
  let blue: UInt8

  /// `0x3366CC`
  init(_ hex: UInt32) {
    red = UInt8(hex >> 16 & 0xFF)
    green = UInt8(hex >> 8 & 0xFF)
    blue = UInt8(hex & 0xFF)
  }
}

/// Pixels on which areas, pictures and text are drawn.
struct Sheet {
  /// The pixels, `rgb8`.
  let pixels: PixelBuffer

  init(_ size: Size, background: Ink) throws(CoderError) {
    pixels = try PixelBuffer(size: size, format: .rgb8, alpha: .opaque)
    fill(Rect(covering: size), background)
  }

  /// Fills a rectangle; the part outside the sheet is ignored.
  func fill(_ rect: Rect, _ ink: Ink) {
    let columns = max(0, rect.x)..<max(max(0, rect.x), min(pixels.size.width, rect.x + rect.width))
    for y in max(0, rect.y)..<max(max(0, rect.y), min(pixels.size.height, rect.y + rect.height)) {
      pixels.withMutableSamples(inRow: y) { row in
        for x in columns {
          row[x * 3] = ink.red
          row[x * 3 + 1] = ink.green
          row[x * 3 + 2] = ink.blue
        }
      }
    }
  }

  /// Fills a rectangle with round corners; `outside` is the ink beyond the corners.
  func fill(_ rect: Rect, _ ink: Ink, radius: Int, outside: Ink) {
    fill(rect, ink)
    // Distances are counted in half pixels, so that pixel centers have whole numbers.
    for y in 0..<radius {
      let up = 2 * (radius - y) - 1
      var cut = 0
      while cut < radius, (2 * (radius - cut) - 1) * (2 * (radius - cut) - 1) + up * up > 4 * radius * radius {
        cut += 1
      }
      for row in [rect.y + y, rect.y + rect.height - 1 - y] {
        fill(Rect(x: rect.x, y: row, width: cut, height: 1), outside)
        fill(Rect(x: rect.x + rect.width - cut, y: row, width: cut, height: 1), outside)
      }
    }
  }

  /// Fills a rectangle with a checkerboard, the usual sign for transparency.
  func checker(_ rect: Rect, square: Int, _ light: Ink, _ dark: Ink) {
    fill(rect, light)
    for row in 0..<((rect.height + square - 1) / square) {
      for column in 0..<((rect.width + square - 1) / square) where (row + column) % 2 == 1 {
        let (x, y) = (column * square, row * square)
        fill(
          Rect(
            x: rect.x + x, y: rect.y + y, width: min(square, rect.width - x), height: min(square, rect.height - y)),
          dark)
      }
    }
  }

  /// Draws a picture over what is there; the part outside the sheet is ignored.
  func draw(_ picture: PixelBuffer, x: Int, y: Int) throws(CoderError) {
    let source = try picture.converted(to: PixelLayout(.rgba8, .straight))
    let rows = max(0, -y)..<max(max(0, -y), min(source.size.height, pixels.size.height - y))
    let columns = max(0, -x)..<max(max(0, -x), min(source.size.width, pixels.size.width - x))
    for line in rows {
      let from = source.samples(inRow: line)
      pixels.withMutableSamples(inRow: y + line) { into in
        for column in columns {
          let alpha = Int(from[column * 4 + 3])
          for channel in 0..<3 {
            let (above, below) = (Int(from[column * 4 + channel]), Int(into[(x + column) * 3 + channel]))
            into[(x + column) * 3 + channel] = UInt8((above * alpha + below * (255 - alpha) + 127) / 255)
          }
        }
      }
    }
  }

  /// Writes a line of text.
  func write(_ text: String, x: Int, y: Int, scale: Int, _ ink: Ink) {
    BitmapFont.draw(text) { column, row in
      fill(Rect(x: x + column * scale, y: y + row * scale, width: scale, height: scale), ink)
    }
  }

  /// Writes a line of text in the middle of a width.
  func write(_ text: String, centeredIn width: Int, x: Int, y: Int, scale: Int, _ ink: Ink) {
    write(text, x: x + max(0, width - BitmapFont.width(of: text) * scale) / 2, y: y, scale: scale, ink)
  }
}

extension BitmapFont {
  /// The text, shortened by dots in its middle when it is wider than `width` dots.
  static func fitted(_ text: String, width: Int) -> String {
    let most = max(3, (width + 1) / advance)
    let scalars = Array(text.unicodeScalars)
    guard scalars.count > most else { return text }
    // The end of a name is kept because it has the number and the extension.
    let tail = min((most - 2) / 2 + 1, scalars.count)
    var short = String.UnicodeScalarView(scalars.prefix(most - 2 - tail))
    short.append(contentsOf: "..".unicodeScalars)
    short.append(contentsOf: scalars.suffix(tail))
    return String(short)
  }
}
