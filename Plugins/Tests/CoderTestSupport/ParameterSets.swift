// SPDX-License-Identifier: Apache-2.0

/// Parameter sets of HEVC, field by field (ITU-T H.265 §7.3.2). As they are, they describe a valid still picture of 64 × 64
/// samples in one coding tree block.
public struct ParameterSets {
  public var video = Video()
  public var sequence = Sequence()
  public var picture = Picture()

  public init() {}

  public struct Video {
    public var subLayers = 0
    /// vps_max_dec_pic_buffering_minus1
    public var buffered = 0
    public var reordered = 0
    public var latency = 0
    public var maxLayer = 0
    public var layerSets = 0

    public var unit: [UInt8] {
      var bits = BitWriter()
      bits.put(0, 4)
      bits.put(3, 2)
      bits.put(0, 6)
      bits.put(subLayers, 3)
      bits.put(true)
      bits.put(0xFFFF, 16)
      putProfile(1, subLayers: subLayers, to: &bits)
      bits.put(false)  // for the highest sub-layer alone
      bits.putUnsigned(buffered)
      bits.putUnsigned(reordered)
      bits.putUnsigned(latency)
      bits.put(maxLayer, 6)
      bits.putUnsigned(layerSets)
      bits.put(0, layerSets * (maxLayer + 1))
      bits.put(0, 2)
      return nalUnit(type: 32, bits)
    }
  }

  public struct Sequence {
    public var subLayers = 0
    public var profile = 1
    public var identifier = 0
    public var chromaFormat = 1
    public var hasSeparatePlanes = false
    public var width = 64
    public var height = 64
    public var window: [Int]?
    /// bit_depth_luma_minus8, bit_depth_chroma_minus8
    public var depths = [0, 0]
    public var orderBits = 4
    public var buffered = 0
    public var reordered = 0
    public var latency = 0
    /// log2_min_luma_coding_block_size_minus3, and how much larger coding tree blocks are.
    public var coding = [0, 3]
    public var transform = [0, 3]
    public var depthInter = 0
    public var depthIntra = 0
    /// One list of 4 × 4 that is stated: its first delta.
    public var scalingDelta: Int?
    public var scalingReference: Int?
    /// Bits of luma and chroma minus 1, log2 of the smallest block minus 3, and how much larger the largest is.
    public var pulse: [Int]?
    /// num_negative_pics of each set, all of them used.
    public var referenceSets: [Int] = []
    public var referenceSetCount: Int?
    public var longTermCount: Int?
    public var fullRange: Bool?
    public var points: [Int]?

    public var unit: [UInt8] {
      var bits = BitWriter()
      bits.put(0, 4)
      bits.put(subLayers, 3)
      bits.put(true)
      putProfile(profile, subLayers: subLayers, to: &bits)
      bits.putUnsigned(identifier)
      bits.putUnsigned(chromaFormat)
      if chromaFormat == 3 { bits.put(hasSeparatePlanes) }
      bits.putUnsigned(width)
      bits.putUnsigned(height)
      bits.put(window != nil)
      for side in window ?? [] { bits.putUnsigned(side) }
      for depth in depths { bits.putUnsigned(depth) }
      bits.putUnsigned(orderBits)
      bits.put(false)
      bits.putUnsigned(buffered)
      bits.putUnsigned(reordered)
      bits.putUnsigned(latency)
      for value in coding + transform { bits.putUnsigned(value) }
      bits.putUnsigned(depthInter)
      bits.putUnsigned(depthIntra)
      putScalingLists(to: &bits)
      bits.put(0, 2)  // amp_enabled_flag, sample_adaptive_offset_enabled_flag
      bits.put(pulse != nil)
      if let pulse {
        bits.put(pulse[0], 4)
        bits.put(pulse[1], 4)
        bits.putUnsigned(pulse[2])
        bits.putUnsigned(pulse[3])
        bits.put(false)
      }
      putReferences(to: &bits)
      bits.put(0, 2)  // sps_temporal_mvp_enabled_flag, strong_intra_smoothing_enabled_flag
      putSignal(to: &bits)
      bits.put(false)  // sps_extension_present_flag
      return nalUnit(type: 33, bits)
    }

