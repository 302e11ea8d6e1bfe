// SPDX-License-Identifier: Apache-2.0

import CJXL
import ImageCoderPlugin

/// What the first bytes of a frame say of where its sections lie: its header and its table of contents.
///
/// - Format: ISO/IEC 18181-1 §F.2 and §F.3.
struct FrameLayout {
  /// Whether no frame follows.
  private(set) var isLast = true
  /// Whether sections lie in the order of their numbers; false as well for a header that is not understood.
  private(set) var isInOrder = false
  /// Header, table and sections, when they are in order.
  private(set) var byteCount = 0

  private var bits: BitReader
  private var size: Size
  private var isModular = false
  private var passCount = 1
  private var groupShift = 1
  private var subsampling = (x: 0, y: 0)

  /// Tables with more entries are an error to libjxl.
  static let mostSections = 1 << 16

  private enum Kind: Int {
    case regular, lowFrequency, referenceOnly, skipProgressive
    var isShown: Bool { self == .regular || self == .skipProgressive }
  }

  /// - Parameter size: Of the canvas, or of the preview.
  /// - Returns: nil when the header and the table do not end in these bytes.
  init?(parsing bytes: [UInt8], info: JxlBasicInfo, size: Size) {
    bits = BitReader(bytes)
    self.size = size
    let isDefault = bits.flag()
    let isUnderstood = isDefault || readHeader(info)
    guard !bits.isOver else { return nil }
    guard isUnderstood else { return }
    let isPermuted = bits.flag()
    guard !bits.isOver else { return nil }
    guard !isPermuted, let count = sectionCount else { return }
    bits.align()
    for _ in 0..<count {
      byteCount += bits.number((10, 0), (14, 1024), (22, 17_408), (30, 4_211_712))
      guard !bits.isOver else { return nil }
    }
    bits.align()
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
    let (x, lowX) = groups(size.width, subsampling.x)
    let (y, lowY) = groups(size.height, subsampling.y)
    let (count, overflow) = (x * y).multipliedReportingOverflow(by: passCount)
    guard !overflow, count <= Self.mostSections, lowX * lowY <= Self.mostSections else { return nil }
    return count == 1 ? 1 : 2 + lowX * lowY + count
  }

  /// - Returns: false for what is not understood.
  private mutating func readHeader(_ info: JxlBasicInfo) -> Bool {
    guard let kind = Kind(rawValue: bits.number(2)) else { return false }
    isModular = bits.flag()
    let usesLowFrequencyFrame = bits.number64() & 32 != 0
    let isXYB = info.uses_original_profile == 0
    if !isXYB, bits.flag(), !usesLowFrequencyFrame { readSubsampling() }
    let extraCount = Int(info.num_extra_channels)
    var upsampling = 1
    if !usesLowFrequencyFrame {
      upsampling = 1 << bits.number(2)
      bits.skip(2 * extraCount)
    }
    if isModular { groupShift = bits.number(2) } else if isXYB { bits.skip(6) }
    if kind != .referenceOnly { readPasses() }
    let level = kind == .lowFrequency ? bits.number(2) + 1 : 0
    let isPartial = kind != .lowFrequency && readCrop(kind)
    var isReplacing = true
    var duration = 0
    if kind.isShown {
      isReplacing = readBlending(isPartial: isPartial, extraCount: extraCount)
      for _ in 0..<extraCount { _ = readBlending(isPartial: isPartial, extraCount: extraCount) }
      if info.have_animation != 0 {
        duration = bits.number((0, 0), (0, 1), (8, 0), (32, 0))
        if info.animation.have_timecodes != 0 { bits.skip(32) }
      }
      isLast = bits.flag() && kind == .regular
    } else {
      isLast = false
    }
    if kind != .lowFrequency {
      let reference = isLast ? 0 : bits.number(2)
      let isKept = !isLast && (duration == 0 || reference != 0)
      if kind == .referenceOnly || (isKept && isReplacing && !isPartial) { bits.skip(1) }
    }
    bits.skip(8 * bits.number((0, 0), (4, 0), (5, 16), (10, 48)))  // the name
    guard readLoopFilter(), bits.number64() == 0 else { return false }
    let divisor = upsampling << (3 * level)
    size = Size(width: size.width.divided(by: divisor), height: size.height.divided(by: divisor))
    return true
  }

