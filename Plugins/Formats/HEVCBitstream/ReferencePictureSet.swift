// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Pictures that are kept for reference, by their distance in the order in which pictures are shown.
///
/// - Format: ITU-T H.265 §7.3.7, §7.4.8.
struct ReferencePictureSet: Equatable, Sendable {
  /// One picture.
  struct Entry: Equatable, Sendable {
    let distance: Int
    /// Whether the current picture refers to it, or later ones alone.
    let isUsed: Bool
  }

  /// Before the current picture, nearest first, then after it, nearest first.
  let entries: [Entry]

  /// Reads num_short_term_ref_pic_sets and the sets of an SPS. None may have more pictures than the buffer.
  static func sets(_ bits: inout BitReader, bufferedPictures: Int) throws(CoderError) -> [ReferencePictureSet] {
    let count = try bits.unsigned("num_short_term_ref_pic_sets", to: 64)
    var result: [ReferencePictureSet] = []
    for _ in 0..<count {
      let set = try ReferencePictureSet(&bits, after: result, isInSlice: false)
      try set.check(bufferedPictures: bufferedPictures)
      result.append(set)
    }
    return result
  }

  /// Reads one set.
  ///
  /// - Parameter sets: Those that come before it; all of the SPS for a set in a slice header.
  init(_ bits: inout BitReader, after sets: [ReferencePictureSet], isInSlice: Bool) throws(CoderError) {
    guard !sets.isEmpty, try bits.flag() else {
      entries = try Self.stated(&bits)
      return
    }
    let back = isInSlice ? 1 + (try bits.unsigned("delta_idx_minus1", to: sets.count - 1)) : 1
    let isNegative = try bits.flag()
    let size = 1 + (try bits.unsigned("abs_delta_rps_minus1", to: 32_767))
    entries = try Self.predicted(from: sets[sets.count - back], by: isNegative ? -size : size, &bits)
  }

  /// §7.4.8: a set is no larger than the buffer without the current picture, which is at most 16.
  func check(bufferedPictures: Int) throws(CoderError) {
    guard entries.count <= min(bufferedPictures, 15) else {
      throw .malformed("a set of \(entries.count) reference pictures, and \(bufferedPictures) are buffered")
    }
  }

  private static func stated(_ bits: inout BitReader) throws(CoderError) -> [Entry] {
    let negative = try bits.unsigned("num_negative_pics", to: 15)
    let positive = try bits.unsigned("num_positive_pics", to: 15 - negative)
    var result: [Entry] = []
    for (count, sign) in [(negative, -1), (positive, 1)] {
      var distance = 0
      for _ in 0..<count {
        distance += sign * (1 + (try bits.unsigned("delta_poc_minus1", to: 32_767)))
        result.append(Entry(distance: distance, isUsed: try bits.flag()))
      }
    }
    return result
  }

  /// Shifts another set, to which the picture at its origin belongs as the last one.
  private static func predicted(
    from source: ReferencePictureSet, by shift: Int, _ bits: inout BitReader
  ) throws(CoderError) -> [Entry] {
    var result: [Entry] = []
    for distance in source.entries.map(\.distance) + [0] {
      let isUsed = try bits.flag()
      // use_delta_flag
      let isKept = isUsed ? true : try bits.flag()
      if isKept, distance + shift != 0 { result.append(Entry(distance: distance + shift, isUsed: isUsed)) }
    }
    let before = result.filter { $0.distance < 0 }.sorted { $0.distance > $1.distance }
    let after = result.filter { $0.distance > 0 }.sorted { $0.distance < $1.distance }
    return before + after
  }
}