    private func putScalingLists(to bits: inout BitWriter) {
      bits.put(scalingDelta != nil || scalingReference != nil)
      guard scalingDelta != nil || scalingReference != nil else { return }
      bits.put(true)
      for list in 0..<20 {
        if list == 0, let scalingDelta {
          bits.put(true)
          for index in 0..<16 { bits.putSigned(index == 0 ? scalingDelta : 0) }
        } else {
          bits.put(false)
          bits.putUnsigned(list == 0 ? scalingReference ?? 0 : 0)
        }
      }
    }

    private func putReferences(to bits: inout BitWriter) {
      bits.putUnsigned(referenceSetCount ?? referenceSets.count)
      for (index, count) in referenceSets.enumerated() {
        if index > 0 { bits.put(false) }  // inter_ref_pic_set_prediction_flag
        bits.putUnsigned(count)
        bits.putUnsigned(0)
        for _ in 0..<count {
          bits.putUnsigned(0)
          bits.put(true)
        }
      }
      bits.put(longTermCount != nil)
      if let longTermCount { bits.putUnsigned(longTermCount) }
    }

    private func putSignal(to bits: inout BitWriter) {
      bits.put(fullRange != nil)
      guard let fullRange else { return }
      bits.put(0, 2)  // no aspect ratio, no overscan
      bits.put(true)
      bits.put(5, 3)
      bits.put(fullRange)
      bits.put(points != nil)
      for point in points ?? [] { bits.put(point, 8) }
    }
  }

  public struct Picture {
    public var identifier = 0
    public var sequence = 0
    public var references = [0, 0]
    public var initialQuantizer = 0
    public var quantizerDepth: Int?
    public var chromaOffsets = [0, 0]
    public var allowsBypass = false
    /// Columns and rows minus 1, and their sizes minus 1 unless they are uniform.
    public var tiles: (columns: Int, rows: Int, sizes: [Int]?)?
    public var filterOffsets: [Int]?
    public var hasScalingLists = false
    public var mergeLevel = 0

    public var unit: [UInt8] {
      var bits = BitWriter()
      bits.putUnsigned(identifier)
      bits.putUnsigned(sequence)
      bits.put(0, 7)
      for count in references { bits.putUnsigned(count) }
      bits.putSigned(initialQuantizer)
      bits.put(0, 2)
      bits.put(quantizerDepth != nil)
      if let quantizerDepth { bits.putUnsigned(quantizerDepth) }
      for offset in chromaOffsets { bits.putSigned(offset) }
      bits.put(0, 3)
      bits.put(allowsBypass)
      bits.put(tiles != nil)
      bits.put(false)
      if let tiles {
        bits.putUnsigned(tiles.columns)
        bits.putUnsigned(tiles.rows)
        bits.put(tiles.sizes == nil)
        for size in tiles.sizes ?? [] { bits.putUnsigned(size) }
        bits.put(true)
      }
      bits.put(false)
      bits.put(filterOffsets != nil)
      if let filterOffsets {
        bits.put(0, 2)
        for offset in filterOffsets { bits.putSigned(offset) }
      }
      bits.put(hasScalingLists)
      bits.put(false)
      bits.putUnsigned(mergeLevel)
      bits.put(0, 2)
      return nalUnit(type: 34, bits)
    }
  }

  /// HEVCDecoderConfigurationRecord (ISO/IEC 14496-15 §8.3.3.1) with lengths of 4 bytes.
  public var record: [UInt8] { Self.record([video.unit, sequence.unit, picture.unit]) }

  public static func record(_ units: [[UInt8]], lengthBytes: Int = 4) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 21) + [UInt8(lengthBytes - 1), UInt8(units.count)]
    for unit in units {
      bytes += [unit[0] >> 1, 0, 1, UInt8(unit.count >> 8), UInt8(unit.count & 0xFF)] + unit
    }
    return bytes
  }
}

/// profile_tier_level() (§7.3.3).
private func putProfile(_ profile: Int, subLayers: Int, to bits: inout BitWriter) {
  bits.put(profile, 8)
  bits.put(0, 32)
  bits.put(0, 48)
  bits.put(30, 8)
  // No sub-layer has a profile of its own.
  if subLayers > 0 { bits.put(0, 16) }
}

/// A NAL unit, with bytes that prevent start codes (§7.4.2).
private func nalUnit(type: UInt8, _ bits: BitWriter) -> [UInt8] {
  var unit = [type << 1, 1]
  var zeros = 0
  for byte in bits.payload {
    if zeros >= 2, byte <= 3 {
      unit.append(3)
      zeros = 0
    }
    unit.append(byte)
    zeros = byte == 0 ? zeros + 1 : 0
  }
  return unit
}
