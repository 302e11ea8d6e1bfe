// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import HEVCBitstream

/// What parameter sets may say: each field at the end of its range, and one beyond.
@Suite struct ParameterSetTests {
  private typealias Change = @Sendable (inout ParameterSets) -> Void

  private func configuration(_ change: Change = { _ in }) throws(CoderError) -> HEVCConfiguration {
    var sets = ParameterSets()
    change(&sets)
    return try HEVCConfiguration(of: sets.record)
  }

  private func refusal(_ change: Change) -> CoderError? {
    do throws(CoderError) {
      _ = try configuration(change)
      return nil
    } catch {
      return error
    }
  }

  // The bits of the sequence parameter set, worked out by hand:
  //   video parameter set 0, 1 sub-layer, nested: 0000 000 1
  //   profile 1: 00000001, compatibility: 32 × 0, flags: 48 × 0, level 30: 00011110
  //   identifier 0: 1 · chroma 4:2:0: 010 · width 64, height 64: 0000001000001 0000001000001 · no window: 0
  //   8 bits of luma and chroma: 1 1 · 8 bits of order: 00101 · highest sub-layer alone: 0
  //   1 picture: 1, none reordered: 1, latency: 1 · coding 8 to 64: 1 00100 · transform 4 to 32: 1 00100
  //   depths 0: 1 1 · scaling lists, asymmetric, offset, pulse: 0 0 0 0 · no sets of references: 1, no long-term ones: 0
  //   motion vectors, smoothing: 0 0 · VUI, extension: 0 0 · end: 1
  private static let sequence: [UInt8] = [
    0x42, 0x01, 0x01, 0x01, 0, 0, 3, 0, 0, 3, 0, 0, 3, 0, 0, 3, 0, 0, 0x1E,
    0b1010_0000, 0b0010_0000, 0b1000_0001, 0b0000_0101, 0b1001_0101, 0b1110_0100, 0b1001_0011, 0b0000_1000, 0b0010_0000,
  ]

  @Test func theBuilderPutsTheBitsThatWereWorkedOutByHand() {
    #expect(ParameterSets().sequence.unit == Self.sequence)
  }

  @Test func readsAValidSet() throws {
    let sequence = try SequenceParameters(parsing: Self.sequence.span.bytes)
    #expect(sequence.codedSize == Size(width: 64, height: 64))
    #expect(sequence.size == Size(width: 64, height: 64))
    #expect(sequence.chromaFormat == .half)
    #expect(sequence.bitDepth == 8)
    #expect(sequence.blockSide == 64)
    #expect(sequence.bufferedPictures == 1)
    #expect(sequence.log2OrderCount == 8)
    #expect(!sequence.signal.hasDescription)
  }

  @Test func aWindowCountsInUnitsOfChroma() throws {
    let half = try configuration { $0.sequence.window = [1, 2, 3, 4] }
    #expect(half.sequences[0].size == Size(width: 58, height: 50))
    let full = try configuration {
      $0.sequence.chromaFormat = 3
      $0.sequence.window = [1, 2, 3, 4]
    }
    #expect(full.sequences[0].size == Size(width: 61, height: 57))
  }

  @Test func readsColors() throws {
    let signal = try configuration {
      $0.sequence.fullRange = true
      $0.sequence.points = [9, 16, 8]
    }.sequences[0].signal
    #expect(signal.points == CodingIndependentCodePoints(primaries: 9, transfer: 16, matrix: 8, isFullRange: true))
    #expect(signal.hasDescription)
    let range = try configuration { $0.sequence.fullRange = true }.sequences[0].signal
    #expect(range.points == CodingIndependentCodePoints(primaries: 2, transfer: 2, matrix: 2, isFullRange: true))
    #expect(!range.hasDescription)
  }

  @Test func saysWhetherBlocksMayBeWithoutLoss() throws {
    #expect(try !configuration().allowsBypass)
    #expect(try configuration { $0.picture.allowsBypass = true }.allowsBypass)
  }

