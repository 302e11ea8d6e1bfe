// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Scaling lists, which are checked and left to libde265.
enum ScalingLists {
  /// Reads scaling_list_data() (ITU-T H.265 §7.3.4).
  static func check(_ reader: inout BitReader, chromaFormat: Int) throws(CoderError) {
    for size in 0..<4 {
      for matrix in stride(from: 0, to: 6, by: size == 3 ? 3 : 1) {
        guard try reader.flag() else {
          _ = try reader.unsigned("scaling_list_pred_matrix_id_delta", to: size == 3 ? matrix / 3 : matrix)
          continue
        }
        if size > 1 { _ = try reader.signed("scaling_list_dc_coef", to: 255) }
        for _ in 0..<min(64, 1 << (4 + size * 2)) { _ = try reader.signed("scaling_list_delta_coef", to: 128) }
      }
    }
  }
}

/// A picture parameter set, which is checked; what slice headers need of it is kept.
struct PictureParameters {
  let identifier: Int
  let sequence: SequenceParameters
  let hasOutputFlag: Bool
  /// Bits of a slice header that mean nothing.
  let extraBits: Int

  /// Reads pic_parameter_set_rbsp() (ITU-T H.265 §7.3.2.3.1) up to its scaling lists.
  init(unit: [UInt8], sets: [SequenceParameters]) throws(CoderError) {
    var reader = BitReader(unit: unit, what: "the PPS")
    identifier = try reader.unsigned("identifier", to: 63)
    let wanted = try reader.unsigned("identifier of an SPS", to: 15)
    guard let sequence = sets.last(where: { $0.identifier == wanted }) else {
      throw .malformed("the PPS refers to SPS \(wanted), which is not there")
    }
    self.sequence = sequence
    // dependent_slice_segments_enabled_flag, which does not matter to first slices
    try reader.skip(1)
    hasOutputFlag = try reader.flag()
    extraBits = try reader.bits(3)
    try reader.skip(2)
    _ = try reader.unsigned("num_ref_idx_l0_default_active_minus1", to: 14)
    _ = try reader.unsigned("num_ref_idx_l1_default_active_minus1", to: 14)
    _ = try reader.signed("init_qp", to: 26 + 6 * (sequence.bitDepth - 8))
    try reader.skip(2)
    if try reader.flag() { _ = try reader.unsigned("diff_cu_qp_delta_depth", to: sequence.log2CodingTree - 3) }
    _ = try reader.signed("pps_cb_qp_offset", to: 12)
    _ = try reader.signed("pps_cr_qp_offset", to: 12)
    try reader.skip(4)
    let hasTiles = try reader.flag()
    try reader.skip(1)
    if hasTiles { try Self.checkTiles(&reader, sequence) }
    try reader.skip(1)
    if try reader.flag() {
      try reader.skip(1)
      if try !reader.flag() {
        _ = try reader.signed("pps_beta_offset_div2", to: 6)
        _ = try reader.signed("pps_tc_offset_div2", to: 6)
      }
    }
    if try reader.flag() {
      guard sequence.hasScalingLists else { throw .malformed("the PPS has scaling lists, the SPS allows none") }
      try ScalingLists.check(&reader, chromaFormat: sequence.chromaFormat)
    }
    try reader.skip(1)
    _ = try reader.unsigned("log2_parallel_merge_level", to: sequence.log2CodingTree - 2)
  }

  /// Every tile has at least one coding tree block (§7.4.3.3.1).
  private static func checkTiles(_ reader: inout BitReader, _ sequence: SequenceParameters) throws(CoderError) {
    let unit = 1 << sequence.log2CodingTree
    let width = (sequence.codedSize.width + unit - 1) / unit
    let height = (sequence.codedSize.height + unit - 1) / unit
    // §A.4.2: 20 columns and 22 rows at the highest level; libde265 holds 10 of each.
    let columns = 1 + (try reader.unsigned("num_tile_columns_minus1", to: min(19, width - 1)))
    let rows = 1 + (try reader.unsigned("num_tile_rows_minus1", to: min(21, height - 1)))
    if try !reader.flag() {
      for (count, whole) in [(columns, width), (rows, height)] {
        var left = whole
        for _ in 1..<max(count, 1) { left -= 1 + (try reader.unsigned("size of a tile", to: left - 1)) }
        guard left >= 1 else { throw .malformed("the PPS has tiles that leave no place for the last") }
      }
    }
    try reader.skip(1)
  }
}
