// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import SVGCoder

@Suite struct DrawingSizeTests {
  private static func header(_ attributes: String) throws -> ImageHeader {
    try SmallDrawing(attributes).reader().header(page: 0)
  }

  @Test(arguments: [
    ("width='24.5' height='10.25'", 24.5, 10.25), ("width='1in' height='72pt'", 96, 96),
    ("width='2.54cm' height='254mm'", 96, 960),
    ("width='3pc' height='1px'", 48, 1), ("width='2em' height='2ex' font-size='20'", 40, 20), ("width='2em'", 24, 150),
    ("width='30' viewBox='0 0 4 1'", 30, 7.5), ("height='30' viewBox='0 0 4 1'", 120, 30), ("height='30'", 300, 30),
    ("width='50%' height='30' viewBox='0 0 4 1'", 120, 30), ("viewBox='0 0 0.5 0.25'", 0.5, 0.25),
  ])
  func statedSizeIsNatural(_ attributes: String, _ width: Double, _ height: Double) throws {
    let header = try Self.header(attributes)
    let natural = try #require(header.naturalSize)
    #expect(abs(natural.width - width) < 1e-4 && abs(natural.height - height) < 1e-4, "\(natural)")
    #expect(header.canvas == Size(width: Int(width.rounded(.up)), height: Int(height.rounded(.up))))
    #expect(header.resolution == 96 && header.anySize?.largestSide == 32_767)
  }

  @Test(arguments: [
    ("viewBox='5 5 40 30'", 40, 30), ("", 300, 150), ("viewBox='0 0 0 5'", 300, 150), ("width='100%'", 300, 150),
  ])
  func ratioAloneIsNoSize(_ attributes: String, _ width: Int, _ height: Int) throws {
    let header = try Self.header(attributes)
    #expect(header.isScalable && header.naturalSize == nil)
    #expect(header.canvas == Size(width: width, height: height))
  }

  @Test func sidesHaveBounds() {
    #expect(throws: CoderError.malformed("a drawing of 0.0×8.0 pixels, sides of more than 0 are needed")) {
      try Self.header("width='0' height='8'")
    }
    #expect(
      throws: CoderError.unsupported(
        "a drawing of 2000000000.0×8.0 pixels, sides from 0.001 to 1000000000.0 are allowed")
    ) { try Self.header("width='2e9' height='8'") }
  }

  @Test func largeDrawingsAreOpened() throws {
    #expect(try Self.header("width='1000000' height='8'").canvas == Size(width: 1_000_000, height: 8))
  }
}
