// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import ImageCoderModel
import Testing

/// What a plugin says of colors is taken as far as it can be right.
@Suite struct StoredColorTests {
  private static func raw(_ flags: Int) -> imgcoder_color {
    var raw = imgcoder_color()
    raw.flags = UInt32(flags)
    return raw
  }

  @Test func whatIsStatedComesThrough() {
    var stated = StoredColor()
    stated.primaries = StoredColor.Primaries(
      red: SIMD2(0.64, 0.33), green: SIMD2(0.3, 0.6), blue: SIMD2(0.15, 0.06), white: SIMD2(0.3127, 0.329))
    stated.gamma = SIMD3(1.8, 2, 2.2)
    stated.light.masteringPeak = 1000
    stated.light.masteringPrimaries = stated.primaries
    stated.light.contentPeak = 900
    stated.light.frameAveragePeak = 40
    #expect(StoredColor(stated.rawWithoutCurves) == stated)
    #expect(StoredColor(Self.raw(0)) == StoredColor())
  }

  @Test(arguments: [Double.nan, .infinity, -1, 0, 1e300])
  func numbersThatCannotBeAreNone(_ number: Double) {
    var raw = Self.raw(127)
    raw.primaries.red = (number == 0 ? .nan : number * 100, 0.3)
    raw.gamma = (2.2, number, 2.2)
    (raw.mastering_peak, raw.mastering_black) = (number, number)
    raw.mastering_primaries.white = (0.3, number == 0 ? .nan : number * 100)
    (raw.content_peak, raw.frame_average_peak) = (number, number)
    let found = StoredColor(raw)
    #expect(found.primaries == nil)
    #expect(found.gamma == nil && found.light == LightLevels())
    #expect(found.curves.isEmpty)
  }

  @Test(arguments: [0, 1, 65_537, UInt32.max])
  func curvesOfOtherLengthsAreNone(_ length: UInt32) {
    var entries: [UInt16] = [0, 1]
    entries.withUnsafeMutableBufferPointer { entries in
      var raw = Self.raw(4)
      let start = UnsafePointer(entries.baseAddress)
      raw.curves = (start, start, start)
      raw.curve_length = length
      #expect(StoredColor(raw).curves.isEmpty)
      raw.curve_length = 2
      #expect(StoredColor(raw).curves == [[0, 1], [0, 1], [0, 1]])
      raw.curves.1 = nil
      #expect(StoredColor(raw).curves.isEmpty)
    }
  }
}