  /// Values that are allowed, next to those of the tests below.
  private static let accepted: [(String, Change)] = [
    ("7 sub-layers", { ($0.video.subLayers, $0.sequence.subLayers) = (6, 6) }),
    ("2 layers in 2 sets", { ($0.video.maxLayer, $0.video.layerSets) = (1, 1) }),
    ("profile 5", { $0.sequence.profile = 5 }),
    ("SPS 15", { ($0.sequence.identifier, $0.picture.sequence) = (15, 15) }),
    ("12 bits", { $0.sequence.depths = [4, 4] }),
    ("gray with 12 bits of absent chroma", { ($0.sequence.chromaFormat, $0.sequence.depths) = (0, [0, 4]) }),
    ("16 bits of order", { $0.sequence.orderBits = 12 }),
    ("16 pictures", { ($0.video.buffered, $0.sequence.buffered, $0.sequence.reordered) = (15, 15, 15) }),
    ("blocks of 16", { ($0.sequence.coding, $0.sequence.transform) = ([0, 1], [0, 2]) }),
    ("the deepest transforms", { ($0.sequence.depthInter, $0.sequence.depthIntra) = (4, 4) }),
    ("a delta of -128", { $0.sequence.scalingDelta = -128 }),
    ("pulses of 8 bits", { $0.sequence.pulse = [7, 7, 0, 2] }),
    ("1 reference", { ($0.sequence.referenceSets, $0.sequence.buffered) = ([1, 1], 1) }),
    ("PPS 63", { $0.picture.identifier = 63 }),
    ("15 references", { $0.picture.references = [14, 14] }),
    ("a quantizer of 0", { $0.picture.initialQuantizer = -26 }),
    ("offsets of 12", { $0.picture.chromaOffsets = [12, -12] }),
    ("the smallest quantizer groups", { $0.picture.quantizerDepth = 3 }),
    ("filter offsets of 6", { $0.picture.filterOffsets = [6, -6] }),
    ("merging in whole blocks", { $0.picture.mergeLevel = 4 }),
    (
      "2 tiles of a block each",
      { ($0.sequence.width, $0.picture.tiles) = (128, (columns: 1, rows: 0, sizes: [0])) }
    ),
  ]

  @Test(arguments: accepted.indices) func accepts(_ index: Int) {
    let (name, change) = Self.accepted[index]
    #expect(refusal(change) == nil, "\(name)")
  }

