// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A picture parameter set, which is checked; what slice headers need of it is kept.
struct PictureParameters: Sendable {
  let identifier: Int
  let sequence: SequenceParameters
  let hasOutputFlag: Bool
  /// Bits of a slice header that mean nothing.
  let extraBits: Int
  /// Whether blocks may be coded without loss.
  let allowsBypass: Bool

  /// Reads pic_parameter_set_rbsp() (ITU-T H.265 §7.3.2.3.1) up to its extensions.
  ///
  /// - Parameters:
  ///   - unit: A NAL unit of type 34, with its header of two bytes.
  ///   - sets: The sequence parameter sets that it may refer to; of two with a number the later one counts.
  ///   - fileOffset: Where the unit lies in the file, for errors.
  /// - Throws: ``CoderError/Code/malformed``.
  init(parsing unit: RawSpan, sets: [SequenceParameters], at fileOffset: Int = 0) throws(CoderError) {
    let payload = NALUnit.payload(of: unit)
    var bits = BitReader(payload.span.bytes, at: fileOffset, of: "the PPS")
    identifier = try bits.unsigned("pps_pic_parameter_set_id", to: 63)
    let wanted = try bits.unsigned("pps_seq_parameter_set_id", to: 15)
    guard let sequence = sets.last(where: { $0.identifier == wanted }) else {
      throw .malformed("the PPS refers to SPS \(wanted), which is not there")
    }
    self.sequence = sequence
    // dependent_slice_segments_enabled_flag, which does not matter to first slices
    try bits.skip(1)
    hasOutputFlag = try bits.flag("output_flag_present_flag")
    extraBits = try bits.number(3, "num_extra_slice_header_bits")
    try bits.skip(2)
    _ = try bits.unsigned("num_ref_idx_l0_default_active_minus1", to: 14)
    _ = try bits.unsigned("num_ref_idx_l1_default_active_minus1", to: 14)
    _ = try bits.signed("init_qp_minus26", to: 26 + 6 * (sequence.bitDepth - 8))
    try bits.skip(2)
    if try bits.flag("cu_qp_delta_enabled_flag") {
      _ = try bits.unsigned("diff_cu_qp_delta_depth", to: sequence.log2CodingTree - 3)
    }
    _ = try bits.signed("pps_cb_qp_offset", to: 12)
    _ = try bits.signed("pps_cr_qp_offset", to: 12)
    try bits.skip(3)
    allowsBypass = try bits.flag("transquant_bypass_enabled_flag")
    let hasTiles = try bits.flag("tiles_enabled_flag")
    try bits.skip(1)
    if hasTiles { try Self.checkTiles(&bits, sequence) }
    try bits.skip(1)
    if try bits.flag("deblocking_filter_control_present_flag") {
      try bits.skip(1)
      if try !bits.flag("pps_deblocking_filter_disabled_flag") {
        _ = try bits.signed("pps_beta_offset_div2", to: 6)
        _ = try bits.signed("pps_tc_offset_div2", to: 6)
      }
    }
    if try bits.flag("pps_scaling_list_data_present_flag") {
      guard sequence.hasScalingLists else { throw .malformed("the PPS has scaling lists, the SPS allows none") }
      try ScalingLists.check(&bits)
    }
    try bits.skip(1)
    _ = try bits.unsigned("log2_parallel_merge_level_minus2", to: sequence.log2CodingTree - 2)
  }

  /// Every tile has at least one coding tree block (§7.4.3.3.1).
  private static func checkTiles(_ bits: inout BitReader, _ sequence: SequenceParameters) throws(CoderError) {
    let side = sequence.blockSide
    let width = (sequence.codedSize.width + side - 1) / side
    let height = (sequence.codedSize.height + side - 1) / side
    // §A.4.2: 20 columns and 22 rows at the highest level; libde265 holds 10 of each.
    let columns = 1 + (try bits.unsigned("num_tile_columns_minus1", to: min(19, width - 1)))
    let rows = 1 + (try bits.unsigned("num_tile_rows_minus1", to: min(21, height - 1)))
    if try !bits.flag("uniform_spacing_flag") {
      for (count, whole) in [(columns, width), (rows, height)] {
        var left = whole
        for _ in 1..<max(count, 1) { left -= 1 + (try bits.unsigned("the size of a tile", to: left - 1)) }
        guard left >= 1 else { throw .malformed("the PPS has tiles that leave no place for the last") }
      }
    }
    try bits.skip(1)
  }
}

/// Scaling lists, which are checked and left to libde265.
enum ScalingLists {
  /// Reads scaling_list_data() (ITU-T H.265 §7.3.4).
  static func check(_ bits: inout BitReader) throws(CoderError) {
    for size in 0..<4 {
      for matrix in stride(from: 0, to: 6, by: size == 3 ? 3 : 1) {
        guard try bits.flag("scaling_list_pred_mode_flag") else {
          _ = try bits.unsigned("scaling_list_pred_matrix_id_delta", to: size == 3 ? matrix / 3 : matrix)
          continue
        }
        if size > 1 { _ = try bits.signed("scaling_list_dc_coef_minus8", to: 255) }
        for _ in 0..<min(64, 1 << (4 + size * 2)) { _ = try bits.signed("scaling_list_delta_coef", to: 128) }
      }
    }
  }
}
