// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A sequence header (AV1 §5.5), as far as a frame header depends on it.
struct AV1SequenceHeader: Equatable {
  /// Whether the file holds one picture, whose headers leave most fields out.
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
  private(set) var screenTools = Choice.byFrame
  private(set) var integerVectors = Choice.byFrame
  let hasSuperresolution: Bool
  private(set) var isMonochrome = false
  private(set) var hasSeparateChroma = false

  /// Whether a tool is used: in no frame, in every frame, or as each frame says.
  enum Choice: Equatable {
    case off, on, byFrame

    fileprivate init(parsing bits: inout BitReader) throws(CoderError) {
      if try bits.flag() { self = .byFrame } else { self = try bits.flag() ? .on : .off }
    }
  }

  /// - Throws: ``CoderError/Code/malformed`` when the bits end too early.
  init(parsing bits: inout BitReader) throws(CoderError) {
    let profile = try bits.number(3)
    try bits.skip(1)
    isReducedStill = try bits.flag()
    var timing = Timing()
    if isReducedStill { try bits.skip(5) } else { timing = try Timing(parsing: &bits) }
    hasDecoderModel = timing.delayBits != nil
    hasEqualInterval = timing.hasEqualInterval
    presentationTimeBits = timing.presentationTimeBits
    widthBits = try bits.number(4) + 1
    heightBits = try bits.number(4) + 1
    width = try bits.number(widthBits) + 1
    height = try bits.number(heightBits) + 1
    if !isReducedStill, try bits.flag() {
      let delta = try bits.number(4) + 2
      frameNumberBits = try bits.number(3) + delta + 1
    }
    hasLargeBlocks = try bits.flag()
    try bits.skip(2)
    if !isReducedStill {
      try bits.skip(4)
      let hasOrderHint = try bits.flag()
      if hasOrderHint { try bits.skip(2) }
      screenTools = try Choice(parsing: &bits)
      if screenTools != .off { integerVectors = try Choice(parsing: &bits) }
      if hasOrderHint { orderHintBits = try bits.number(3) + 1 }
    }
    hasSuperresolution = try bits.flag()
    try bits.skip(2)
    try readColors(&bits, profile: profile)
  }

  /// §5.5.1, §5.5.3 to §5.5.5: clocks and operating points.
  private struct Timing {
    var hasEqualInterval = false
    /// nil without a decoder model.
    var delayBits: Int?
    var presentationTimeBits = 0

    init() {}

    init(parsing bits: inout BitReader) throws(CoderError) {
      if try bits.flag() {
        try bits.skip(64)
        hasEqualInterval = try bits.flag()
        if hasEqualInterval { try bits.skipVariableLengthCode() }
        if try bits.flag() {
          delayBits = try bits.number(5) + 1
          try bits.skip(32 + 5)
          presentationTimeBits = try bits.number(5) + 1
        }
      }
      let hasDisplayDelay = try bits.flag()
      for _ in 0...(try bits.number(5)) {
        try bits.skip(12)
        if try bits.number(5) > 7 { try bits.skip(1) }
        if let delayBits, try bits.flag() { try bits.skip(2 * delayBits + 1) }
        if hasDisplayDelay, try bits.flag() { try bits.skip(4) }
      }
    }
  }

  /// §5.5.2: color_config.
  private mutating func readColors(_ bits: inout BitReader, profile: Int) throws(CoderError) {
    let isDeep = try bits.flag()
    let has12Bits = profile == 2 && isDeep ? try bits.flag() : false
    isMonochrome = profile == 1 ? false : try bits.flag()
    // Unspecified, when nothing is said.
    var codePoints = [2, 2, 2]
    if try bits.flag() { for index in codePoints.indices { codePoints[index] = try bits.number(8) } }
    if isMonochrome {
      try bits.skip(1)
      return
    }
    // sRGB by the identity matrix is 4:4:4 of full range without saying so.
    if codePoints != [1, 13, 0] {
      try bits.skip(1)
      var isSubsampled = (x: profile != 1, y: profile == 0)
      if has12Bits {
        isSubsampled.x = try bits.flag()
        isSubsampled.y = isSubsampled.x ? try bits.flag() : false
      }
      if isSubsampled.x, isSubsampled.y { try bits.skip(2) }
    }
    hasSeparateChroma = try bits.flag()
  }
}

extension BitReader {
  /// f(n) (§4.10.2).
  mutating func number(_ bitCount: Int) throws(CoderError) -> Int { Int(try bits(bitCount)) }

  /// uvlc() (§4.10.3), whose value does not matter.
  mutating func skipVariableLengthCode() throws(CoderError) {
    var zeros = 0
    while zeros < 32, try !flag() { zeros += 1 }
    if zeros < 32 { try skip(zeros) }
  }

  /// ns(n) (§4.10.7): a number below `count`, which is positive.
  mutating func nonSymmetric(below count: Int) throws(CoderError) -> Int {
    let bitCount = Int.bitWidth - count.leadingZeroBitCount
    let short = (1 << bitCount) - count
    let value = try number(max(bitCount - 1, 0))
    if value < short { return value }
    return (value << 1) - short + (try number(1))
  }
}
