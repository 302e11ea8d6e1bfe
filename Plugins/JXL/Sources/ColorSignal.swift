// SPDX-License-Identifier: Apache-2.0

import CJXL
import ImageCoderPlugin

/// The colors of the pixels that libjxl delivers.
struct ColorSignal {
  /// Code points, when they say all.
  private(set) var cicp: CodingIndependentCodePoints?
  /// The file's own profile, or one that says what code points cannot.
  private(set) var profile: [UInt8]?
  /// The size of ``profile``, which is kept only when the limits allow.
  private(set) var profileSize = 0
  private(set) var gamma: Double?
  /// The file's own profile of named values, or nil where it has none.
  private(set) var encoding: JxlColorEncoding?
  /// Whether pixels are delivered as sRGB because libjxl cannot convert them to the file's own profile.
  private(set) var isConverted = false

  /// Reads what the file says, and chooses what libjxl delivers.
  ///
  /// Pixels stored as XYB have to be converted. A profile of named values is what libjxl converts to; to an ICC profile
  /// it cannot, and its default would be linear light, for which 8 bits are too few.
  ///
  /// - Parameter decoder: At the event `JXL_DEC_COLOR_ENCODING`.
  init(_ decoder: LibJXL.Decoder, info: JxlBasicInfo, limits: Limits) throws(CoderError) {
    var encoding = JxlColorEncoding()
    let isNamed = jxl_stored_encoding(decoder.raw, &encoding) == JXL_DEC_SUCCESS
    if !isNamed, info.uses_original_profile == 0 {
      isConverted = true
      try Self.preferSRGB(decoder, info: info)
      cicp = .sRGB
      return
    }
    if isNamed {
      self.encoding = encoding
      if encoding.transfer_function == JXL_TRANSFER_FUNCTION_GAMMA { gamma = encoding.gamma }
      cicp = CodingIndependentCodePoints(encoding)
      if cicp != nil { return }
    }
    var size = 0
    guard jxl_stored_profile_size(decoder.raw, &size) == JXL_DEC_SUCCESS, size > 0 else { return }
    profileSize = size
    guard size <= limits.maxMetadata else { return }
    var bytes = [UInt8](repeating: 0, count: size)
    let status = jxl_stored_profile(decoder.raw, &bytes, size)
    if status == JXL_DEC_SUCCESS { profile = bytes } else { profileSize = 0 }
  }

  /// Asks for sRGB where libjxl has a choice.
  static func preferSRGB(_ decoder: LibJXL.Decoder, info: JxlBasicInfo) throws(CoderError) {
    var encoding = JxlColorEncoding()
    JxlColorEncodingSetToSRGB(&encoding, info.num_color_channels == 1 ? 1 : 0)
    guard JxlDecoderSetPreferredColorProfile(decoder.raw, &encoding) == JXL_DEC_SUCCESS else {
      throw .libraryFailure("libjxl does not convert to sRGB")
    }
  }
}

extension CodingIndependentCodePoints {
  static let sRGB = CodingIndependentCodePoints(primaries: 1, transfer: 13, matrix: 0, isFullRange: true)

  /// The code points of a profile of named values, or nil when there are none that say the same.
  ///
  /// ISO/IEC 18181-1 §E.2 takes its numbers from ITU-T H.273, where white belongs to the primaries.
  init?(_ encoding: JxlColorEncoding) {
    let primaries: UInt8
    switch (encoding.color_space, encoding.primaries, encoding.white_point) {
    case (JXL_COLOR_SPACE_GRAY, _, JXL_WHITE_POINT_D65): primaries = 1
    case (JXL_COLOR_SPACE_RGB, JXL_PRIMARIES_SRGB, JXL_WHITE_POINT_D65): primaries = 1
    case (JXL_COLOR_SPACE_RGB, JXL_PRIMARIES_2100, JXL_WHITE_POINT_D65): primaries = 9
    case (JXL_COLOR_SPACE_RGB, JXL_PRIMARIES_P3, JXL_WHITE_POINT_DCI): primaries = 11
    case (JXL_COLOR_SPACE_RGB, JXL_PRIMARIES_P3, JXL_WHITE_POINT_D65): primaries = 12
    default: return nil
    }
    switch encoding.transfer_function {
    case JXL_TRANSFER_FUNCTION_709, JXL_TRANSFER_FUNCTION_LINEAR, JXL_TRANSFER_FUNCTION_SRGB, JXL_TRANSFER_FUNCTION_PQ,
      JXL_TRANSFER_FUNCTION_DCI, JXL_TRANSFER_FUNCTION_HLG:
      // All are below 19, as H.273 has them.
      let transfer = UInt8(truncatingIfNeeded: encoding.transfer_function.rawValue)
      self.init(primaries: primaries, transfer: transfer, matrix: 0, isFullRange: true)
    default: return nil
    }
  }

  /// The profile of named values that says the same, or nil when there is none.
  func encoding(isGray: Bool) -> JxlColorEncoding? {
    var result = JxlColorEncoding()
    JxlColorEncodingSetToSRGB(&result, isGray ? 1 : 0)
    switch primaries {
    case 1: break
    case 9: result.primaries = JXL_PRIMARIES_2100
    case 11:
      result.primaries = JXL_PRIMARIES_P3
      result.white_point = JXL_WHITE_POINT_DCI
    case 12: result.primaries = JXL_PRIMARIES_P3
    default: return nil
    }
    // H.273 §8.2: 6, 14 and 15 are the same function as 1.
    switch transfer {
    case 1, 6, 14, 15: result.transfer_function = JXL_TRANSFER_FUNCTION_709
    case 8, 13, 16, 17, 18: result.transfer_function = JxlTransferFunction(UInt32(transfer))
    default: return nil
    }
    if isGray, primaries != 1 { return nil }
    return result
  }
}
