// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// What a sequence parameter set says that the container does not, read before libde265 sees it.
///
/// Every field is held to the range that the standard gives it, because libde265 takes memory by them, and ends the
/// process for some that are out of range.
///
/// - Format: ITU-T H.265 (V10) §7.3.2.2, §7.4.3.2. Not covered: what follows the color description of the VUI.
public struct SequenceParameters: Equatable, Sendable {
  private(set) var identifier = 0
  public private(set) var chromaFormat = ChromaFormat.half
  /// Samples as coded, a multiple of the smallest coding block.
  public private(set) var codedSize = Size(width: 0, height: 0)
  /// Samples inside the conformance window.
  public private(set) var size = Size(width: 0, height: 0)
  /// The bit depth of luma, and of chroma where there is any.
  public private(set) var bitDepth = 8
  private(set) var log2CodingTree = 4
  private(set) var hasScalingLists = false
  /// Pictures that the decoder may have to hold, this one included.
  public private(set) var bufferedPictures = 1
  public private(set) var signal = VideoSignal()
  /// Bits of a picture's place in the order in which pictures are shown.
  private(set) var log2OrderCount = 4
  private(set) var referenceSets: [ReferencePictureSet] = []
  private(set) var hasLongTerm = false
  private(set) var longTerm: [LongTermReference] = []
  private var log2LargestPulse = 5
  private var log2SmallestCoding = 3

  /// The side of a coding tree block: 16, 32 or 64.
  public var blockSide: Int { 1 << log2CodingTree }

  /// A picture that is kept for long, by the lower bits of its place.
  struct LongTermReference: Equatable, Sendable {
    let order: Int
    let isUsed: Bool
  }

  /// - Parameters:
  ///   - unit: A NAL unit of type 33, with its header of two bytes.
  ///   - fileOffset: Where it lies in the file, for errors.
  /// - Throws: ``CoderError/Code/malformed``; ``CoderError/Code/unsupported`` for what libde265 does not decode.
  public init(parsing unit: RawSpan, at fileOffset: Int = 0) throws(CoderError) {
    let payload = NALUnit.payload(of: unit)
    var bits = BitReader(payload.span.bytes, at: fileOffset, of: "the SPS")
    try bits.skip(4, "sps_video_parameter_set_id")
    let subLayers = try bits.number(3, "sps_max_sub_layers_minus1")
    guard subLayers <= 6 else { throw .malformed("the SPS has \(subLayers + 1) sub-layers, 7 are the most") }
    try bits.skip(1)
    let profile = try ProfileTierLevel.skip(&bits, subLayers: subLayers)
    // §A.3: 1 to 3 are Main, Main 10 and Main Still Picture, 4 the range extensions; 5 has no more tools than 4.
    guard profile <= 5 else { throw .unsupported("a bitstream of profile \(profile), 1 to 5 are read") }
    identifier = try bits.unsigned("sps_seq_parameter_set_id", to: 15)
    let format = try bits.unsigned("chroma_format_idc", to: 3)
    chromaFormat = ChromaFormat(rawValue: format) ?? .full
    if chromaFormat == .full, try bits.flag("separate_colour_plane_flag") {
      throw .unsupported("the bitstream has separate color planes")
    }
    try readSize(&bits)
    try readDepths(&bits)
    try readBuffers(&bits, subLayers: subLayers)
    try readBlocks(&bits)
    try readTools(&bits)
    // vui_parameters_present_flag
    guard try bits.flag() else { return }
    signal = try VideoSignal(parsing: &bits)
  }

  private mutating func readSize(_ bits: inout BitReader) throws(CoderError) {
    let width = try bits.unsigned("pic_width_in_luma_samples", to: 65_535)
    let height = try bits.unsigned("pic_height_in_luma_samples", to: 65_535)
    codedSize = Size(width: width, height: height)
    guard !codedSize.isEmpty else { throw .malformed("the SPS has a picture of \(codedSize)") }
    size = codedSize
    guard try bits.flag("conformance_window_flag") else { return }
    let left = try bits.unsigned("conf_win_left_offset", to: 65_535)
    let right = try bits.unsigned("conf_win_right_offset", to: 65_535)
    let top = try bits.unsigned("conf_win_top_offset", to: 65_535)
    let bottom = try bits.unsigned("conf_win_bottom_offset", to: 65_535)
    size = Size(
      width: width - (left + right) * chromaFormat.width, height: height - (top + bottom) * chromaFormat.height)
    guard !size.isEmpty else {
      throw .malformed("the SPS has a conformance window that leaves \(size) of \(codedSize)")
    }
  }

  private mutating func readDepths(_ bits: inout BitReader) throws(CoderError) {
    let luma = 8 + (try bits.unsigned("bit_depth_luma_minus8", to: 8))
    let chroma = 8 + (try bits.unsigned("bit_depth_chroma_minus8", to: 8))
    guard luma <= 12, chroma == luma || chromaFormat == .monochrome else {
      throw .unsupported("\(luma) bits of luma and \(chroma) of chroma; 8 to 12 are read, the same of both")
    }
    // libde265 goes by the depth of chroma even where there is none.
    guard chroma <= 12 else { throw .unsupported("\(chroma) bits of chroma, 12 are read") }
    bitDepth = luma
  }

