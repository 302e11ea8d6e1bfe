// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

/// A color with alpha: sRGB samples of 8 bits, not multiplied by alpha.
public struct RGBAColor: Sendable, Hashable {
  /// 0 to 255.
  public var red: UInt8
  /// 0 to 255.
  public var green: UInt8
  /// 0 to 255.
  public var blue: UInt8
  /// 0, transparent, to 255, opaque.
  public var alpha: UInt8

  /// Makes a color from samples of 0 to 255; it is opaque unless `alpha` is given.
  public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// 255, 255, 255, opaque.
  public static let white = RGBAColor(red: 255, green: 255, blue: 255)
  /// 0, 0, 0, opaque.
  public static let black = RGBAColor(red: 0, green: 0, blue: 0)
  /// Nothing: 0, 0, 0, 0.
  public static let transparent = RGBAColor(red: 0, green: 0, blue: 0, alpha: 0)

  /// Reads `#rrggbb`, `#rrggbbaa`, `white`, `black` or `transparent`; nil for anything else.
  public init?(parsing text: some StringProtocol) {
    switch text {
    case "white": self = .white
    case "black": self = .black
    case "transparent": self = .transparent
    default:
      let digits = text.dropFirst()
      guard text.first == "#", digits.count == 6 || digits.count == 8,
        digits.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
        let value = UInt32(digits, radix: 16)
      else { return nil }
      let bits = digits.count == 6 ? value << 8 | 255 : value
      self.init(
        red: UInt8(bits >> 24), green: UInt8(bits >> 16 & 255), blue: UInt8(bits >> 8 & 255), alpha: UInt8(bits & 255))
    }
  }

  /// Red, green and blue multiplied by alpha, and alpha, each from 0 to 1.
  var premultiplied: SIMD4<Float> {
    let alpha = Float(alpha) / 255
    return SIMD4(Float(red) / 255 * alpha, Float(green) / 255 * alpha, Float(blue) / 255 * alpha, alpha)
  }

  /// Whether the three colors are the same.
  var isGray: Bool { red == green && green == blue }
}

extension RGBAColor: CustomStringConvertible {
  /// The one spelling that keys have: `#rrggbbaa` in small letters.
  public var description: String {
    let digits = Array("0123456789abcdef")
    return [red, green, blue, alpha].reduce(into: "#") {
      $0.append(digits[Int($1 >> 4)])
      $0.append(digits[Int($1 & 15)])
    }
  }
}

// MARK: Painting

extension PixelLayout {
  /// A layout that can also hold paint.
  func painted(_ color: RGBAColor) -> PixelLayout {
    let colored = color.isGray ? self : withColor
    return color.alpha == 255 ? colored : colored.withAlpha
  }
}

extension PixelBuffer {
  /// Paints a row.
  func fillRow(_ y: Int, with color: RGBAColor) {
    let working = PixelLayout(.rgbaFloat32, color.alpha == 255 ? .opaque : .premultiplied)
    let converter = RowConverter(from: working, to: layout)
    var color = color.premultiplied
    converter.convert(&color, into: row(y), count: 1)
    let pixel = row(y)
    for x in 1..<max(size.width, 1) {
      (pixel + x * format.bytesPerPixel).copyMemory(from: pixel, byteCount: format.bytesPerPixel)
    }
  }
}
