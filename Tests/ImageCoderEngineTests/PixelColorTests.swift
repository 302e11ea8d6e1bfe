// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Testing

/// Colors as samples of 8 and 16 bits, and as text.
@Suite struct PixelColorTests {
  @Test(arguments: [
    ("#ff8800", "#ff8800ff"), ("#FF8800", "#ff8800ff"), ("#f80", "#ff8800ff"), ("#ff880080", "#ff880080"),
    ("orange", "#ffa500ff"), ("RebeccaPurple", "#663399ff"), ("white", "#ffffffff"), ("transparent", "#00000000"),
    ("#0001000200030004", "#0001000200030004"), ("#0101020203030404", "#01020304"),
  ])
  func everyColorHasOneSpelling(text: String, spelling: String) {
    #expect(PixelColor(parsing: text)?.description == spelling)
  }

  @Test(arguments: ["", "#", "ff8800", "#ff880", "#ff88001", "#+f8800", "#ff88001122334455ff", "oragne", "#ｆｆｆ"])
  func otherTextIsNoColor(text: String) {
    #expect(PixelColor(parsing: text) == nil)
  }

  @Test func samplesOf8BitsAreRounded() {
    let color = PixelColor(red16: 128, green16: 129, blue16: 65_407, alpha16: 65_406)
    #expect([color.red, color.green, color.blue, color.alpha] == [0, 1, 255, 254])
    #expect((0...255).allSatisfy { PixelColor(red: $0, green: 0, blue: 0).red == $0 })
  }
}
