// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

/// What samples mean, by the code points of ITU-T H.273: from the `colr` box, else from the bitstream's VUI.
struct VideoColour: Equatable {
  var primaries: UInt8 = 2
  var transfer: UInt8 = 2
  var matrix: UInt8 = 2
  /// ITU-T H.265 §E.3.1: the narrow range is what holds when nothing is said.
  var isFullRange = false
  /// Whether the file says any of it.
  var isStated = false

  init() {}

  /// The first fields of vui_parameters() (ITU-T H.265 §E.2.1).
  init(vui reader: inout BitReader) throws(CoderError) {
    // aspect_ratio_info_present_flag; 255 is EXTENDED_SAR
    if try reader.flag(), try reader.bits(8) == 255 { try reader.skip(32) }
    // overscan_info_present_flag
    if try reader.flag() { try reader.skip(1) }
    // video_signal_type_present_flag
    guard try reader.flag() else { return }
    try reader.skip(3)
    isFullRange = try reader.flag()
    guard try reader.flag() else { return }
    primaries = UInt8(truncatingIfNeeded: try reader.bits(8))
    transfer = UInt8(truncatingIfNeeded: try reader.bits(8))
    matrix = UInt8(truncatingIfNeeded: try reader.bits(8))
    isStated = true
  }

  /// A `colr` box of type `nclx` (ISO/IEC 14496-12 §12.1.5).
  init(codePoints box: BoxBytes) throws(CoderError) {
    primaries = UInt8(truncatingIfNeeded: try box.uint16(at: 4))
    transfer = UInt8(truncatingIfNeeded: try box.uint16(at: 6))
    matrix = UInt8(truncatingIfNeeded: try box.uint16(at: 8))
    isFullRange = try box.uint8(at: 10) & 0x80 != 0
    isStated = true
  }

  var codePoints: CodingIndependentCodePoints? {
    guard isStated else { return nil }
    return CodingIndependentCodePoints(
      primaries: primaries, transfer: transfer, matrix: matrix, isFullRange: isFullRange)
  }

  /// The weights of red and blue in luma, by the matrix's code point (ITU-T H.273 §8.3, table 4).
  enum Conversion: Equatable {
    case weights(red: Double, blue: Double)
    /// The planes are green, blue and red.
    case identity
    case yCgCo
  }

  /// How samples become red, green and blue, or nil for a matrix that is not linear or not known.
  var conversion: Conversion? {
    switch matrix {
    case 0: .identity
    case 1: .weights(red: 0.2126, blue: 0.0722)
    // Unspecified: BT.601, as every decoder of HEIF has it.
    case 2, 5, 6: .weights(red: 0.299, blue: 0.114)
    case 4: .weights(red: 0.30, blue: 0.11)
    case 7: .weights(red: 0.212, blue: 0.087)
    case 8: .yCgCo
    case 9: .weights(red: 0.2627, blue: 0.0593)
    case 12: primaryWeights
    default: nil
    }
  }

  /// Matrix 12: weights from the primaries (ITU-T H.273 §8.3), for the primaries whose weights are in use.
  private var primaryWeights: Conversion? {
    switch primaries {
    case 1: .weights(red: 0.2126, blue: 0.0722)
    case 5: .weights(red: 0.222021, blue: 0.071330)
    case 6, 7: .weights(red: 0.212395, blue: 0.086556)
    case 9: .weights(red: 0.262700, blue: 0.059302)
    case 12: .weights(red: 0.228975, blue: 0.079287)
    default: nil
    }
  }
}
