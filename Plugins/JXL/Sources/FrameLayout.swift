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

  private var size: Size
  private var isModular = false
  private var passCount = 1
  private var groupShift = 1
  private var xSubsampling = 0
  private var ySubsampling = 0

  /// Tables with more entries are an error to libjxl.
  static let mostSections = 1 << 16

  private enum Kind: Int {
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
    let isDefault = try bits.flag()
    if !isDefault {
      guard try readHeader(&bits, info) else { return }
    }
    let isPermuted = try bits.flag()
    guard !isPermuted, let count = sectionCount else { return }
    bits.alignToByte()
    for _ in 0..<count {
      byteCount += try bits.u32((10, 0), (14, 1024), (22, 17_408), (30, 4_211_712))
    }
    bits.alignToByte()
    byteCount += bits.position / 8
    isInOrder = true
  }

  /// Entries of the table of contents (§F.3.1), or nil when there are too many.
  private var sectionCount: Int? {
    let groupSide = 128 << groupShift
    func groups(_ length: Int, _ shift: Int) -> (Int, Int) {
      let blocks = length.divided(by: 8 << shift) << shift
      return (length.divided(by: groupSide), blocks.divided(by: groupSide))
    }
    let (x, lowX) = groups(size.width, xSubsampling)
    let (y, lowY) = groups(size.height, ySubsampling)
    let (count, overflow) = (x * y).multipliedReportingOverflow(by: passCount)
    guard !overflow, count <= Self.mostSections, lowX * lowY <= Self.mostSections else { return nil }
    return count == 1 ? 1 : 2 + lowX * lowY + count
  }

  /// - Returns: false for what is not understood.
  private mutating func readHeader(_ bits: inout BitReader, _ info: JxlBasicInfo) throws(CoderError) -> Bool {
    guard let kind = Kind(rawValue: try bits.number(2)) else { return false }
    isModular = try bits.flag()
    let usesLowFrequencyFrame = try bits.u64() & 32 != 0
    let isXYB = info.uses_original_profile == 0
    if !isXYB, try bits.flag(), !usesLowFrequencyFrame { try readSubsampling(&bits) }
    let extraCount = Int(info.num_extra_channels)
    var upsampling = 1
    if !usesLowFrequencyFrame {
      upsampling = 1 << (try bits.number(2))
      try bits.skip(2 * extraCount)
    }
    if isModular { groupShift = try bits.number(2) } else if isXYB { try bits.skip(6) }
    if kind != .referenceOnly { try readPasses(&bits) }
    let level = kind == .lowFrequency ? try bits.number(2) + 1 : 0
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
    let reference = isLast ? 0 : try bits.number(2)
    let isKept = !isLast && (duration == 0 || reference != 0)
    if kind == .referenceOnly || (isKept && isReplacing && !isPartial) { try bits.skip(1) }
  }

  private mutating func readSubsampling(_ bits: inout BitReader) throws(CoderError) {
    for _ in 0..<3 {
      let mode = try bits.number(2)
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
      x = try Self.readLength(&bits).unpackedSign
      y = try Self.readLength(&bits).unpackedSign
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
  private func readLoopFilter(_ bits: inout BitReader) throws(CoderError) -> Bool {
    guard try !bits.flag() else { return true }
    if try bits.flag(), try bits.flag() { try bits.skip(6 * 16) }
    if try bits.number(2) > 0 {
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
  fileprivate func divided(by divisor: Int) -> Int { (self + divisor - 1) / divisor }

  /// ISO/IEC 18181-1 §C.4.4, UnpackSigned.
  fileprivate var unpackedSign: Int { self & 1 == 0 ? self >> 1 : -(self >> 1) - 1 }
}
