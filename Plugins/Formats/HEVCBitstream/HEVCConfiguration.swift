// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// How coded pictures are decoded: the parameter sets, and how long the length before each NAL unit is.
///
/// All parameter sets are held to the standard's ranges, so that ``units`` can be shown to libde265.
///
/// - Format: ISO/IEC 14496-15 §8.3.3, HEVCDecoderConfigurationRecord.
public struct HEVCConfiguration: Sendable {
  /// VPS, SPS and PPS, in this order, checked.
  public var units: [[UInt8]] { sets.map(\.bytes) }
  /// Bytes of the length before each NAL unit: 1, 2 or 4.
  public let lengthBytes: Int
  public private(set) var sequences: [SequenceParameters] = []
  /// Picture parameter sets; of two with an identifier, the later one.
  private var pictures: [PictureParameters] = []
  private var sets: [ParameterSet] = []
  /// NAL units of messages (SEI), which libde265 is not shown.
  public private(set) var messages: [[UInt8]] = []

  /// Pictures that wait to be shown, by the VPS, which is what libde265 goes by; nil without one.
  private var reordered: Int?

  /// More units than any file has.
  private static let maxUnits = 256
  /// One of each kind.
  private static let usualUnits = 3

  /// Reads a record. Units of other types in it are passed over.
  ///
  /// - Throws: ``CoderError/Code/malformed``; ``CoderError/Code/unsupported`` for what libde265 does not decode.
  public init(parsing reader: inout ByteReader) throws(CoderError) {
    try reader.skip(21, "the profile")
    lengthBytes = Int(try reader.uint8("lengthSizeMinusOne") & 3) + 1
    guard lengthBytes != 3 else {
      throw .malformed("NAL units have a length of 3 bytes; 1, 2 and 4 are allowed", at: reader.offset &- 1)
    }
    let arrays = try reader.uint8("numOfArrays")
    var found: [ParameterSet] = []
    found.reserveCapacity(Self.usualUnits)
    for _ in 0..<arrays {
      try reader.skip(1, "NAL_unit_type")
      let count = try reader.uint16("numNalus")
      for _ in 0..<count {
        let length = Int(try reader.uint16("nalUnitLength"))
        guard found.count < Self.maxUnits else {
          throw .malformed("more than \(Self.maxUnits) parameter sets", at: reader.offset)
        }
        let offset = reader.offset
        let unit = ParameterSet(bytes: try reader.array(length, "a parameter set"), offset: offset)
        found.append(unit)
        if unit.type == SupplementalMessages.unitType { messages.append(unit.bytes) }
      }
    }
    try add(found)
  }

  /// A configuration without parameter sets, which ``add(from:isCut:at:)`` adds.
  public init(lengthBytes: Int) { self.lengthBytes = lengthBytes }

  /// A NAL unit and where it lies in the file.
  private struct ParameterSet {
    let bytes: [UInt8]
    let offset: Int
    let type: UInt8?

    init(bytes: [UInt8], offset: Int) {
      self.bytes = bytes
      self.offset = offset
      type = NALUnit.type(of: bytes.span.bytes)
    }
  }

  /// Adds the parameter sets that a sample or an item brings along before its first slice (ISO/IEC 14496-15 §8.4.3).
  ///
  /// - Parameters:
  ///   - bytes: Units, each after its length.
  ///   - isCut: Whether the file ends with them.
  ///   - fileOffset: Where they begin in the file.
  /// - Throws: ``CoderError/Code/malformed``; ``CoderError/Code/unsupported``.
  public mutating func add(
    from bytes: RawSpan, isCut: Bool = false, at fileOffset: Int = 0
  ) throws(CoderError) {
    var found: [ParameterSet] = []
    var places = NALUnitPlaces(lengthBytes: lengthBytes, isCut: isCut, at: fileOffset)
    while let place = try places.next(in: bytes), !places.isUnitCut {
      let unit = bytes.extracting(place)
      guard let type = NALUnit.type(of: unit) else { continue }
      if NALUnitType.isSlice(type) { break }
      guard NALUnitType.parameterSets.contains(type), !knows(unit) else { continue }
      guard found.count < Self.maxUnits else {
        throw .malformed("more than \(Self.maxUnits) parameter sets before a slice", at: fileOffset &+ place.lowerBound)
      }
      found.append(ParameterSet(bytes: [UInt8](copying: unit), offset: fileOffset &+ place.lowerBound))
    }
    if !found.isEmpty { try add(found) }
  }

  /// Each kind refers to those before it, so that a new one makes all be checked again.
  private mutating func add(_ found: [ParameterSet]) throws(CoderError) {
    let given = sets.isEmpty ? found : sets + found
    sets = []
    sets.reserveCapacity(given.count)
    (sequences, pictures, reordered) = ([], [], nil)
    for type in NALUnitType.parameterSets {
      for set in given where set.type == type && !knows(set.bytes.span.bytes) {
        try check(set, type)
        sets.append(set)
      }
    }
  }

  /// Holds a parameter set to the standard's ranges.
  private mutating func check(_ set: ParameterSet, _ type: UInt8) throws(CoderError) {
    switch type {
    case NALUnitType.videoParameters:
      let payload = NALUnit.payload(of: set.bytes.span.bytes)
      var bits = BitReader(payload.span.bytes, at: set.offset, of: "the VPS")
      let video = try VideoParameters(parsing: &bits)
      reordered = max(reordered ?? 0, video.reordered)
    case NALUnitType.sequenceParameters:
      let sequence = try SequenceParameters(parsing: set.bytes.span.bytes, at: set.offset)
      if let first = sequences.first {
        // One picture or animation has one canvas and one pixel format.
        guard sequence.size == first.size, sequence.codedSize == first.codedSize,
          sequence.chromaFormat == first.chromaFormat, sequence.bitDepth == first.bitDepth
        else {
          throw .unsupported(
            "parameter sets of \(first.size) and of \(sequence.size) or another pixel format", at: set.offset)
        }
      }
      let reordered = reordered ?? 0
      guard reordered < sequence.bufferedPictures else {
        throw .malformed(
          "the VPS reorders \(reordered) pictures, the SPS buffers \(sequence.bufferedPictures)", at: set.offset)
      }
      sequences.append(sequence)
    default:
      let picture = try PictureParameters(parsing: set.bytes.span.bytes, sets: sequences, at: set.offset)
      pictures.removeAll { $0.identifier == picture.identifier }
      pictures.append(picture)
    }
  }

  /// Whether a parameter set that comes inside a sample may be shown to the decoder: one that it has already.
  public func knows(_ unit: RawSpan) -> Bool {
    sets.contains { set in
      set.bytes.count == unit.byteCount && unit.withUnsafeBytes { $0.elementsEqual(set.bytes) }
    }
  }

  /// The picture parameter set with an identifier.
  func picture(_ identifier: Int) -> PictureParameters? { pictures.first { $0.identifier == identifier } }

  /// Whether there is a parameter set of each kind.
  public var isComplete: Bool { reordered != nil && !sequences.isEmpty && !pictures.isEmpty }

  /// What all parameter sets say of the pictures.
  ///
  /// - Throws: ``CoderError/Code/malformed`` when one is missing that is needed.
  public func sequence() throws(CoderError) -> SequenceParameters {
    guard let sequence = sequences.first else { throw .malformed("there is no sequence parameter set") }
    guard isComplete else { throw .malformed("there is no video or no picture parameter set") }
    return sequence
  }

  /// Whether all picture parameter sets allow blocks without loss.
  public var allowsBypass: Bool { !pictures.isEmpty && pictures.allSatisfy(\.allowsBypass) }
}
