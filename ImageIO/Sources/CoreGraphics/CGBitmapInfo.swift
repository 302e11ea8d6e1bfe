// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  /// How the bits of a pixel are to be read: where alpha is, whether samples are floating point, in which order bytes are.
  public struct CGBitmapInfo: OptionSet, Sendable, Hashable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Makes it of its parts.
    public init(
      alpha: CGImageAlphaInfo, component: CGImageComponentInfo = .integer,
      byteOrder: CGImageByteOrderInfo = .orderDefault
    ) {
      rawValue = alpha.rawValue | component.rawValue | byteOrder.rawValue
    }

    /// The bits of ``CGImageAlphaInfo``.
    public static let alphaInfoMask = CGBitmapInfo(rawValue: 0x1F)
    /// The bits of ``CGImageComponentInfo``.
    public static let floatInfoMask = CGBitmapInfo(rawValue: 0xF00)
    /// The bits of ``CGImageByteOrderInfo``.
    public static let byteOrderMask = CGBitmapInfo(rawValue: 0x7000)
    /// Samples are floating point.
    public static let floatComponents = CGBitmapInfo(rawValue: 0x100)
    /// Samples of 16 bits, the low byte first.
    public static let byteOrder16Little = CGBitmapInfo(rawValue: 0x1000)
    /// Pixels of 32 bits, the low byte first.
    public static let byteOrder32Little = CGBitmapInfo(rawValue: 0x2000)
    /// Samples of 16 bits, the high byte first.
    public static let byteOrder16Big = CGBitmapInfo(rawValue: 0x3000)
    /// Pixels of 32 bits, the high byte first.
    public static let byteOrder32Big = CGBitmapInfo(rawValue: 0x4000)

    package var alpha: CGImageAlphaInfo {
      CGImageAlphaInfo(rawValue: rawValue & Self.alphaInfoMask.rawValue) ?? .none
    }
    package var byteOrder: CGImageByteOrderInfo {
      CGImageByteOrderInfo(rawValue: rawValue & Self.byteOrderMask.rawValue) ?? .orderDefault
    }
  }

  /// Where alpha is in a pixel, and whether colors are multiplied by it.
  public enum CGImageAlphaInfo: UInt32, Sendable {
    case none = 0
    case premultipliedLast, premultipliedFirst, last, first, noneSkipLast, noneSkipFirst, alphaOnly

    package var isFirst: Bool { [.premultipliedFirst, .first, .noneSkipFirst].contains(self) }
    package var isOpaque: Bool { [.none, .noneSkipFirst, .noneSkipLast].contains(self) }
  }

  /// Whether samples are whole numbers.
  public enum CGImageComponentInfo: UInt32, Sendable {
    case integer = 0
    case float = 0x100
  }

  /// In which order the bytes of a pixel or a sample are.
  public enum CGImageByteOrderInfo: UInt32, Sendable {
    case orderDefault = 0
    case order16Little = 0x1000
    case order32Little = 0x2000
    case order16Big = 0x3000
    case order32Big = 0x4000
    case orderMask = 0x7000
  }

  /// The number of the kind of a color space.
  public enum CGColorSpaceModel: Int32, Sendable {
    case unknown = -1
    case monochrome, rgb, cmyk, lab, deviceN, indexed, pattern, XYZ
  }

  /// What happens to colors that a space does not have.
  public enum CGColorRenderingIntent: Int32, Sendable {
    case defaultIntent, absoluteColorimetric, relativeColorimetric, perceptual, saturation
  }

  /// How good pictures look that are drawn in another size.
  public enum CGInterpolationQuality: Int32, Sendable {
    case `default` = 0
    case none = 1
    case low = 2
    case high = 3
    case medium = 4
  }

  /// How what is drawn meets what is there.
  public enum CGBlendMode: Int32, Sendable {
    case normal, multiply, screen, overlay, darken, lighten, colorDodge, colorBurn, softLight, hardLight, difference
    case exclusion, hue, saturation, color, luminosity, clear, copy, sourceIn, sourceOut, sourceAtop, destinationOver
    case destinationIn, destinationOut, destinationAtop, xor, plusDarker, plusLighter
  }
#endif
