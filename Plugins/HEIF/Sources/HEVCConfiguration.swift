// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

/// The configuration of an HEVC item (ISO/IEC 14496-15 §8.3.3.1): how its bytes are cut up, and its parameter sets.
struct HEVCConfiguration {
  /// Bytes of the number before each NAL unit: 1, 2 or 4.
  let lengthSize: Int
  /// Where the parameter sets lie in the file.
  let units: [Range<Int>]
  /// From the first sequence parameter set.
  let sequence: SequenceParameters?
  /// Whether the picture parameter sets allow blocks without loss.
  let allowsBypass: Bool

  /// The type of a NAL unit (H.265 §7.4.2.2).
  static func type(of header: UInt8) -> Int { Int(header >> 1 & 0x3F) }
  static let sequenceUnit = 33
  static let pictureUnit = 34

  init(parsing box: FileBox, in file: FileBytes) throws(CoderError) {
    var bytes = FileBoxReader(file, in: box.payload)
    try bytes.skip(21, of: "the HEVC configuration")
    lengthSize = try bytes.uint8("the HEVC configuration") & 3 + 1
    guard lengthSize != 3 else { throw .malformed("lengths of 3 bytes before NAL units", at: bytes.offset) }
    let arrays = try bytes.uint8("the HEVC configuration")
    var units: [Range<Int>] = []
    var sequence: SequenceParameters?
    var allowsBypass = false
    for _ in 0..<arrays {
      _ = try bytes.uint8("a parameter set's type")
      let count = try bytes.uint16("the number of parameter sets")
      for _ in 0..<count {
        let length = try bytes.uint16("a parameter set's length")
        let start = bytes.offset
        try bytes.skip(length, of: "a parameter set")
        guard length > 2 else { continue }
        units.append(start..<start + length)
        let unit = file.bytes(in: start..<start + length)
        switch Self.type(of: unit[0]) {
        case Self.sequenceUnit where sequence == nil: sequence = try SequenceParameters(parsing: unit, at: start)
        case Self.pictureUnit: allowsBypass = (try? Self.bypass(of: unit, at: start)) ?? false
        default: continue
        }
      }
    }
    self.units = units
    self.sequence = sequence
    self.allowsBypass = allowsBypass
  }

  /// transquant_bypass_enabled_flag of a picture parameter set (H.265 §7.3.2.3).
  private static func bypass(of unit: UnsafeRawBufferPointer, at offset: Int) throws(CoderError) -> Bool {
    var bits = BitReader(unit, skipping: 2, at: offset)
    _ = try bits.exponential()  // pps_pic_parameter_set_id
    _ = try bits.exponential()  // pps_seq_parameter_set_id
    try bits.skip(2 + 3 + 2)  // up to cabac_init_present_flag
    _ = try bits.exponential()  // num_ref_idx_l0_default_active_minus1
    _ = try bits.exponential()  // num_ref_idx_l1_default_active_minus1
    _ = try bits.exponential()  // init_qp_minus26, se(v), as many bits
    try bits.skip(2)  // constrained_intra_pred_flag, transform_skip_enabled_flag
    if try bits.read(1) == 1 { _ = try bits.exponential() }  // cu_qp_delta_enabled_flag, diff_cu_qp_delta_depth
    _ = try bits.exponential()  // pps_cb_qp_offset
    _ = try bits.exponential()  // pps_cr_qp_offset
    try bits.skip(1 + 2)  // pps_slice_chroma_qp_offsets_present_flag, weighted prediction
    return try bits.read(1) == 1
  }
}