  private mutating func readSubsampling() {
    for _ in 0..<3 {
      let mode = bits.number(2)
      if mode == 1 || mode == 2 { subsampling.x = 1 }
      if mode == 1 || mode == 3 { subsampling.y = 1 }
    }
  }

  private mutating func readPasses() {
    passCount = bits.number((0, 1), (0, 2), (0, 3), (3, 4))
    guard passCount > 1 else { return }
    let resolutions = bits.number((0, 0), (0, 1), (0, 2), (1, 3))
    bits.skip(2 * (passCount - 1) + 2 * resolutions)
    for _ in 0..<resolutions { _ = bits.number((0, 0), (0, 1), (0, 2), (3, 0)) }
  }

  /// - Returns: Whether the frame leaves a part of the canvas as it is.
  private mutating func readCrop(_ kind: Kind) -> Bool {
    guard bits.flag() else { return false }
    let canvas = size
    var (x, y) = (0, 0)
    if kind.isShown { (x, y) = (readLength().unpackedSign, readLength().unpackedSign) }
    size = Size(width: readLength(), height: readLength())
    guard kind.isShown else { return false }
    return x > 0 || y > 0 || size.width + x < canvas.width || size.height + y < canvas.height
  }

  private mutating func readLength() -> Int { bits.number((8, 0), (11, 256), (14, 2304), (30, 18_688)) }

  /// - Returns: Whether the frame replaces what is below it.
  private mutating func readBlending(isPartial: Bool, extraCount: Int) -> Bool {
    let mode = bits.number((0, 0), (0, 1), (0, 2), (2, 3))
    let usesAlpha = extraCount > 0 && (mode == 2 || mode == 3)
    if usesAlpha { _ = bits.number((0, 0), (0, 1), (0, 2), (3, 3)) }
    if usesAlpha || mode == 4 { bits.skip(1) }
    if mode != 0 || isPartial { bits.skip(2) }
    return mode == 0
  }

  /// - Returns: false for extensions.
  private mutating func readLoopFilter() -> Bool {
    guard !bits.flag() else { return true }
    if bits.flag(), bits.flag() { bits.skip(6 * 16) }
    if bits.number(2) > 0 {
      if !isModular, bits.flag() { bits.skip(8 * 16) }
      if bits.flag() { bits.skip(5 * 16) }
      if bits.flag() { bits.skip(isModular ? 3 * 16 : 4 * 16) }
      if isModular { bits.skip(16) }
    }
    return bits.number64() == 0
  }
}

extension Int {
  /// Rounded up.
  fileprivate func divided(by divisor: Int) -> Int { (self + divisor - 1) / divisor }

  /// ISO/IEC 18181-1 §C.4.4, UnpackSigned.
  fileprivate var unpackedSign: Int { self & 1 == 0 ? self >> 1 : -(self >> 1) - 1 }
}

/// Reads numbers from their lowest bit on (ISO/IEC 18181-1 §C.3).
private struct BitReader {
  private let bytes: [UInt8]
  /// Bits that were read.
  private(set) var position = 0
  /// Whether more bits were wanted than there are; they read as 0.
  private(set) var isOver = false

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func skip(_ count: Int) {
    isOver = isOver || count > bytes.count * 8 - position
    if !isOver { position += count }
  }

  mutating func align() { position = (position + 7) & ~7 }

  mutating func flag() -> Bool { number(1) != 0 }

  /// - Parameter count: At most 32.
  mutating func number(_ count: Int) -> Int {
    var start = position
    skip(count)
    guard !isOver else { return 0 }
    var value = 0
    var got = 0
    while got < count {
      let taken = min(8 - start & 7, count - got)
      value |= (Int(bytes[start >> 3]) >> (start & 7) & ((1 << taken) - 1)) << got
      got += taken
      start += taken
    }
    return value
  }

  /// U32 (§C.4.2): one of four pairs of bits and an offset.
  mutating func number(_ pairs: (Int, Int)...) -> Int {
    let (count, offset) = pairs[number(2)]
    return offset + number(count)
  }

  /// U64 (§C.4.3).
  mutating func number64() -> UInt64 {
    switch number(2) {
    case 0: return 0
    case 1: return 1 + UInt64(number(4))
    case 2: return 17 + UInt64(number(8))
    default:
      var value = UInt64(number(12))
      var shift: UInt64 = 12
      while flag() {
        if shift == 60 { return value | UInt64(number(4)) << shift }
        value |= UInt64(number(8)) << shift
        shift += 8
      }
      return value
    }
  }
}