  private mutating func readBuffers(_ bits: inout BitReader, subLayers: Int) throws(CoderError) {
    log2OrderCount = 4 + (try bits.unsigned("log2_max_pic_order_cnt_lsb_minus4", to: 12))
    let first = try bits.flag() ? 0 : subLayers
    for _ in first...subLayers {
      let buffered = 1 + (try bits.unsigned("sps_max_dec_pic_buffering_minus1", to: 15))
      let reordered = try bits.unsigned("sps_max_num_reorder_pics", to: 15)
      guard reordered < buffered else {
        throw .malformed("the SPS reorders \(reordered) pictures and buffers \(buffered)")
      }
      _ = try bits.unsigned("sps_max_latency_increase_plus1", to: Int(UInt32.max) - 1)
      bufferedPictures = max(bufferedPictures, buffered)
    }
  }

  private mutating func readBlocks(_ bits: inout BitReader) throws(CoderError) {
    let smallest = 3 + (try bits.unsigned("log2_min_luma_coding_block_size_minus3", to: 3))
    log2CodingTree = smallest + (try bits.unsigned("log2_diff_max_min_luma_coding_block_size", to: 3))
    let smallestTransform = 2 + (try bits.unsigned("log2_min_luma_transform_block_size_minus2", to: 3))
    let largestTransform =
      smallestTransform + (try bits.unsigned("log2_diff_max_min_luma_transform_block_size", to: 3))
    guard (4...6).contains(log2CodingTree), smallestTransform < smallest, largestTransform <= min(log2CodingTree, 5),
      codedSize.width % (1 << smallest) == 0, codedSize.height % (1 << smallest) == 0
    else {
      throw .malformed(
        "the SPS has coding blocks of 2^\(smallest) to 2^\(log2CodingTree) and transform blocks of "
          + "2^\(smallestTransform) to 2^\(largestTransform) samples for \(codedSize)")
    }
    _ = try bits.unsigned("max_transform_hierarchy_depth_inter", to: log2CodingTree - smallestTransform)
    _ = try bits.unsigned("max_transform_hierarchy_depth_intra", to: log2CodingTree - smallestTransform)
    hasScalingLists = try bits.flag("scaling_list_enabled_flag")
    if hasScalingLists, try bits.flag("sps_scaling_list_data_present_flag") { try ScalingLists.check(&bits) }
    log2LargestPulse = min(log2CodingTree, 5)
    log2SmallestCoding = smallest
  }

  private mutating func readTools(_ bits: inout BitReader) throws(CoderError) {
    // amp_enabled_flag, sample_adaptive_offset_enabled_flag
    try bits.skip(2)
    if try bits.flag("pcm_enabled_flag") {
      let luma = 1 + (try bits.number(4, "pcm_sample_bit_depth_luma_minus1"))
      let chroma = 1 + (try bits.number(4, "pcm_sample_bit_depth_chroma_minus1"))
      let low = 3 + (try bits.unsigned("log2_min_pcm_luma_coding_block_size_minus3", to: 2))
      let high = low + (try bits.unsigned("log2_diff_max_min_pcm_luma_coding_block_size", to: 2))
      guard luma <= bitDepth, chroma <= bitDepth, low >= min(log2SmallestCoding, 5), high <= log2LargestPulse else {
        throw .malformed(
          "the SPS has PCM samples of \(luma) and \(chroma) bits in blocks of 2^\(low) to 2^\(high); "
            + "\(bitDepth) bits and 2^\(min(log2SmallestCoding, 5)) to 2^\(log2LargestPulse) are allowed")
      }
      try bits.skip(1)
    }
    referenceSets = try ReferencePictureSet.sets(&bits, bufferedPictures: bufferedPictures)
    hasLongTerm = try bits.flag("long_term_ref_pics_present_flag")
    if hasLongTerm {
      let count = try bits.unsigned("num_long_term_ref_pics_sps", to: 32)
      for _ in 0..<count {
        longTerm.append(
          LongTermReference(
            order: try bits.number(log2OrderCount, "lt_ref_pic_poc_lsb_sps"), isUsed: try bits.flag()))
      }
    }
    // sps_temporal_mvp_enabled_flag, strong_intra_smoothing_enabled_flag
    try bits.skip(2)
  }

  /// ITU-T H.265 §A.4.1: pictures of the highest level have at most 16,888 samples on a side. The conformance window may
  /// hide most of them, so the canvas does not tell.
  ///
  /// - Throws: ``CoderError/Code/unsupported``.
  public func checkCodedSize() throws(CoderError) {
    guard codedSize.width > 16_888 || codedSize.height > 16_888 else { return }
    throw .unsupported("a coded picture of \(codedSize), the highest level has 16888 samples on a side")
  }
}
