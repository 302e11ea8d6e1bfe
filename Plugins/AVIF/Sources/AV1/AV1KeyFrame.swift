// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What the headers of a key frame say of its compression: AV1 Bitstream & Decoding Process Specification §5.
///
/// Only what comes before the quantizer is read, and only of frames as still pictures have them.
struct AV1KeyFrame: Equatable {
  /// Whether every block is coded without loss (§7.12.2: CodedLossless, and no superresolution).
  let isLossless: Bool

  /// - Parameter reader: At the first of the item's open bitstream units (§5.3).
  /// - Throws: ``CoderError/Code/malformed`` or ``CoderError/Code/truncated`` when there is no frame header, or the bytes
  ///   end inside one.
  init(parsing reader: inout ByteReader) throws(CoderError) {
    var sequence: AV1SequenceHeader?
    var found: Bool?
    while found == nil {
      found = try AV1Unit.read(&reader) { type, start, bits throws(CoderError) -> Bool? in
        switch type {
        case AV1Unit.sequenceHeader: sequence = try AV1SequenceHeader(parsing: &bits)
        case 3, 6:
          guard let sequence else { throw .malformed("a frame header without a sequence header", at: start) }
          return try Self.isLossless(&bits, sequence)
        default: break
        }
        return nil
      }
    }
    isLossless = found ?? false
  }

  /// §5.9.2: uncompressed_header up to segmentation_params, of a shown key frame. Others count as lossy.
  private static func isLossless(_ bits: inout BitReader, _ sequence: AV1SequenceHeader) throws(CoderError) -> Bool {
    if !sequence.isReducedStill {
      // No frame that was decoded before, a key frame, shown.
      guard try bits.number(1 + 2 + 1) == 1 else { return false }
      if sequence.hasDecoderModel, !sequence.hasEqualInterval { try bits.skip(sequence.presentationTimeBits) }
    }
    let keepsDistributions = try bits.flag()
    let usesScreenTools = sequence.screenTools == .byFrame ? try bits.flag() : sequence.screenTools == .on
    if usesScreenTools, sequence.integerVectors == .byFrame { try bits.skip(1) }
    try bits.skip(sequence.frameNumberBits)
    let overridesSize = sequence.isReducedStill ? false : try bits.flag()
    // A key frame is intra, so it has no primary reference frame; shown, it refreshes all.
    try bits.skip(sequence.orderHintBits)
    if sequence.hasDecoderModel, try bits.flag() { return false }
    var (width, height) = (sequence.width, sequence.height)
    if overridesSize {
      width = try bits.number(sequence.widthBits) + 1
      height = try bits.number(sequence.heightBits) + 1
    }
    if sequence.hasSuperresolution, try bits.flag() { return false }
    if try bits.flag() { try bits.skip(32) }
    if usesScreenTools { try bits.skip(1) }
    if !sequence.isReducedStill, !keepsDistributions { try bits.skip(1) }
    try AV1Tiles(width: width, height: height, hasLargeBlocks: sequence.hasLargeBlocks).skip(&bits)
    return try hasZeroQuantizer(&bits, sequence)
  }

  /// §5.9.12 and §5.9.14: quantizer 0, no difference from it in any plane, and no segments with others.
  private static func hasZeroQuantizer(
    _ bits: inout BitReader, _ sequence: AV1SequenceHeader
  ) throws(CoderError) -> Bool {
    let quantizer = try bits.number(8)
    var deltaCount = 1
    if !sequence.isMonochrome {
      if try readsDelta(&bits) { return false }
      let differs = sequence.hasSeparateChroma ? try bits.flag() : false
      deltaCount = differs ? 4 : 2
    }
    for _ in 0..<deltaCount {
      if try readsDelta(&bits) { return false }
    }
    if try bits.flag() { try bits.skip(sequence.hasSeparateChroma ? 12 : 8) }
    let isSegmented = try bits.flag()
    return quantizer == 0 && !isSegmented
  }

  /// §5.9.13: whether a difference is there and not 0.
  private static func readsDelta(_ bits: inout BitReader) throws(CoderError) -> Bool {
    guard try bits.flag() else { return false }
    return try bits.number(7) != 0
  }

}

/// How a frame is cut into tiles (AV1 §5.9.15), as far as it takes to pass over what says so.
struct AV1Tiles {
  /// Superblocks.
  private let columns: Int
  private let rows: Int
  /// The widest tile, in superblocks.
  private let widest: Int
  private let largestArea: Int

  private static let most = 64

  init(width: Int, height: Int, hasLargeBlocks: Bool) {
    let shift = hasLargeBlocks ? 7 : 6
    columns = (width + (1 << shift) - 1) >> shift
    rows = (height + (1 << shift) - 1) >> shift
    widest = 4096 >> shift
    largestArea = (4096 * 2304) >> (2 * shift)
  }

  func skip(_ bits: inout BitReader) throws(CoderError) {
    let leastColumns = Self.logarithm(widest, columns)
    let least = max(leastColumns, Self.logarithm(largestArea, rows * columns))
    let (columnBits, rowBits) =
      try bits.flag() ? try skipUniform(&bits, leastColumns, least) : try skipListed(&bits, least)
    if columnBits > 0 || rowBits > 0 { try bits.skip(columnBits + rowBits + 2) }
  }

  /// Tiles of one size.
  private func skipUniform(
    _ bits: inout BitReader, _ leastColumns: Int, _ least: Int
  ) throws(CoderError) -> (columnBits: Int, rowBits: Int) {
    var columnBits = leastColumns
    while columnBits < Self.logarithm(1, min(columns, Self.most)), try bits.flag() { columnBits += 1 }
    columnBits = Self.tileBits(columns, cutTimes: columnBits)
    var rowBits = max(least - columnBits, 0)
    while rowBits < Self.logarithm(1, min(rows, Self.most)), try bits.flag() { rowBits += 1 }
    return (columnBits, Self.tileBits(rows, cutTimes: rowBits))
  }

  /// Tiles whose sizes are listed.
  private func skipListed(_ bits: inout BitReader, _ least: Int) throws(CoderError) -> (columnBits: Int, rowBits: Int) {
    var width = 1
    var (start, count) = (0, 0)
    while start < columns, count < Self.most {
      let size = try bits.nonSymmetric(below: min(columns - start, widest)) + 1
      width = max(width, size)
      start += size
      count += 1
    }
    let columnBits = Self.logarithm(1, count)
    let area = least > 0 ? (rows * columns) >> (least + 1) : rows * columns
    let tallest = max(area / width, 1)
    (start, count) = (0, 0)
    while start < rows, count < Self.most {
      start += try bits.nonSymmetric(below: min(rows - start, tallest)) + 1
      count += 1
    }
    return (columnBits, Self.logarithm(1, count))
  }

  /// Bits that number the tiles of a side, when it is halved a number of times and sizes are rounded up.
  private static func tileBits(_ length: Int, cutTimes times: Int) -> Int {
    let size = (length + (1 << times) - 1) >> times
    return logarithm(1, (length + size - 1) / max(size, 1))
  }

  /// tile_log2 (§5.9.16): how often `block` has to be doubled to reach `target`.
  private static func logarithm(_ block: Int, _ target: Int) -> Int {
    var value = 0
    while block << value < target { value += 1 }
    return value
  }
}
