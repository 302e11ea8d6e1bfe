// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What the headers of a key frame say of its compression: AV1 Bitstream & Decoding Process Specification §5.
///
/// Only what stands before the quantizer is read, and only of frames as still pictures have them.
struct AV1KeyFrame {
  /// Whether every block is coded without loss (§7.12.2: CodedLossless, and no superresolution).
  private(set) var isLossless = false

  /// - Returns: nil when the bytes are something else, or end.
  init?(parsing bytes: UnsafeRawBufferPointer) {
    var sequence: AV1Sequence?
    var offset = 0
    while offset < bytes.count {
      // §5.3.2: type in bits 3 to 6, extension flag, size flag.
      let head = bytes[offset]
      let type = head >> 3 & 15
      offset += head & 4 != 0 ? 2 : 1
      var size = max(bytes.count - offset, 0)
      if head & 2 != 0 {
        guard let (value, length) = Self.leb128(bytes, at: offset) else { return nil }
        offset += length
        size = min(value, max(bytes.count - offset, 0))
      }
      guard offset <= bytes.count else { return nil }
      var bits = BitReader(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + size]))
      switch type {
      case 1: sequence = AV1Sequence(&bits)
      case 3, 6:
        guard let sequence else { return nil }
        readFrame(&bits, sequence)
        if bits.isBeyond { return nil }
        return
      default: break
      }
      offset += size
    }
    return nil
  }

  /// §5.9.2: uncompressed_header up to quantization_params, of a shown key frame.
  private mutating func readFrame(_ bits: inout BitReader, _ sequence: AV1Sequence) {
    var isErrorResilient = true
    if !sequence.isReducedStill {
      guard bits.read(1) == 0, bits.read(2) == 0, bits.read(1) == 1 else { return }
      if sequence.hasDecoderModel, !sequence.hasEqualInterval { _ = bits.read(sequence.presentationTimeBits) }
      isErrorResilient = true
    }
    let keepsDistributions = bits.read(1) == 1
    let usesScreenTools = sequence.screenTools == 2 ? bits.read(1) == 1 : sequence.screenTools == 1
    if usesScreenTools, sequence.integerVectors == 2 { _ = bits.read(1) }
    if sequence.frameNumberBits > 0 { _ = bits.read(sequence.frameNumberBits) }
    let overridesSize = sequence.isReducedStill ? false : bits.read(1) == 1
    _ = bits.read(sequence.orderHintBits)
    // A key frame is intra, so it has no primary reference frame; shown, it refreshes all.
    guard isErrorResilient else { return }
    if sequence.hasDecoderModel, bits.read(1) == 1 { return }
    var width = sequence.width
    var height = sequence.height
    if overridesSize {
      width = bits.read(sequence.widthBits) + 1
      height = bits.read(sequence.heightBits) + 1
    }
    if sequence.hasSuperresolution, bits.read(1) == 1 { return }
    if bits.read(1) == 1 { _ = bits.read(32) }
    if usesScreenTools { _ = bits.read(1) }
    if !sequence.isReducedStill, !keepsDistributions { _ = bits.read(1) }
    skipTiles(&bits, sequence, width: width, height: height)
    let quantizer = bits.read(8)
    var deltas = readsDelta(&bits)
    if !sequence.isMonochrome {
      let differs = sequence.hasSeparateChroma && bits.read(1) == 1
      for _ in 0..<(differs ? 4 : 2) { deltas = readsDelta(&bits) || deltas }
    }
    if bits.read(1) == 1 {
      _ = bits.read(8)
      if sequence.hasSeparateChroma { _ = bits.read(4) }
    }
    let isSegmented = bits.read(1) == 1
    isLossless = quantizer == 0 && !deltas && !isSegmented
  }

  /// §5.9.13: whether a delta is there and not 0.
  private func readsDelta(_ bits: inout BitReader) -> Bool { bits.read(1) == 1 && bits.read(7) != 0 }

  /// §5.9.15: tile_info.
  private func skipTiles(_ bits: inout BitReader, _ sequence: AV1Sequence, width: Int, height: Int) {
    let shift = sequence.hasLargeBlocks ? 7 : 6
    let columns = (width + (1 << shift) - 1) >> shift
    let rows = (height + (1 << shift) - 1) >> shift
    let maxWidth = 4096 >> shift
    var maxArea = (4096 * 2304) >> (2 * shift)
    func logarithm(_ block: Int, _ target: Int) -> Int {
      var value = 0
      while block << value < target { value += 1 }
      return value
    }
    let leastColumns = logarithm(maxWidth, columns)
    let least = max(leastColumns, logarithm(maxArea, rows * columns))
    var columnBits = 0
    var rowBits = 0
    if bits.read(1) == 1 {
      columnBits = leastColumns
      while columnBits < logarithm(1, min(columns, 64)), bits.read(1) == 1 { columnBits += 1 }
      let height = (columns + (1 << columnBits) - 1) >> columnBits
      columnBits = logarithm(1, (columns + height - 1) / max(height, 1))
      rowBits = max(least - columnBits, 0)
      while rowBits < logarithm(1, min(rows, 64)), bits.read(1) == 1 { rowBits += 1 }
      let step = (rows + (1 << rowBits) - 1) >> rowBits
      rowBits = logarithm(1, (rows + step - 1) / max(step, 1))
    } else {
      var widest = 1
      var (start, count) = (0, 0)
      while start < columns, count < 64 {
        let size = bits.readNonSymmetric(min(columns - start, maxWidth)) + 1
        widest = max(widest, size)
        start += size
        count += 1
      }
      columnBits = logarithm(1, count)
      maxArea = least > 0 ? (rows * columns) >> (least + 1) : rows * columns
      let highest = max(maxArea / widest, 1)
      (start, count) = (0, 0)
      while start < rows, count < 64 {
        start += bits.readNonSymmetric(min(rows - start, highest)) + 1
        count += 1
      }
      rowBits = logarithm(1, count)
    }
    if columnBits > 0 || rowBits > 0 { _ = bits.read(columnBits + rowBits + 2) }
  }

  /// §4.10.5: 7 bits in each byte, at most 8 bytes.
  private static func leb128(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> (Int, Int)? {
    var value = 0
    for index in 0..<8 {
      guard offset + index < bytes.count else { return nil }
      let byte = Int(bytes[offset + index])
      value |= (byte & 0x7F) << (index * 7)
      if byte & 0x80 == 0 { return (value, index + 1) }
    }
    return nil
  }
}

