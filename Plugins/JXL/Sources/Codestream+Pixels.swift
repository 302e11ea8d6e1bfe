// SPDX-License-Identifier: Apache-2.0

import CJXL
import ImageCoderPlugin

extension Codestream {
  var isGray: Bool { info.num_color_channels == 1 }

  var alpha: AlphaMode {
    guard info.alpha_bits > 0 else { return .opaque }
    return info.alpha_premultiplied != 0 ? .premultiplied : .straight
  }

  /// How samples have to be held so that none is changed.
  private enum Depth {
    case bits8
    case bits16
    case float16
    case float32
  }

  private var depth: Depth {
    let (bits, exponent) = (info.bits_per_sample, info.exponent_bits_per_sample)
    let (alphaBits, alphaExponent) = (info.alpha_bits, info.alpha_exponent_bits)
    if exponent > 0 || alphaExponent > 0 {
      // binary16 holds 5 bits of exponent, and whole numbers of 11 bits.
      let isHalf = exponent > 0 ? bits <= 16 && exponent <= 5 : bits <= 11
      let isHalfAlpha = alphaExponent > 0 ? alphaBits <= 16 && alphaExponent <= 5 : alphaBits <= 11
      return isHalf && isHalfAlpha ? .float16 : .float32
    }
    let largest = max(bits, alphaBits)
    return largest <= 8 ? .bits8 : largest <= 16 ? .bits16 : .float32
  }

  /// The narrowest format that holds every pixel without loss.
  var pixelFormat: PixelFormat {
    switch (depth, isGray, alpha == .opaque) {
    case (.bits8, true, true): .gray8
    case (.bits8, true, false): .grayAlpha8
    case (.bits8, false, true): .rgb8
    case (.bits8, false, false): .rgba8
    case (.bits16, true, true): .gray16
    case (.bits16, true, false): .grayAlpha16
    case (.bits16, false, true): .rgb16
    case (.bits16, false, false): .rgba16
    case (.float16, _, _): .rgbaFloat16
    case (.float32, _, _): .rgbaFloat32
    }
  }

  /// Whether libjxl itself delivers a format: with as many channels as there are, or with an alpha channel of opaque
  /// samples. From floating point to whole numbers is the host's way, which knows what to do with samples above 1.
  func delivers(_ format: PixelFormat) -> Bool {
    if format == pixelFormat { return true }
    if format == .bgra8 || (!format.hasAlpha && alpha != .opaque) || format.isGray != isGray { return false }
    return format.isFloat || depth == .bits8 || depth == .bits16
  }

  /// Bytes that libjxl needs beside the host's rows, from measurements with libjxl 0.7.
  ///
  /// VarDCT pictures without alpha that are wanted as 8-bit RGB are written out group by group, and progressive ones keep
  /// their coefficients; any other picture is kept whole as 32-bit samples first. Modular pictures keep their samples,
  /// twice when they come in several resolutions. Frames that later ones refer to are kept as well.
  func decodingMemory(for format: PixelFormat) -> Int {
    let extra = Int(info.num_extra_channels)
    let channels = Int(info.num_color_channels) + extra
    // XYB has three planes for gray as well.
    let planes = (info.uses_original_profile == 0 ? 3 : Int(info.num_color_channels)) + extra
    let isDirect = channels == 3 && extra == 0 && (format == .rgb8 || format == .rgba8)
    var bytesPerPixel =
      isModular
      ? (isDirect ? 28 : 18 + 8 * planes)
      : 12 + (isDirect ? 0 : 4 + 4 * channels) + (extra > 0 ? 12 : 0)
    if info.have_animation != 0 { bytesPerPixel += 8 * channels }
    let (bytes, overflow) = canvas.pixelCount.multipliedReportingOverflow(by: bytesPerPixel)
    return overflow ? .max : bytes
  }
}

extension JxlPixelFormat {
  /// - Parameter stride: At least a row's bytes; libjxl rounds a row up to a multiple of it, which is the stride itself.
  init(_ format: PixelFormat, stride: Int) {
    self.init()
    num_channels = UInt32(truncatingIfNeeded: format.channelCount)
    endianness = JXL_NATIVE_ENDIAN
    align = stride
    switch format {
    case .gray16, .grayAlpha16, .rgb16, .rgba16: data_type = JXL_TYPE_UINT16
    case .rgbaFloat16: data_type = JXL_TYPE_FLOAT16
    case .rgbaFloat32: data_type = JXL_TYPE_FLOAT
    default: data_type = JXL_TYPE_UINT8
    }
  }
}
