// SPDX-License-Identifier: Apache-2.0

import CJXL
import ImageCoderPlugin

/// What the first bytes of a frame say of where its sections lie: its header and its table of contents.
///
/// - Format: ISO/IEC 18181-1 §F.2 and §F.3.
struct FrameLayout: Equatable {
  /// Whether no frame follows.
  private(set) var isLast = true
  /// Whether sections lie in the order of their numbers; false as well for a header that is not understood.
  private(set) var isInOrder = false
  /// Header, table and sections, when they are in order.
  private(set) var byteCount = 0

  /// The size of the frame's own samples.
  private(set) var size: Size
  private(set) var kind = Kind.regular
  private(set) var flags: UInt64 = 0
  private(set) var isModular = false
  private(set) var isYCbCr = false
  /// How the channels of a YCbCr frame are sampled, in the order Cb, Y, Cr.
  private(set) var samplings = [0, 0, 0]
  private(set) var upsampling = 1
  private(set) var passCount = 1
  private(set) var groupShift = 1
  private(set) var level = 0
  /// Whether the whole canvas is replaced.
  private(set) var isWhole = true
  /// Whether filters smooth the frame's samples.
  private(set) var isFiltered = true
  /// Whether the table of contents begins with a permutation.
  private(set) var isPermuted = false
  private(set) var xSubsampling = 0
  private(set) var ySubsampling = 0

  /// Tables with more entries are an error to libjxl.
  static let mostSections = 1 << 16

  enum Kind: Int {
    case regular, lowFrequency, referenceOnly, skipProgressive
    var isShown: Bool { self == .regular || self == .skipProgressive }
  }

  /// - Parameters:
  ///   - bits: From the frame's first one on.
  ///   - size: Of the canvas, or of the preview.
  /// - Throws: ``CoderError/Code/malformed`` when the header and the table do not end in these bytes, and for nothing
  ///   else.
  init(parsing bits: inout BitReader, info: JxlBasicInfo, size: Size) throws(CoderError) {
    self.size = size
    guard try readHeader(&bits, info), !isPermuted, let count = sectionCount else { return }
    bits.alignToByte()
    for _ in 0..<count {
      byteCount += try bits.u32((10, 0), (14, 1024), (22, 17_408), (30, 4_211_712))
    }
    bits.alignToByte()
    byteCount += bits.position / 8
    isInOrder = true
  }

  /// Reads the header alone, and whether the table of contents begins with a permutation.
  ///
  /// - Returns: With the number of bits that were read; nil for a header that is not understood.
  static func header(
    parsing bits: inout BitReader, info: JxlBasicInfo, size: Size
  ) throws(CoderError) -> (layout: FrameLayout, position: Int)? {
    var layout = FrameLayout(size: size)
    return try layout.readHeader(&bits, info) ? (layout, bits.position) : nil
  }

  private init(size: Size) { self.size = size }

  /// - Returns: false for what is not understood.
  private mutating func readHeader(_ bits: inout BitReader, _ info: JxlBasicInfo) throws(CoderError) -> Bool {
    let isDefault = try bits.flag()
    if !isDefault {
      guard try readFields(&bits, info) else { return false }
    }
    isPermuted = try bits.flag()
    return true
  }

  var hasSplines: Bool { flags & 16 != 0 }

  /// Entries of the table of contents (§F.3.1), or nil when there are too many.
  var sectionCount: Int? {
    let (groups, lowGroups) = (groups, lowGroups)
    let (count, overflow) = (groups.width * groups.height).multipliedReportingOverflow(by: passCount)
    let lowCount = lowGroups.width * lowGroups.height
    guard !overflow, count <= Self.mostSections, lowCount <= Self.mostSections else { return nil }
    return count == 1 ? 1 : 2 + lowCount + count
  }

  /// Samples on a side of a group, and blocks on a side of a low-frequency group.
  var groupSide: Int { 128 << groupShift }

  /// Groups in a row and in a column.
  var groups: Size {
    Size(width: size.width.divided(by: groupSide), height: size.height.divided(by: groupSide))
  }

  /// Blocks of 8 × 8 in a row and in a column, as many as the channel with the fewest samples needs.
  var blocks: Size {
    Size(
      width: size.width.divided(by: 8 << xSubsampling) << xSubsampling,
      height: size.height.divided(by: 8 << ySubsampling) << ySubsampling)
  }

  /// By how many powers of two a plane of Cb, Y, Cr is narrower and lower than the widest and highest.
  func shifts(of plane: Int) -> (x: Int, y: Int) {
    let sampling = samplings[plane]
    return (
      xSubsampling - (sampling == 1 || sampling == 2 ? 1 : 0), ySubsampling - (sampling == 1 || sampling == 3 ? 1 : 0)
    )
  }

  /// Low-frequency groups in a row and in a column.
  var lowGroups: Size {
    let blocks = blocks
    return Size(width: blocks.width.divided(by: groupSide), height: blocks.height.divided(by: groupSide))
  }

