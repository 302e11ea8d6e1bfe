// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import SVGCoder

@Suite struct SVGOptionTests {
  /// A white pixel of half opacity between two that are empty.
  private static let drawing = SmallDrawing(
    "width='3' height='1'", "<rect x='1' width='1' height='1' fill='white' fill-opacity='0.2'/>")

  @Test func backgroundShowsThrough() throws {
    // A fifth of white over 16, 32, 48: c + 0.2 · (255 − c).
    let color: [UInt8] = [16, 32, 48, 255]
    #expect(try Self.drawing.pixels(background: "#102030") == color + [64, 77, 89, 255] + color)
    #expect(try Self.drawing.reader(background: "#102030").header(page: 0).alpha == .opaque)
  }

  /// The same words as everywhere: CSS Color Module Level 4, §5.2 and §6.1.
  @Test(arguments: [("#123", "#112233"), ("Navy", "#000080"), ("lightgoldenrodyellow", "#fafad2"), ("#10203040", "")])
  func colorsHaveTheWordsOfCSS(_ text: String, _ same: String) throws {
    guard !same.isEmpty else {
      #expect(throws: CoderError.self) { try Self.drawing.reader(background: text) }
      return
    }
    #expect(try Self.drawing.pixels(background: text) == Self.drawing.pixels(background: same))
  }

  @Test func withoutABackgroundNothingShowsThrough() throws {
    let none: [UInt8] = [0, 0, 0, 0]
    #expect(try Self.drawing.pixels() == none + [51, 51, 51, 51] + none)
    #expect(try Self.drawing.reader().header(page: 0).alpha == .premultiplied)
  }

  @Test func bandsAndPartsHaveTheBackground() throws {
    let part = try Self.drawing.pixels(
      size: Size(width: 6, height: 2), part: Rect(x: 0, y: 1, width: 2, height: 1), background: "#ffffff")
    #expect(part == [UInt8](repeating: 255, count: 8))
  }

  @Test(arguments: ["#", "#12345", "#1234567", "#+12345", "#-12345", "#12345g", "123456", "rde", "#ééé"])
  func otherTextsAreRefused(_ text: String) {
    let expected = "option background is \"\(text)\"; #rrggbb, #rgb, a name of CSS, or nothing is allowed"
    #expect(throws: CoderError.invalidArgument(expected)) {
      try Self.drawing.reader(background: text)
    }
  }
}
