// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin
import SharedPlanes

/// What samples mean, by the code points of ITU-T H.273: from the `colr` box, else from the bitstream's VUI.
struct VideoColor: Equatable {
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

  /// How samples become red, green and blue.
  ///
  /// - Throws: ``CoderError/Code/unsupported``.
  func colorMatrix() throws(CoderError) -> ColorMatrix { try ColorMatrix(code: matrix, primaries: primaries) }
}
