// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// What the bitstream says of its colors (ITU-T H.265 §E.3.1).
public struct VideoSignal: Sendable, Equatable {
  /// Unspecified and of the narrow range, which is what holds when nothing is said.
  public internal(set) var points = CodingIndependentCodePoints(
    primaries: 2, transfer: 2, matrix: 2, isFullRange: false)
  /// Whether primaries, transfer and matrix are there.
  public internal(set) var hasDescription = false

  public init() {}

  /// The first fields of vui_parameters() (§E.2.1).
  init(parsing bits: inout BitReader) throws(CoderError) {
    // aspect_ratio_info_present_flag; 255 is EXTENDED_SAR
    if try bits.flag(), try bits.bits(8, "aspect_ratio_idc") == 255 { try bits.skip(32, "sar_width") }
    // overscan_info_present_flag
    if try bits.flag() { try bits.skip(1) }
    // video_signal_type_present_flag
    guard try bits.flag() else { return }
    try bits.skip(3, "video_format")
    points.isFullRange = try bits.flag("video_full_range_flag")
    guard try bits.flag() else { return }
    points.primaries = UInt8(truncatingIfNeeded: try bits.bits(8, "colour_primaries"))
    points.transfer = UInt8(truncatingIfNeeded: try bits.bits(8, "transfer_characteristics"))
    points.matrix = UInt8(truncatingIfNeeded: try bits.bits(8, "matrix_coeffs"))
    hasDescription = true
  }
}
