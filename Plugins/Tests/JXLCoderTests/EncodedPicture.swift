// SPDX-License-Identifier: Apache-2.0

import CJXL
import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import JXLCoder

/// A picture of waves that libjxl encodes in a way that a test wants.
struct EncodedPicture {
  var size = Size(width: 601, height: 403)
  var isGray = false
  var bits: UInt32 = 8
  var hasAlpha = false
  var distance: Float = 1
  var isLossless = false
  var settings: [(JxlEncoderFrameSettingId, Int64)] = []
  /// Of a film of so many ISO.
  var noise: Float = 0
  var transfer = JXL_TRANSFER_FUNCTION_SRGB
  var primaries = JXL_PRIMARIES_SRGB
  /// Frames, each as long as a second where there are several.
  var frameCount = 1
  /// Whether it is of signs instead.
  var isDrawing = false

  var channels: Int { (isGray ? 1 : 3) + (hasAlpha ? 1 : 0) }

  /// Samples of 16 bits.
  private func samples() -> [UInt16] {
    var samples: [UInt16] = []
    samples.reserveCapacity(size.pixelCount * channels)
    for y in 0..<size.height {
      for x in 0..<size.width {
        for channel in 0..<channels { samples.append(UInt16(sample(x, y, channel) * 65_535)) }
      }
    }
    return samples
  }

  private func sample(_ x: Int, _ y: Int, _ channel: Int) -> Double {
    if hasAlpha, channel == channels - 1 { return Double(x) / Double(size.width) }
    if isDrawing { return Self.isSign(x % 29, y % 23) ? 0 : 1 }
    let phase = Double(channel) * 1.3
    let wave = triangle(Double(x) / 97 + phase) * 0.4 + triangle(Double(y) / 61 - phase) * 0.3
    return 0.15 + wave + triangle(Double(x + 2 * y) / 23) * 0.1
  }

  /// Whether a place is black in a sign of 8 × 8. The same sign again and again is what patches are for.
  private static func isSign(_ x: Int, _ y: Int) -> Bool {
    let rows: [UInt8] = [0x7e, 0x42, 0x5a, 0x52, 0x5e, 0x40, 0x7e, 0x00]
    return x < 8 && y < 8 && rows[y] >> UInt8(x) & 1 == 1
  }

  /// A wave of straight lines from 0 to 1 and back.
  private func triangle(_ value: Double) -> Double {
    let rest = value - value.rounded(.down)
    return rest < 0.5 ? 2 * rest : 2 - 2 * rest
  }

  func encoded() throws -> [UInt8] {
    let encoder = try #require(JxlEncoderCreate(nil))
    defer { JxlEncoderDestroy(encoder) }
    var info = JxlBasicInfo()
    JxlEncoderInitBasicInfo(&info)
    info.xsize = UInt32(size.width)
    info.ysize = UInt32(size.height)
    info.bits_per_sample = bits
    info.num_color_channels = isGray ? 1 : 3
    info.num_extra_channels = hasAlpha ? 1 : 0
    info.alpha_bits = hasAlpha ? bits : 0
    info.uses_original_profile = isLossless ? 1 : 0
    if frameCount > 1 {
      info.have_animation = 1
      info.animation.tps_numerator = 1
      info.animation.tps_denominator = 1
    }
    #expect(JxlEncoderSetBasicInfo(encoder, &info) == JXL_ENC_SUCCESS)
    var color = JxlColorEncoding()
    JxlColorEncodingSetToSRGB(&color, isGray ? 1 : 0)
    color.transfer_function = transfer
    color.primaries = primaries
    #expect(JxlEncoderSetColorEncoding(encoder, &color) == JXL_ENC_SUCCESS)
    let frame = JxlEncoderFrameSettingsCreate(encoder, nil)
    for (id, value) in settings { #expect(JxlEncoderFrameSettingsSetOption(frame, id, value) == JXL_ENC_SUCCESS) }
    if noise > 0 {
      let id = JXL_ENC_FRAME_SETTING_PHOTON_NOISE
      #expect(JxlEncoderFrameSettingsSetFloatOption(frame, id, noise) == JXL_ENC_SUCCESS)
    }
    #expect(JxlEncoderSetFrameDistance(frame, isLossless ? 0 : distance) == JXL_ENC_SUCCESS)
    if isLossless { JxlEncoderSetFrameLossless(frame, 1) }
    var format = JxlPixelFormat(
      num_channels: UInt32(channels), data_type: JXL_TYPE_UINT16, endianness: JXL_NATIVE_ENDIAN, align: 0)
    var header = JxlFrameHeader()
    JxlEncoderInitFrameHeader(&header)
    header.duration = 1
    if frameCount > 1 { JxlEncoderSetFrameHeader(frame, &header) }
    let samples = samples()
    for _ in 0..<frameCount {
      let status = samples.withUnsafeBytes {
        JxlEncoderAddImageFrame(frame, &format, $0.baseAddress, $0.count)
      }
      #expect(status == JXL_ENC_SUCCESS)
    }
    JxlEncoderCloseInput(encoder)
    return try Self.output(of: encoder)
  }

  /// A file that a JPEG becomes without a change of its coefficients.
  static func recompressed(_ jpeg: [UInt8]) throws -> [UInt8] {
    let encoder = try #require(JxlEncoderCreate(nil))
    defer { JxlEncoderDestroy(encoder) }
    #expect(JxlEncoderStoreJPEGMetadata(encoder, 1) == JXL_ENC_SUCCESS)
    let frame = JxlEncoderFrameSettingsCreate(encoder, nil)
    #expect(JxlEncoderAddJPEGFrame(frame, jpeg, jpeg.count) == JXL_ENC_SUCCESS)
    JxlEncoderCloseInput(encoder)
    return try output(of: encoder)
  }

  private static func output(of encoder: OpaquePointer) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      var (status, left) = (JXL_ENC_SUCCESS, buffer.count)
      buffer.withUnsafeMutableBufferPointer { buffer in
        var next = buffer.baseAddress
        status = JxlEncoderProcessOutput(encoder, &next, &left)
      }
      bytes += buffer.prefix(buffer.count - left)
      guard status == JXL_ENC_NEED_MORE_OUTPUT else {
        try #require(status == JXL_ENC_SUCCESS)
        return bytes
      }
    }
  }
}
