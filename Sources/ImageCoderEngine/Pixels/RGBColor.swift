// SPDX-License-Identifier: Apache-2.0

/// A color of 8 bits per channel, sRGB.
public struct RGBColor: Sendable, Hashable {
  /// 0 to 255, in the transfer curve of sRGB.
  public var red: UInt8
  /// 0 to 255, in the transfer curve of sRGB.
  public var green: UInt8
  /// 0 to 255, in the transfer curve of sRGB.
  public var blue: UInt8

  /// Makes an opaque color from sRGB samples of 0 to 255.
  public init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// 255, 255, 255: the default background.
  public static let white = RGBColor(red: 255, green: 255, blue: 255)
  /// 0, 0, 0.
  public static let black = RGBColor(red: 0, green: 0, blue: 0)
}
