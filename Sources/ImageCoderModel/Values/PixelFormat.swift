// SPDX-License-Identifier: Apache-2.0

/// The layout of one pixel in memory.
///
/// The name gives channels in memory order and bits per sample. Samples of 16 and 32 bits are in the machine's byte
/// order. The raw values are those of `imgcoder_pixel_format` in the plugin interface.
public enum PixelFormat: UInt32, Sendable, CaseIterable {
  /// 1 byte: gray.
  case gray8 = 1
  /// 2 bytes: gray, alpha.
  case grayAlpha8 = 2
  /// 2 bytes: gray as one 16-bit integer.
  case gray16 = 3
  /// 4 bytes: gray, alpha as 16-bit integers.
  case grayAlpha16 = 4
  /// 3 bytes: red, green, blue.
  case rgb8 = 5
  /// 4 bytes: red, green, blue, alpha.
  case rgba8 = 6
  /// 4 bytes: blue, green, red, alpha.
  case bgra8 = 7
  /// 8 bytes: red, green, blue, alpha as 16-bit integers.
  case rgba16 = 8
  /// 8 bytes: red, green, blue, alpha as IEEE 754 half precision; 1.0 corresponds to the maximum of integer samples.
  case rgbaFloat16 = 9
  /// 16 bytes: red, green, blue, alpha as IEEE 754 single precision; 1.0 corresponds to the maximum of integer samples.
  case rgbaFloat32 = 10
  /// 6 bytes: red, green, blue as 16-bit integers. Since version 1.1 of the plugin interface.
  case rgb16 = 11

  /// Samples of one pixel, alpha included: 1 to 4.
  public var channelCount: Int {
    switch self {
    case .gray8, .gray16: 1
    case .grayAlpha8, .grayAlpha16: 2
    case .rgb8, .rgb16: 3
    case .rgba8, .bgra8, .rgba16, .rgbaFloat16, .rgbaFloat32: 4
    }
  }

  /// Bytes of one sample: 1, 2 or 4.
  public var bytesPerChannel: Int {
    switch self {
    case .gray8, .grayAlpha8, .rgb8, .rgba8, .bgra8: 1
    case .gray16, .grayAlpha16, .rgb16, .rgba16, .rgbaFloat16: 2
    case .rgbaFloat32: 4
    }
  }

  /// Bytes of one pixel: 1 to 16.
  public var bytesPerPixel: Int { channelCount * bytesPerChannel }

  /// Whether the last channel is alpha.
  public var hasAlpha: Bool {
    switch self {
    case .gray8, .gray16, .rgb8, .rgb16: false
    default: true
    }
  }

  /// Whether color is one gray channel.
  public var isGray: Bool {
    switch self {
    case .gray8, .grayAlpha8, .gray16, .grayAlpha16: true
    default: false
    }
  }

  /// Whether samples are floating point.
  public var isFloat: Bool { self == .rgbaFloat16 || self == .rgbaFloat32 }
}

extension PixelFormat: CustomStringConvertible {
  /// The name that `coders probe` prints: `rgba8`.
  public var description: String {
    switch self {
    case .gray8: "gray8"
    case .grayAlpha8: "gray-alpha8"
    case .gray16: "gray16"
    case .grayAlpha16: "gray-alpha16"
    case .rgb8: "rgb8"
    case .rgba8: "rgba8"
    case .bgra8: "bgra8"
    case .rgba16: "rgba16"
    case .rgbaFloat16: "rgba-float16"
    case .rgbaFloat32: "rgba-float32"
    case .rgb16: "rgb16"
    }
  }
}

/// What alpha samples mean for the color samples beside them.
public enum AlphaMode: UInt32, Sendable {
  /// Alpha samples, if the format has any, are all at the maximum.
  case opaque = 0
  /// Color samples are independent of alpha.
  case straight = 1
  /// Color samples are multiplied by alpha.
  case premultiplied = 2
}

extension AlphaMode: CustomStringConvertible {
  public var description: String {
    switch self {
    case .opaque: "opaque"
    case .straight: "straight"
    case .premultiplied: "premultiplied"
    }
  }
}
