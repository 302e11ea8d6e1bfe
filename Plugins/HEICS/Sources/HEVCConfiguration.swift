// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

/// How a track's samples are decoded: the parameter sets, and how long the length before each NAL unit is.
///
/// - Format: ISO/IEC 14496-15 §8.3.3, HEVCDecoderConfigurationRecord.
struct HEVCConfiguration {
  /// VPS, SPS and PPS, in this order, checked.
  private(set) var units: [[UInt8]] = []
  let lengthBytes: Int
  private(set) var sequences: [SequenceParameters] = []
  /// By identifier; of two the later one counts.
  private(set) var pictures: [Int: PictureParameters] = [:]

  /// Pictures that wait to be shown, by the VPS, which is what libde265 goes by.
  private var reordered = 0

  /// More units than any file has.
  private static let maxUnits = 256

  init(parsing box: BoxBytes) throws(CoderError) {
    lengthBytes = Int(try box.uint8(at: 21) & 3) + 1
    guard lengthBytes != 3 else { throw .malformed("NAL units have a length of 3 bytes", at: box.offset + 21) }
    let arrays = Int(try box.uint8(at: 22))
    var place = 23
    var found: [[UInt8]] = []
    for _ in 0..<arrays {
      let count = try box.uint16(at: place + 1)
      place += 3
      for _ in 0..<count {
        let length = try box.uint16(at: place)
        guard found.count < Self.maxUnits else {
          throw .malformed("more than \(Self.maxUnits) parameter sets", at: box.offset + place)
        }
        found.append(try box.copy(at: place + 2, count: length))
        place += 2 + length
      }
    }
    try add(found)
  }

  /// Adds parameter sets that the first sample brings along.
  mutating func add(_ found: [[UInt8]]) throws(CoderError) {
    for type in NALUnitType.parameterSets {
      for unit in found where NALUnit.type(of: unit) == type && !units.contains(unit) {
        try check(unit, type)
        units.append(unit)
      }
    }
    units.sort { (NALUnit.type(of: $0) ?? 0) < (NALUnit.type(of: $1) ?? 0) }
  }

  /// Holds a parameter set to the standard's ranges, before libde265 sees it.
  private mutating func check(_ unit: [UInt8], _ type: UInt8) throws(CoderError) {
    switch type {
    case NALUnitType.videoParameters: reordered = max(reordered, try VideoParameters.check(unit: unit))
    case NALUnitType.sequenceParameters:
      let sequence = try SequenceParameters(unit: unit)
      if let first = sequences.first {
        // One animation has one canvas and one pixel format.
        guard sequence.size == first.size, sequence.codedSize == first.codedSize,
          sequence.chromaFormat == first.chromaFormat, sequence.bitDepth == first.bitDepth
        else { throw .unsupported("parameter sets of \(first.size) and of \(sequence.size) or another pixel format") }
      }
      guard reordered < sequence.bufferedPictures else {
        throw .malformed("the VPS reorders \(reordered) pictures, the SPS buffers \(sequence.bufferedPictures)")
      }
      sequences.append(sequence)
    default:
      let picture = try PictureParameters(unit: unit, sets: sequences)
      pictures[picture.identifier] = picture
    }
  }

  /// Whether a parameter set that comes inside a sample may be shown to the decoder: one that it has already.
  func knows(_ unit: UnsafeRawBufferPointer) -> Bool {
    units.contains { $0.count == unit.count && $0.elementsEqual(unit) }
  }

  /// What all parameter sets say of the pictures.
  func sequence() throws(CoderError) -> SequenceParameters {
    guard let sequence = sequences.first else { throw .malformed("the track has no sequence parameter set") }
    let present = Set(units.compactMap { NALUnit.type(of: $0) })
    guard present.count == NALUnitType.parameterSets.count else {
      throw .malformed("the track lacks a video or picture parameter set")
    }
    return sequence
  }
}

/// Types of NAL units that matter here (ITU-T H.265 table 7-1).
enum NALUnitType {
  static let videoParameters: UInt8 = 32
  static let sequenceParameters: UInt8 = 33
  static let pictureParameters: UInt8 = 34
  static let parameterSets = [videoParameters, sequenceParameters, pictureParameters]

  /// Whether a unit is a slice of a picture; reserved types are not.
  static func isSlice(_ type: UInt8) -> Bool { type <= 9 || isIntraRandomAccess(type) }
  /// Whether decoding can start at the picture: BLA, IDR and CRA.
  static func isIntraRandomAccess(_ type: UInt8) -> Bool { (16...21).contains(type) }
  static func isBrokenLink(_ type: UInt8) -> Bool { (16...18).contains(type) }
  static func isInstantaneousRefresh(_ type: UInt8) -> Bool { type == 19 || type == 20 }
  /// Whether the picture leads a random access picture; such ones are skipped when decoding starts there.
  static func isSkippedLeading(_ type: UInt8) -> Bool { type == 8 || type == 9 }
  /// Whether places of later pictures do not go by this one: leading pictures, and those that no picture of their
  /// sub-layer refers to.
  static func isPassing(_ type: UInt8) -> Bool { type < 16 && type & 1 == 0 || (6...9).contains(type) }
}

/// The header of a NAL unit (ITU-T H.265 §7.3.1.2).
enum NALUnit {
  /// The type, or nil for a unit that no decoder of the base layer looks at.
  static func type(of unit: some Collection<UInt8>) -> UInt8? {
    var bytes = unit.makeIterator()
    guard let first = bytes.next(), let second = bytes.next() else { return nil }
    // forbidden_zero_bit, nuh_layer_id and nuh_temporal_id_plus1
    guard first & 0x81 == 0, second & 0xF8 == 0, second & 7 != 0 else { return nil }
    return first >> 1
  }
}

/// A video parameter set, which is checked and left to libde265.
enum VideoParameters {
  /// Reads video_parameter_set_rbsp() (ITU-T H.265 §7.3.2.1) up to its layer sets.
  ///
  /// - Returns: How many pictures are reordered at most.
  static func check(unit: [UInt8]) throws(CoderError) -> Int {
    var reader = BitReader(unit: unit, what: "the VPS")
    var reordered = 0
    try reader.skip(4 + 2)
    _ = try reader.bits(6)
    let subLayers = try reader.bits(3)
    guard subLayers <= 6 else { throw .malformed("the VPS has \(subLayers + 1) sub-layers, 7 are the most") }
    try reader.skip(1 + 16)
    try reader.skip(88 + 8)
    if subLayers > 0 {
      var bits = 0
      for _ in 0..<subLayers {
        if try reader.flag() { bits += 88 }
        if try reader.flag() { bits += 8 }
      }
      try reader.skip(2 * (8 - subLayers) + bits)
    }
    let first = try reader.flag() ? 0 : subLayers
    for _ in first...subLayers {
      let buffered = 1 + (try reader.unsigned("vps_max_dec_pic_buffering", to: 15))
      reordered = max(reordered, try reader.unsigned("vps_max_num_reorder_pics", to: buffered - 1))
      _ = try reader.unsigned("vps_max_latency_increase", to: Int(UInt32.max) - 1)
    }
    let layer = try reader.bits(6)
    let sets = try reader.unsigned("vps_num_layer_sets_minus1", to: 1_023)
    guard layer == 0, sets == 0 else {
      throw .unsupported("a bitstream of \(layer + 1) layers in \(sets + 1) sets, one is read")
    }
    return reordered
  }
}
