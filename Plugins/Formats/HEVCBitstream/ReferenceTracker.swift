// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// Which pictures a decoder holds for reference, from the headers of first slices.
///
/// libde265 makes up pictures in the place of references that are not there, and says nothing. What refers to them is no
/// picture of the file, so references are looked up here first.
///
/// - Format: ITU-T H.265 §7.3.6.1, §8.3.1, §8.3.2.
public struct ReferenceTracker: Sendable {
  /// Places of the pictures that are held, in the order in which they are shown.
  private var held: [Int] = []
  /// The place of the picture by which later places are counted.
  private var base = 0
  private var isFirst = true
  /// Whether pictures that lead the last random access picture refer to what is not there.
  private var skipsLeading = false

  /// What becomes of a picture.
  public enum Fate: Sendable {
    case decoded
    /// It cannot be decoded from where decoding started, and the standard has it left out.
    case skipped
  }

  public init() {}

  /// More than any slice header has before its reference pictures end.
  private static let headerBytes = 512

  /// Looks at the header of a picture's first slice.
  ///
  /// - Throws: ``CoderError/Code/malformed`` for a header that cannot be read, or a reference that is not held.
  public mutating func follow(
    _ unit: RawSpan, type: UInt8, configuration: HEVCConfiguration
  ) throws(CoderError) -> Fate {
    let payload = NALUnit.payload(of: unit, limit: Self.headerBytes)
    var bits = BitReader(payload.span.bytes, of: "the slice header")
    // first_slice_segment_in_pic_flag
    try bits.skip(1)
    let isRandomAccess = NALUnitType.isIntraRandomAccess(type)
    guard isRandomAccess || !isFirst else { throw .malformed("a sync sample that is no random access picture") }
    // no_output_of_prior_pics_flag
    if isRandomAccess { try bits.skip(1) }
    let identifier = try bits.unsigned("slice_pic_parameter_set_id", to: 63)
    guard let picture = configuration.picture(identifier) else {
      throw .malformed("a slice refers to PPS \(identifier), which is not there")
    }
    let sequence = picture.sequence
    try bits.skip(picture.extraBits)
    let sliceType = try bits.unsigned("slice_type", to: 2)
    guard !isRandomAccess || sliceType == 2 else {
      throw .malformed("a random access picture with a slice that refers to others")
    }
    if picture.hasOutputFlag { try bits.skip(1) }

    if isRandomAccess {
      skipsLeading = isFirst || NALUnitType.isInstantaneousRefresh(type) || NALUnitType.isBrokenLink(type)
      if skipsLeading { held = [] }
    } else if NALUnitType.isSkippedLeading(type), skipsLeading {
      return .skipped
    }
    var place = 0
    var kept: [Int] = []
    if !NALUnitType.isInstantaneousRefresh(type) {
      let low = try bits.number(sequence.log2OrderCount)
      place = isRandomAccess && skipsLeading ? low : Self.place(of: low, after: base, bitCount: sequence.log2OrderCount)
      kept = try references(&bits, of: place, low: low, in: sequence)
    }
    let temporal = unit.unsafeLoad(fromByteOffset: 1, as: UInt8.self) & 7
    if temporal == 1, !NALUnitType.isPassing(type) { base = place }
    held = kept + [place]
    isFirst = false
    return .decoded
  }

  /// §8.3.1: the place whose lower bits are given that is nearest to the base.
  private static func place(of low: Int, after base: Int, bitCount: Int) -> Int {
    let range = 1 << bitCount
    let baseLow = base & (range - 1)
    let high = base - baseLow
    if low < baseLow, baseLow - low >= range / 2 { return high + range + low }
    if low > baseLow, low - baseLow > range / 2 { return high - range + low }
    return high + low
  }

  /// §8.3.2: pictures that stay, those among them that the current one refers to being there.
  private func references(
    _ bits: inout BitReader, of place: Int, low: Int, in sequence: SequenceParameters
  ) throws(CoderError) -> [Int] {
    let sets = sequence.referenceSets
    let set: ReferencePictureSet
    // short_term_ref_pic_set_sps_flag
    if try bits.flag() {
      guard !sets.isEmpty else {
        throw .malformed("a slice refers to a set of reference pictures of an SPS without any")
      }
      let index = try bits.number(Self.bitCount(for: sets.count))
      guard index < sets.count else { throw .malformed("set \(index) of \(sets.count) of reference pictures") }
      set = sets[index]
    } else {
      set = try ReferencePictureSet(&bits, after: sets, isInSlice: true)
      try set.check(bufferedPictures: sequence.bufferedPictures)
    }
    var kept: [Int] = []
    for entry in set.entries {
      let wanted = place + entry.distance
      if held.contains(wanted) {
        kept.append(wanted)
      } else if entry.isUsed {
        throw .malformed("picture \(place) refers to picture \(wanted), which is not there")
      }
    }
    if sequence.hasLongTerm { kept += try longTerm(&bits, of: place, low: low, in: sequence) }
    return kept
  }

  private func longTerm(
    _ bits: inout BitReader, of place: Int, low: Int, in sequence: SequenceParameters
  ) throws(CoderError) -> [Int] {
    let known = sequence.longTerm
    let fromSequence = known.isEmpty ? 0 : try bits.unsigned("num_long_term_sps", to: min(known.count, 15))
    let own = try bits.unsigned("num_long_term_pics", to: 15 - fromSequence)
    let range = 1 << sequence.log2OrderCount
    var cycles = 0
    var kept: [Int] = []
    for index in 0..<(fromSequence + own) {
      let order: Int
      let isUsed: Bool
      if index < fromSequence {
        let chosen = try bits.number(Self.bitCount(for: known.count))
        guard chosen < known.count else { throw .malformed("long-term picture \(chosen) of \(known.count)") }
        (order, isUsed) = (known[chosen].order, known[chosen].isUsed)
      } else {
        (order, isUsed) = (try bits.number(sequence.log2OrderCount), try bits.flag())
      }
      if index == 0 || index == fromSequence { cycles = 0 }
      // delta_poc_msb_present_flag
      let isWhole = try bits.flag()
      if isWhole { cycles += try bits.unsigned("delta_poc_msb_cycle_lt", to: 1 << 20) }
      let wanted = isWhole ? place - low - cycles * range + order : order
      if let found = held.first(where: { isWhole ? $0 == wanted : $0 & (range - 1) == wanted }) {
        kept.append(found)
      } else if isUsed {
        throw .malformed("picture \(place) refers to a long-term picture, which is not there")
      }
    }
    return kept
  }

  /// Ceil(Log2(count)).
  private static func bitCount(for count: Int) -> Int {
    count <= 1 ? 0 : Int.bitWidth - (count - 1).leadingZeroBitCount
  }
}