  /// Values that are not: what the message says of each.
  private static let refused: [(CoderError.Code, String, Change)] = [
    (.malformed, "the VPS has 8 sub-layers, 7 are the most", { $0.video.subLayers = 7 }),
    (.malformed, "vps_max_dec_pic_buffering_minus1 of the VPS is 16, 15 is the most", { $0.video.buffered = 16 }),
    (.malformed, "vps_max_num_reorder_pics of the VPS is 1, 0 is the most", { $0.video.reordered = 1 }),
    (.malformed, "the SPS has 8 sub-layers, 7 are the most", { $0.sequence.subLayers = 7 }),
    (.unsupported, "a bitstream of profile 6, 1 to 5 are read", { $0.sequence.profile = 6 }),
    (.malformed, "sps_seq_parameter_set_id of the SPS is 16, 15 is the most", { $0.sequence.identifier = 16 }),
    (.malformed, "chroma_format_idc of the SPS is 4, 3 is the most", { $0.sequence.chromaFormat = 4 }),
    (
      .unsupported, "the bitstream has separate color planes",
      { ($0.sequence.chromaFormat, $0.sequence.hasSeparatePlanes) = (3, true) }
    ),
    (.malformed, "the SPS has a picture of 0×64", { $0.sequence.width = 0 }),
    (.malformed, "pic_height_in_luma_samples of the SPS is 65536, 65535 is the most", { $0.sequence.height = 65_536 }),
    (
      .malformed, "the SPS has a conformance window that leaves 0×64 of 64×64",
      { $0.sequence.window = [16, 16, 0, 0] }
    ),
    (.unsupported, "13 bits of luma and 13 of chroma; 8 to 12", { $0.sequence.depths = [5, 5] }),
    (.unsupported, "8 bits of luma and 9 of chroma; 8 to 12", { $0.sequence.depths = [0, 1] }),
    (.malformed, "bit_depth_luma_minus8 of the SPS is 9, 8 is the most", { $0.sequence.depths = [9, 0] }),
    (
      .unsupported, "13 bits of chroma, 12 are read",
      { ($0.sequence.chromaFormat, $0.sequence.depths) = (0, [0, 5]) }
    ),
    (
      .malformed, "log2_max_pic_order_cnt_lsb_minus4 of the SPS is 13, 12 is the most", { $0.sequence.orderBits = 13 }
    ),
    (
      .malformed, "sps_max_dec_pic_buffering_minus1 of the SPS is 16, 15 is the most", { $0.sequence.buffered = 16 }
    ),
    (.malformed, "the SPS reorders 1 pictures and buffers 1", { $0.sequence.reordered = 1 }),
    (
      .malformed, "the VPS reorders 1 pictures, the SPS buffers 1",
      { ($0.video.buffered, $0.video.reordered) = (1, 1) }
    ),
    (.malformed, "the SPS has coding blocks of 2^3 to 2^3", { $0.sequence.coding = [0, 0] }),
    (.malformed, "the SPS has coding blocks of 2^4 to 2^7", { $0.sequence.coding = [1, 3] }),
    (
      .malformed, "and transform blocks of 2^3 to 2^5 samples for 64×64", { $0.sequence.transform = [1, 2] }
    ),
    (.malformed, "and transform blocks of 2^2 to 2^5 samples for 68×64", { $0.sequence.width = 68 }),
    (
      .malformed, "max_transform_hierarchy_depth_inter of the SPS is 5, 4 is the most", { $0.sequence.depthInter = 5 }
    ),
    (
      .malformed, "max_transform_hierarchy_depth_intra of the SPS is 5, 4 is the most", { $0.sequence.depthIntra = 5 }
    ),
    (.malformed, "scaling_list_delta_coef of the SPS is", { $0.sequence.scalingDelta = 129 }),
    (
      .malformed, "scaling_list_pred_matrix_id_delta of the SPS is 1, 0 is the most",
      { $0.sequence.scalingReference = 1 }
    ),
    (.malformed, "PCM samples of 9 and 8 bits in blocks of 2^3 to 2^5", { $0.sequence.pulse = [8, 7, 0, 2] }),
    (.malformed, "PCM samples of 8 and 16 bits in blocks of 2^3 to 2^5", { $0.sequence.pulse = [7, 15, 0, 2] }),
    (.malformed, "PCM samples of 8 and 8 bits in blocks of 2^4 to 2^6", { $0.sequence.pulse = [7, 7, 1, 2] }),
    (
      .malformed, "PCM samples of 8 and 8 bits in blocks of 2^3 to 2^3; 8 bits and 2^4 to 2^5 are allowed",
      {
        $0.sequence.coding = [1, 2]
        $0.sequence.pulse = [7, 7, 0, 0]
      }
    ),
    (
      .malformed, "num_short_term_ref_pic_sets of the SPS is 65, 64 is the most", { $0.sequence.referenceSetCount = 65 }
    ),
    (.malformed, "num_negative_pics of the SPS is 16, 15 is the most", { $0.sequence.referenceSets = [16] }),
    (.malformed, "a set of 2 reference pictures, and 1 are buffered", { $0.sequence.referenceSets = [2] }),
    (
      .malformed, "num_long_term_ref_pics_sps of the SPS is 33, 32 is the most", { $0.sequence.longTermCount = 33 }
    ),
    (.malformed, "pps_pic_parameter_set_id of the PPS is 64, 63 is the most", { $0.picture.identifier = 64 }),
    (.malformed, "the PPS refers to SPS 1, which is not there", { $0.picture.sequence = 1 }),
    (
      .malformed, "num_ref_idx_l0_default_active_minus1 of the PPS is 15, 14 is the most",
      { $0.picture.references = [15, 0] }
    ),
    (
      .malformed, "num_ref_idx_l1_default_active_minus1 of the PPS is 15, 14 is the most",
      { $0.picture.references = [0, 15] }
    ),
    (.malformed, "init_qp_minus26 of the PPS is", { $0.picture.initialQuantizer = -27 }),
    (.malformed, "diff_cu_qp_delta_depth of the PPS is 4, 3 is the most", { $0.picture.quantizerDepth = 4 }),
    (.malformed, "pps_cb_qp_offset of the PPS is", { $0.picture.chromaOffsets = [13, 0] }),
    (.malformed, "pps_cr_qp_offset of the PPS is", { $0.picture.chromaOffsets = [0, -13] }),
    (
      .malformed, "num_tile_columns_minus1 of the PPS is 1, 0 is the most",
      { $0.picture.tiles = (columns: 1, rows: 0, sizes: nil) }
    ),
    (
      .malformed, "num_tile_rows_minus1 of the PPS is 22, 21 is the most",
      { ($0.sequence.height, $0.picture.tiles) = (64 * 30, (columns: 0, rows: 22, sizes: nil)) }
    ),
    (
      .malformed, "the size of a tile of the PPS is 2, 1 is the most",
      { ($0.sequence.width, $0.picture.tiles) = (128, (columns: 1, rows: 0, sizes: [2])) }
    ),
    (
      .malformed, "the PPS has tiles that leave no place for the last",
      { ($0.sequence.width, $0.picture.tiles) = (128, (columns: 1, rows: 0, sizes: [1])) }
    ),
    (.malformed, "pps_beta_offset_div2 of the PPS is", { $0.picture.filterOffsets = [7, 0] }),
    (.malformed, "pps_tc_offset_div2 of the PPS is", { $0.picture.filterOffsets = [0, -7] }),
    (.malformed, "the PPS has scaling lists, the SPS allows none", { $0.picture.hasScalingLists = true }),
    (.malformed, "log2_parallel_merge_level_minus2 of the PPS is 5, 4 is the most", { $0.picture.mergeLevel = 5 }),
  ]

