// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// From cyan, magenta, yellow and black to light.
enum InkConverter: Sendable {
  case press(PressModel)
  /// The library, by a profile of CMYK.
  case profile(TableConverter)

  /// - Throws: What ``TableConverter`` does.
  init(_ source: ColorSpace, intent: RenderingIntent, blackPoint: BlackPoint) throws(CoderError) {
    guard source.model == .inks, let profile = source.profile, let light = ICCProfile.bytes(of: Self.light) else {
      self = .press(
        PressModel(
          keepsPaper: intent == .absoluteColorimetric,
          keepsBlack: blackPoint == .kept || intent == .absoluteColorimetric))
      return
    }
    self = .profile(
      try TableConverter(from: profile, to: light, intent: intent, blackPoint: blackPoint, takesInks: true))
  }

  /// Light of BT.2020's primaries: wide enough, and numbers below 0 stay.
  private static let light = ColorSpace.named(9, 8)

  /// The space of what comes out.
  var result: ColorSpace {
    switch self {
    case .press: ColorSpace("XYZ", .rgb(toXYZ: .identity, curves: [.linear, .linear, .linear]))
    case .profile: Self.light
    }
  }

  /// Converts pixels of four floats in place: inks from 0 to 1 become light, whose fourth number is 1.
  func convert(_ pixels: UnsafeMutableRawPointer, count: Int) {
    switch self {
    case .press(let model): model.convert(pixels, count: count)
    case .profile(let tables):
      let values = pixels.assumingMemoryBound(to: Float.self)
      // Little CMS counts inks in percent.
      for index in 0..<(count * 4) { values[index] *= 100 }
      tables.convert(pixels, count: count)
      for index in 0..<count { values[index * 4 + 3] = 1 }
    }
  }
}