/// A sequence header (AV1 §5.5), as far as a frame header depends on it.
struct AV1Sequence {
  let isReducedStill: Bool
  private(set) var hasDecoderModel = false
  private(set) var hasEqualInterval = false
  private(set) var presentationTimeBits = 0
  let widthBits: Int
  let heightBits: Int
  let width: Int
  let height: Int
  private(set) var frameNumberBits = 0
  let hasLargeBlocks: Bool
  private(set) var orderHintBits = 0
  /// 0 off, 1 on, 2 stated by each frame.
  private(set) var screenTools = 2
  private(set) var integerVectors = 2
  let hasSuperresolution: Bool
  private(set) var isMonochrome = false
  private(set) var hasSeparateChroma = false

  init?(_ bits: inout BitReader) {
    let profile = bits.read(3)
    _ = bits.read(1)
    isReducedStill = bits.read(1) == 1
    if isReducedStill {
      _ = bits.read(5)
    } else {
      var delayBits = 0
      if bits.read(1) == 1 {
        _ = bits.read(32)
        _ = bits.read(32)
        hasEqualInterval = bits.read(1) == 1
        // §4.10.3: a variable length code.
        if hasEqualInterval {
          var zeros = 0
          while zeros < 32, bits.read(1) == 0, !bits.isBeyond { zeros += 1 }
          _ = bits.read(min(zeros, 31))
        }
        hasDecoderModel = bits.read(1) == 1
        if hasDecoderModel {
          delayBits = bits.read(5) + 1
          _ = bits.read(32)
          _ = bits.read(5)
          presentationTimeBits = bits.read(5) + 1
        }
      }
      let hasDisplayDelay = bits.read(1) == 1
      for _ in 0...bits.read(5) {
        _ = bits.read(12)
        if bits.read(5) > 7 { _ = bits.read(1) }
        if hasDecoderModel, bits.read(1) == 1 { _ = (bits.read(delayBits), bits.read(delayBits), bits.read(1)) }
        if hasDisplayDelay, bits.read(1) == 1 { _ = bits.read(4) }
      }
    }
    widthBits = bits.read(4) + 1
    heightBits = bits.read(4) + 1
    width = bits.read(widthBits) + 1
    height = bits.read(heightBits) + 1
    if !isReducedStill, bits.read(1) == 1 {
      let delta = bits.read(4) + 2
      frameNumberBits = bits.read(3) + delta + 1
    }
    hasLargeBlocks = bits.read(1) == 1
    _ = bits.read(2)
    if !isReducedStill {
      _ = bits.read(4)
      let hasOrderHint = bits.read(1) == 1
      if hasOrderHint { _ = bits.read(2) }
      screenTools = bits.read(1) == 1 ? 2 : bits.read(1)
      if screenTools > 0 { integerVectors = bits.read(1) == 1 ? 2 : bits.read(1) }
      if hasOrderHint { orderHintBits = bits.read(3) + 1 }
    }
    hasSuperresolution = bits.read(1) == 1
    _ = bits.read(2)
    readColors(&bits, profile: profile)
    if bits.isBeyond { return nil }
  }

