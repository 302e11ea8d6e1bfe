// SPDX-License-Identifier: Apache-2.0

/// Pixels that a reader may deliver and no picture in memory has: the host makes others of them as they arrive.
///
/// Samples of 16 and 32 bits are in the machine's byte order. The raw values are those of `imgcoder_pixel_format` in the plugin
/// interface, beside those of ``PixelFormat``.
public enum RowFormat: UInt32, Sendable, CaseIterable {
  /// 6 bytes: red, green, blue as IEEE 754 half precision; they become ``PixelFormat/rgbaFloat16``.
  case rgbFloat16 = 12
  /// 12 bytes: red, green, blue as IEEE 754 single precision; they become ``PixelFormat/rgbaFloat32``.
  case rgbFloat32 = 13
  /// 4 bytes: gray as IEEE 754 single precision; it becomes ``PixelFormat/rgbaFloat32``.
  case grayFloat32 = 14
  /// 4 bytes: cyan, magenta, yellow, black, from no ink to all of it. Only delivered where it was asked for.
  case cmyk8 = 15
  /// 8 bytes: cyan, magenta, yellow, black as 16-bit integers. Only delivered where inks were asked for.
  case cmyk16 = 16

  /// Bytes of one pixel: 4 to 12.
  public var bytesPerPixel: Int {
    switch self {
    case .rgbFloat16: 6
    case .rgbFloat32: 12
    case .grayFloat32, .cmyk8: 4
    case .cmyk16: 8
    }
  }

  /// Whether samples are inks, which the host turns into colors.
  public var isInks: Bool { self == .cmyk8 || self == .cmyk16 }

  /// The format of pictures in memory that holds the samples: of inks, whose black takes the place of alpha, too.
  public var pixelFormat: PixelFormat {
    switch self {
    case .rgbFloat16: .rgbaFloat16
    case .rgbFloat32, .grayFloat32: .rgbaFloat32
    case .cmyk8: .rgba8
    case .cmyk16: .rgba16
    }
  }
}

extension RowFormat: CustomStringConvertible {
  /// The name in messages: `rgb-float32`.
  public var description: String {
    switch self {
    case .rgbFloat16: "rgb-float16"
    case .rgbFloat32: "rgb-float32"
    case .grayFloat32: "gray-float32"
    case .cmyk8: "cmyk8"
    case .cmyk16: "cmyk16"
    }
  }
}
