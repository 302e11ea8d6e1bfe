// SPDX-License-Identifier: Apache-2.0

/// A color of four sRGB samples with straight alpha: red, green and blue are not multiplied by alpha.
///
/// Samples have 16 bits, since files state such colors; most callers give and read 8 of them:
///
/// ```swift
/// PixelColor(red: 255, green: 136, blue: 0).red16  // 65535
/// ```
public struct PixelColor: Sendable, Hashable {
  /// 0 to 65535.
  public var red16: UInt16
  /// 0 to 65535.
  public var green16: UInt16
  /// 0 to 65535.
  public var blue16: UInt16
  /// 0, transparent, to 65535, opaque.
  public var alpha16: UInt16

  /// Makes a color from samples of 0 to 255; it is opaque unless `alpha` is given.
  public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = .max) {
    self.init(
      red16: UInt16(red) * 257, green16: UInt16(green) * 257, blue16: UInt16(blue) * 257, alpha16: UInt16(alpha) * 257)
  }

  /// Makes a color from samples of 0 to 65535; it is opaque unless `alpha16` is given.
  public init(red16: UInt16, green16: UInt16, blue16: UInt16, alpha16: UInt16 = .max) {
    self.red16 = red16
    self.green16 = green16
    self.blue16 = blue16
    self.alpha16 = alpha16
  }

  /// ``red16`` rounded to 8 bits.
  public var red: UInt8 { Self.narrowed(red16) }
  /// ``green16`` rounded to 8 bits.
  public var green: UInt8 { Self.narrowed(green16) }
  /// ``blue16`` rounded to 8 bits.
  public var blue: UInt8 { Self.narrowed(blue16) }
  /// ``alpha16`` rounded to 8 bits.
  public var alpha: UInt8 { Self.narrowed(alpha16) }

  /// Opaque white.
  public static let white = PixelColor(red: 255, green: 255, blue: 255)
  /// Opaque black.
  public static let black = PixelColor(red: 0, green: 0, blue: 0)
  /// Black with an alpha of 0.
  public static let transparent = PixelColor(red: 0, green: 0, blue: 0, alpha: 0)

  /// Whether alpha has its largest value.
  package var isOpaque: Bool { alpha16 == .max }

  /// Whether red, green and blue are the same.
  package var isGray: Bool { red16 == green16 && green16 == blue16 }

  private static func narrowed(_ sample: UInt16) -> UInt8 {
    UInt8(truncatingIfNeeded: (UInt32(sample) * 255 + 32_767) / 65_535)
  }
}