  /// - Returns: false for what is not understood.
  private mutating func readFields(_ bits: inout BitReader, _ info: JxlBasicInfo) throws(CoderError) -> Bool {
    guard let kind = Kind(rawValue: try bits.number(2)) else { return false }
    self.kind = kind
    isModular = try bits.flag()
    flags = try bits.u64()
    let usesLowFrequencyFrame = flags & 32 != 0
    let isXYB = info.uses_original_profile == 0
    if !isXYB { isYCbCr = try bits.flag() }
    if isYCbCr, !usesLowFrequencyFrame { try readSubsampling(&bits) }
    let extraCount = Int(info.num_extra_channels)
    if !usesLowFrequencyFrame {
      upsampling = 1 << (try bits.number(2))
      try bits.skip(2 * extraCount)
    }
    if isModular { groupShift = try bits.number(2) } else if isXYB { try bits.skip(6) }
    if kind != .referenceOnly { try readPasses(&bits) }
    level = kind == .lowFrequency ? try bits.number(2) + 1 : 0
    let isPartial = kind == .lowFrequency ? false : try readCrop(&bits, kind)
    try readPlace(&bits, info, kind: kind, isPartial: isPartial)
    try bits.skip(8 * (try bits.u32((0, 0), (4, 0), (5, 16), (10, 48))))  // the name
    guard try readLoopFilter(&bits), try bits.u64() == 0 else { return false }
    let divisor = upsampling << (3 * level)
    size = Size(width: size.width.divided(by: divisor), height: size.height.divided(by: divisor))
    return true
  }

  /// How the frame is blended, shown and kept.
  private mutating func readPlace(
    _ bits: inout BitReader, _ info: JxlBasicInfo, kind: Kind, isPartial: Bool
  ) throws(CoderError) {
    let extraCount = Int(info.num_extra_channels)
    var isReplacing = true
    var duration = 0
    if kind.isShown {
      isReplacing = try Self.readBlending(&bits, isPartial: isPartial, extraCount: extraCount)
      for _ in 0..<extraCount {
        _ = try Self.readBlending(&bits, isPartial: isPartial, extraCount: extraCount)
      }
      if info.have_animation != 0 {
        duration = try bits.u32((0, 0), (0, 1), (8, 0), (32, 0))
        if info.animation.have_timecodes != 0 { try bits.skip(32) }
      }
      isLast = try bits.flag() && kind == .regular
    } else {
      isLast = false
    }
    guard kind != .lowFrequency else { return }
    isWhole = isReplacing && !isPartial
    let reference = isLast ? 0 : try bits.number(2)
    let isKept = !isLast && (duration == 0 || reference != 0)
    if kind == .referenceOnly || (isKept && isReplacing && !isPartial) { try bits.skip(1) }
  }

  private mutating func readSubsampling(_ bits: inout BitReader) throws(CoderError) {
    for channel in 0..<3 {
      let mode = try bits.number(2)
      samplings[channel] = mode
      if mode == 1 || mode == 2 { xSubsampling = 1 }
      if mode == 1 || mode == 3 { ySubsampling = 1 }
    }
  }

  private mutating func readPasses(_ bits: inout BitReader) throws(CoderError) {
    passCount = try bits.u32((0, 1), (0, 2), (0, 3), (3, 4))
    guard passCount > 1 else { return }
    let resolutions = try bits.enumeration(moreBits: 1)
    try bits.skip(2 * (passCount - 1) + 2 * resolutions)
    for _ in 0..<resolutions { _ = try bits.enumeration(moreBits: 3, from: 0) }
  }

  /// - Returns: Whether the frame leaves a part of the canvas as it is.
  private mutating func readCrop(_ bits: inout BitReader, _ kind: Kind) throws(CoderError) -> Bool {
    guard try bits.flag() else { return false }
    let canvas = size
    var (x, y) = (0, 0)
    if kind.isShown {
      x = try Self.readLength(&bits).signUnpacked
      y = try Self.readLength(&bits).signUnpacked
    }
    let width = try Self.readLength(&bits)
    size = Size(width: width, height: try Self.readLength(&bits))
    guard kind.isShown else { return false }
    return x > 0 || y > 0 || size.width + x < canvas.width || size.height + y < canvas.height
  }

  private static func readLength(_ bits: inout BitReader) throws(CoderError) -> Int {
    try bits.u32((8, 0), (11, 256), (14, 2304), (30, 18_688))
  }

  /// - Returns: Whether the frame replaces what is below it.
  private static func readBlending(
    _ bits: inout BitReader, isPartial: Bool, extraCount: Int
  ) throws(CoderError) -> Bool {
    let mode = try bits.enumeration(moreBits: 2)
    let usesAlpha = extraCount > 0 && (mode == 2 || mode == 3)
    if usesAlpha { _ = try bits.enumeration(moreBits: 3) }
    if usesAlpha || mode == 4 { try bits.skip(1) }
    if mode != 0 || isPartial { try bits.skip(2) }
    return mode == 0
  }

  /// - Returns: false for extensions.
  private mutating func readLoopFilter(_ bits: inout BitReader) throws(CoderError) -> Bool {
    guard try !bits.flag() else { return true }
    isFiltered = try bits.flag()
    if isFiltered, try bits.flag() { try bits.skip(6 * 16) }
    if try bits.number(2) > 0 {
      isFiltered = true
      if !isModular, try bits.flag() { try bits.skip(8 * 16) }
      if try bits.flag() { try bits.skip(5 * 16) }
      if try bits.flag() { try bits.skip(isModular ? 3 * 16 : 4 * 16) }
      if isModular { try bits.skip(16) }
    }
    return try bits.u64() == 0
  }
}

extension Int {
  /// Rounded up.
  func divided(by divisor: Int) -> Int { (self + divisor - 1) / divisor }
}
