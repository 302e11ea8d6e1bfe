// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What a sequence parameter set says that the container does not, read before libde265 sees it.
///
/// Every field is held to the range that the standard gives it, because libde265 takes memory by them, and ends the
/// process for some that are out of range.
///
/// - Format: ITU-T H.265 (V10) §7.3.2.2, §7.4.3.2. Not covered: what follows the color description of the VUI.
struct SequenceParameters: Equatable {
  var identifier = 0
  /// 0 to 3: 4:0:0, 4:2:0, 4:2:2, 4:4:4.
  var chromaFormat = 1
  /// Samples as coded, a multiple of the smallest coding block.
  var codedSize = Size(width: 0, height: 0)
  /// Samples inside the conformance window.
  var size = Size(width: 0, height: 0)
  var bitDepth = 8
  var log2CodingTree = 4
  var hasScalingLists = false
  /// Pictures that the decoder may have to hold, this one included.
  var bufferedPictures = 1
  var color = VideoColor()
  /// Bits of a picture's place in the order in which pictures are shown.
  var log2OrderCount = 4
  var referenceSets: [ReferencePictureSet] = []
  var hasLongTerm = false
  var longTerm: [LongTermReference] = []

  /// A picture that is kept for long, by the lower bits of its place.
  struct LongTermReference: Equatable {
    let order: Int
    let isUsed: Bool
  }

  init(unit: [UInt8]) throws(CoderError) {
    var reader = BitReader(unit: unit, what: "the SPS")
    try reader.skip(4)
    let subLayers = try reader.bits(3)
    guard subLayers <= 6 else { throw .malformed("the SPS has \(subLayers + 1) sub-layers, 7 are the most") }
    try reader.skip(1)
    try Self.readProfile(&reader, subLayers: subLayers)
    identifier = try reader.unsigned("identifier", to: 15)
    chromaFormat = try reader.unsigned("chroma_format_idc", to: 3)
    if chromaFormat == 3, try reader.flag() { throw .unsupported("the bitstream has separate color planes") }
    try readSize(&reader)
    try readDepths(&reader)
    try readBuffers(&reader, subLayers: subLayers)
    try readBlocks(&reader)
    try readTools(&reader)
    // vui_parameters(), §E.2.1
    guard try reader.flag() else { return }
    color = try VideoColor(vui: &reader)
  }

  private mutating func readSize(_ reader: inout BitReader) throws(CoderError) {
    let width = try reader.unsigned("width", to: 65_535)
    let height = try reader.unsigned("height", to: 65_535)
    codedSize = Size(width: width, height: height)
    guard !codedSize.isEmpty else { throw .malformed("the SPS has a picture of \(codedSize)") }
    size = codedSize
    guard try reader.flag() else { return }
    let unitX = chromaFormat == 1 || chromaFormat == 2 ? 2 : 1
    let unitY = chromaFormat == 1 ? 2 : 1
    let left = try reader.unsigned("conformance window", to: 65_535)
    let right = try reader.unsigned("conformance window", to: 65_535)
    let top = try reader.unsigned("conformance window", to: 65_535)
    let bottom = try reader.unsigned("conformance window", to: 65_535)
    size = Size(width: width - (left + right) * unitX, height: height - (top + bottom) * unitY)
    guard !size.isEmpty else {
      throw .malformed("the SPS has a conformance window that leaves \(size) of \(codedSize)")
    }
  }

  private mutating func readDepths(_ reader: inout BitReader) throws(CoderError) {
    let luma = 8 + (try reader.unsigned("bit depth", to: 8))
    let chroma = 8 + (try reader.unsigned("bit depth", to: 8))
    guard luma <= 12, chroma == luma || chromaFormat == 0 else {
      throw .unsupported("\(luma) bits of luma and \(chroma) of chroma; 8 to 12 are read, the same of both")
    }
    // libde265 goes by the depth of chroma even where there is none.
    guard chroma <= 12 else { throw .unsupported("\(chroma) bits of chroma, 12 are read") }
    bitDepth = luma
  }

