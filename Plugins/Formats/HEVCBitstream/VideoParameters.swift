// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A video parameter set, which is checked and left to libde265.
struct VideoParameters {
  /// Pictures that wait to be shown at most.
  private(set) var reordered = 0

  /// Reads video_parameter_set_rbsp() (ITU-T H.265 §7.3.2.1) up to its layer sets.
  init(parsing bits: inout BitReader) throws(CoderError) {
    try bits.skip(4 + 2 + 6, "vps_video_parameter_set_id")
    let subLayers = try bits.number(3, "vps_max_sub_layers_minus1")
    guard subLayers <= 6 else { throw .malformed("the VPS has \(subLayers + 1) sub-layers, 7 are the most") }
    try bits.skip(1 + 16)
    try ProfileTierLevel.skip(&bits, subLayers: subLayers)
    let first = try bits.flag() ? 0 : subLayers
    for _ in first...subLayers {
      let buffered = 1 + (try bits.unsigned("vps_max_dec_pic_buffering_minus1", to: 15))
      reordered = max(reordered, try bits.unsigned("vps_max_num_reorder_pics", to: buffered - 1))
      _ = try bits.unsigned("vps_max_latency_increase_plus1", to: Int(UInt32.max) - 1)
    }
    // Of several layers, the base is decoded (§F.4): units of the others are left out.
    try bits.skip(6, "vps_max_layer_id")
    _ = try bits.unsigned("vps_num_layer_sets_minus1", to: 1_023)
  }
}

/// profile_tier_level() (ITU-T H.265 §7.3.3).
enum ProfileTierLevel {
  /// - Returns: general_profile_idc.
  @discardableResult
  static func skip(_ bits: inout BitReader, subLayers: Int) throws(CoderError) -> Int {
    try bits.skip(3, "the profile")
    let profile = try bits.number(5, "general_profile_idc")
    try bits.skip(32 + 48 + 8, "the profile")
    guard subLayers > 0 else { return profile }
    var length = 2 * (8 - subLayers)
    for _ in 0..<subLayers {
      if try bits.flag("sub_layer_profile_present_flag") { length += 88 }
      if try bits.flag("sub_layer_level_present_flag") { length += 8 }
    }
    try bits.skip(length, "the profiles of sub-layers")
    return profile
  }
}