  /// §5.5.2: color_config.
  private mutating func readColors(_ bits: inout BitReader, profile: Int) {
    let isDeep = bits.read(1) == 1
    let isTwelve = profile == 2 && isDeep && bits.read(1) == 1
    isMonochrome = profile == 1 ? false : bits.read(1) == 1
    let isDescribed = bits.read(1) == 1
    let colors = isDescribed ? (bits.read(8), bits.read(8), bits.read(8)) : (2, 2, 2)
    if isMonochrome {
      _ = bits.read(1)
      return
    }
    if colors != (1, 13, 0) {
      _ = bits.read(1)
      var isSubsampled = (true, true)
      if profile == 1 { isSubsampled = (false, false) }
      if profile == 2 {
        isSubsampled = (true, false)
        if isTwelve {
          isSubsampled.0 = bits.read(1) == 1
          isSubsampled.1 = isSubsampled.0 && bits.read(1) == 1
        }
      }
      if isSubsampled == (true, true) { _ = bits.read(2) }
    }
    hasSeparateChroma = bits.read(1) == 1
  }
}

/// Bits from the most significant one on; behind the end they are 0.
struct BitReader {
  private let bytes: UnsafeRawBufferPointer
  private var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Whether more was read than is there.
  var isBeyond: Bool { position > bytes.count * 8 }

  /// - Parameter count: At most 32.
  mutating func read(_ count: Int) -> Int {
    var value = 0
    for _ in 0..<count {
      let byte = position >> 3
      let bit = byte < bytes.count ? Int(bytes[byte]) >> (7 - (position & 7)) & 1 : 0
      value = value << 1 | bit
      position += 1
    }
    return value
  }

  /// AV1 §4.10.7: a number below `count`.
  mutating func readNonSymmetric(_ count: Int) -> Int {
    var bits = 0
    while count >> bits != 0 { bits += 1 }
    let short = (1 << bits) - count
    let value = read(max(bits - 1, 0))
    return value < short ? value : (value << 1) - short + read(1)
  }
}