  private mutating func readBuffers(_ reader: inout BitReader, subLayers: Int) throws(CoderError) {
    log2OrderCount = 4 + (try reader.unsigned("log2_max_pic_order_cnt_lsb", to: 12))
    let first = try reader.flag() ? 0 : subLayers
    for _ in first...subLayers {
      let buffered = 1 + (try reader.unsigned("sps_max_dec_pic_buffering", to: 15))
      let reordered = try reader.unsigned("sps_max_num_reorder_pics", to: 15)
      guard reordered < buffered else {
        throw .malformed("the SPS reorders \(reordered) pictures and buffers \(buffered)")
      }
      _ = try reader.unsigned("sps_max_latency_increase", to: Int(UInt32.max) - 1)
      bufferedPictures = max(bufferedPictures, buffered)
    }
  }

  private mutating func readBlocks(_ reader: inout BitReader) throws(CoderError) {
    let smallest = 3 + (try reader.unsigned("log2_min_luma_coding_block_size", to: 3))
    log2CodingTree = smallest + (try reader.unsigned("log2_diff_max_min_luma_coding_block_size", to: 3))
    let smallestTransform = 2 + (try reader.unsigned("log2_min_luma_transform_block_size", to: 3))
    let largestTransform =
      smallestTransform + (try reader.unsigned("log2_diff_max_min_luma_transform_block_size", to: 3))
    guard (4...6).contains(log2CodingTree), smallestTransform < smallest, largestTransform <= min(log2CodingTree, 5),
      codedSize.width % (1 << smallest) == 0, codedSize.height % (1 << smallest) == 0
    else {
      throw .malformed(
        "the SPS has coding blocks of 2^\(smallest) to 2^\(log2CodingTree) and transform blocks of "
          + "2^\(smallestTransform) to 2^\(largestTransform) samples for \(codedSize)")
    }
    _ = try reader.unsigned("max_transform_hierarchy_depth_inter", to: log2CodingTree - smallestTransform)
    _ = try reader.unsigned("max_transform_hierarchy_depth_intra", to: log2CodingTree - smallestTransform)
    hasScalingLists = try reader.flag()
    if hasScalingLists, try reader.flag() { try ScalingLists.check(&reader, chromaFormat: chromaFormat) }
    largestPulse = min(log2CodingTree, 5)
    smallestBlock = smallest
  }

  private mutating func readTools(_ reader: inout BitReader) throws(CoderError) {
    // amp_enabled_flag, sample_adaptive_offset_enabled_flag
    try reader.skip(2)
    if try reader.flag() {
      let luma = 1 + (try reader.bits(4))
      let chroma = 1 + (try reader.bits(4))
      let low = 3 + (try reader.unsigned("log2_min_pcm_luma_coding_block_size", to: 2))
      let high = low + (try reader.unsigned("log2_diff_max_min_pcm_luma_coding_block_size", to: 2))
      guard luma <= bitDepth, chroma <= bitDepth, low >= min(smallestBlock, 5), high <= largestPulse else {
        throw .malformed("the SPS has PCM samples of \(luma) and \(chroma) bits in blocks of 2^\(low) to 2^\(high)")
      }
      try reader.skip(1)
    }
    referenceSets = try ReferencePictureSet.sets(&reader, bufferedPictures: bufferedPictures)
    hasLongTerm = try reader.flag()
    if hasLongTerm {
      let count = try reader.unsigned("num_long_term_ref_pics_sps", to: 32)
      for _ in 0..<count {
        longTerm.append(LongTermReference(order: try reader.bits(log2OrderCount), isUsed: try reader.flag()))
      }
    }
    // sps_temporal_mvp_enabled_flag, strong_intra_smoothing_enabled_flag
    try reader.skip(2)
  }

  private var largestPulse = 5
  private var smallestBlock = 3

  /// profile_tier_level(), §7.3.3: which extensions of the standard the bitstream needs.
  private static func readProfile(_ reader: inout BitReader, subLayers: Int) throws(CoderError) {
    try reader.skip(3)
    let profile = try reader.bits(5)
    // §A.3: 1 to 3 are Main, Main 10 and Main Still Picture, 4 the range extensions; 5 has no more tools than 4.
    guard profile <= 5 else { throw .unsupported("a bitstream of profile \(profile), 1 to 5 are read") }
    try reader.skip(32 + 48 + 8)
    guard subLayers > 0 else { return }
    var present: [(profile: Bool, level: Bool)] = []
    for _ in 0..<subLayers { present.append((try reader.flag(), try reader.flag())) }
    try reader.skip(2 * (8 - subLayers))
    for layer in present { try reader.skip((layer.profile ? 88 : 0) + (layer.level ? 8 : 0)) }
  }
}
