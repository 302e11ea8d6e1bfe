// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TerminalGraphics
import Testing

/// Pictures as quarters and sixths of characters.
@Suite struct QuadrantTests {
  /// A picture by its lines: a letter for a color, each pixel of which is two pixels high, as a quarter is.
  private static func text(_ lines: String...) throws -> String {
    let colors: [Character: [UInt8]] = ["r": [255, 0, 0, 255], "b": [0, 0, 255, 255], "d": [0, 0, 251, 255]]
    let samples = lines.flatMap { line in (0..<2).flatMap { _ in line.flatMap { colors[$0] ?? [0, 0, 0, 255] } } }
    let size = Size(width: lines[0].count, height: lines.count * 2)
    let pixels = try PixelBuffer(copying: samples, size: size, format: .rgba8)
    return String(decoding: try TextPicture(style: .quadrants).draw(pixels), as: UTF8.self)
  }

  /// The same in sixths: a letter is 3×4 pixels.
  private static func sixths(_ lines: String...) throws -> String {
    let colors: [Character: [UInt8]] = ["r": [255, 0, 0, 255], "b": [0, 0, 255, 255]]
    let samples = lines.flatMap { line in
      (0..<4).flatMap { _ in line.flatMap { letter in (0..<3).flatMap { _ in colors[letter] ?? [0, 0, 0, 255] } } }
    }
    let size = Size(width: lines[0].count * 3, height: lines.count * 4)
    let pixels = try PixelBuffer(copying: samples, size: size, format: .rgba8)
    return String(decoding: try TextPicture(style: .sextants).draw(pixels), as: UTF8.self)
  }

  /// Unicode 16, Symbols for Legacy Computing: block sextant-1 is U+1FB00, -12 U+1FB02, -6 U+1FB1E, -23456 U+1FB3B.
  @Test func aCharacterShowsTwoColorsInSixths() throws {
    let (red, blue) = ("255;0;0", "0;0;255")
    #expect(try Self.sixths("rr", "rr", "rr") == Self.character(red, red, " "))
    #expect(try Self.sixths("rb", "bb", "bb") == Self.character(red, blue, "\u{1FB00}"))
    #expect(try Self.sixths("rr", "bb", "bb") == Self.character(red, blue, "\u{1FB02}"))
    #expect(try Self.sixths("br", "rb", "bb") == Self.character(red, blue, "\u{1FB05}"))
    #expect(try Self.sixths("rb", "rb", "rb") == Self.character(red, blue, "▌"))
    #expect(try Self.sixths("br", "br", "rb") == Self.character(red, blue, "\u{1FB18}"))
    #expect(try Self.sixths("rr", "rr", "rb") == Self.character(red, blue, "\u{1FB1D}"))
    // The last sixth alone: the others are in front.
    #expect(try Self.sixths("bb", "bb", "br") == Self.character(blue, red, "\u{1FB1D}"))
    // What is missing is black.
    #expect(try Self.sixths("r") == Self.character(red, "0;0;0", "\u{1FB00}"))
  }

  private static func character(_ upper: String, _ lower: String, _ shown: String) -> String {
    "\u{1B}[38;2;\(upper);48;2;\(lower)m\(shown)\u{1B}[0m\n"
  }

  @Test func aCharacterShowsTwoColorsInQuarters() throws {
    let (red, blue) = ("255;0;0", "0;0;255")
    #expect(try Self.text("rr", "rr") == Self.character(red, red, " "))
    #expect(try Self.text("rb", "rb") == Self.character(red, blue, "▌"))
    #expect(try Self.text("rr", "bb") == Self.character(red, blue, "▀"))
    #expect(try Self.text("rb", "br") == Self.character(blue, red, "▞"))
    #expect(try Self.text("rb", "bb") == Self.character(red, blue, "▘"))
    #expect(try Self.text("rr", "rb") == Self.character(red, blue, "▛"))
    #expect(try Self.text("br", "bb") == Self.character(red, blue, "▝"))
    #expect(try Self.text("bb", "rb") == Self.character(red, blue, "▖"))
  }

  @Test func nearColorsShareOne() throws {
    // 255, 251 and 255 are 253 on the average, rounded down.
    #expect(try Self.text("rb", "db") == Self.character("255;0;0", "0;0;253", "▘"))
  }

  @Test func oddSidesStandOnBlack() throws {
    #expect(try Self.text("r", "r") == Self.character("255;0;0", "0;0;0", "▌"))
    #expect(try Self.text("rr") == Self.character("255;0;0", "0;0;0", "▀"))
    #expect(
      try Self.text("rrbb", "rrbb") == "\u{1B}[38;2;255;0;0;48;2;255;0;0m \u{1B}[38;2;0;0;255;48;2;0;0;255m \u{1B}[0m\n"
    )
  }
}