  @Test(arguments: refused.indices) func refuses(_ index: Int) {
    let (code, message, change) = Self.refused[index]
    let error = refusal(change)
    #expect(error?.code == code, "\(message): \(String(describing: error))")
    #expect(error?.message.contains(message) == true, "\(message): \(String(describing: error))")
  }

  @Test func aSetThatIsCutIsMalformed() throws {
    let sets = ParameterSets()
    for unit in [sets.video.unit, sets.sequence.unit, sets.picture.unit] {
      // The last byte may hold nothing but the end.
      for count in 2..<unit.count - 1 {
        let units = [sets.video.unit, sets.sequence.unit, sets.picture.unit]
        let changed = units.map { $0 == unit ? Array(unit.prefix(count)) : $0 }
        #expect(throws: CoderError.self) { _ = try HEVCConfiguration(of: ParameterSets.record(changed)) }
      }
    }
  }

  @Test func theHighestLevelHasASide() throws {
    let large = try configuration { ($0.sequence.width, $0.sequence.height) = (16_888, 64) }
    #expect(throws: Never.self) { try large.sequences[0].checkCodedSize() }
    let larger = try configuration { ($0.sequence.width, $0.sequence.height) = (16_896, 64) }
    let message = "a coded picture of 16896×64, the highest level has 16888 samples on a side"
    #expect(throws: CoderError.unsupported(message)) {
      try larger.sequences[0].checkCodedSize()
    }
  }
}

extension HEVCConfiguration {
  init(of record: [UInt8]) throws(CoderError) {
    var reader = ByteReader(record.span.bytes, of: "hvcC", isCutOff: false)
    try self.init(parsing: &reader)
  }
}
