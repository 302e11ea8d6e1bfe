// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The data of an acTL chunk (PNG Third Edition §11.3.6.1).
struct AnimationControl: Equatable {
  static let length = 8

  let frameCount: UInt32
  /// 0 for an animation that does not end.
  let plays: UInt32

  init(frameCount: UInt32, plays: UInt32) {
    self.frameCount = frameCount
    self.plays = plays
  }

  init(parsing reader: inout ByteReader) throws(CoderError) {
    frameCount = try reader.uint32("the number of frames")
    plays = try reader.uint32("the number of plays")
  }

  func write(to writer: inout ByteWriter) {
    writer.put(frameCount)
    writer.put(plays)
  }
}

/// The data of an fcTL chunk (PNG Third Edition §11.3.6.2).
struct FrameControl: Equatable {
  static let length = 26

  let sequence: UInt32
  let rect: Rect
  let delay: FrameDelay
  let disposal: FrameHeader.Disposal
  let blend: FrameHeader.Blend

  init(sequence: UInt32, rect: Rect, delay: FrameDelay, disposal: FrameHeader.Disposal, blend: FrameHeader.Blend) {
    self.sequence = sequence
    self.rect = rect
    self.delay = delay
    self.disposal = disposal
    self.blend = blend
  }

  /// - Returns: Nil for a disposal or a blend that is not known.
  init?(parsing reader: inout ByteReader) throws(CoderError) {
    sequence = try reader.uint32("the sequence number")
    let (width, height) = (Int(try reader.uint32("the width")), Int(try reader.uint32("the height")))
    let (x, y) = (Int(try reader.uint32("x")), Int(try reader.uint32("y")))
    rect = Rect(x: x, y: y, width: width, height: height)
    let (numerator, denominator) = (try reader.uint16("the delay"), try reader.uint16("the delay's unit"))
    // A denominator of 0 is 100 (§11.3.6.2); `FrameDelay` reads it so.
    delay = FrameDelay(numerator: UInt32(numerator), denominator: UInt32(denominator))
    let operations: [FrameHeader.Disposal] = [.keep, .restoreBackground, .restorePrevious]
    let (disposal, blend) = (Int(try reader.uint8("the disposal")), try reader.uint8("the blend"))
    guard disposal < operations.count, blend <= 1 else { return nil }
    self.disposal = operations[disposal]
    self.blend = blend == 0 ? .source : .over
  }

  /// Delays that 16-bit numbers cannot say become the nearest one that they can.
  func write(to writer: inout ByteWriter) {
    writer.put(sequence)
    for value in [rect.width, rect.height, rect.x, rect.y] { writer.put(UInt32(clamping: value)) }
    let delay = delay.in16Bits
    writer.put(delay.numerator)
    writer.put(delay.denominator)
    writer.put([UInt8(clamping: disposal.rawValue), UInt8(clamping: blend.rawValue)])
  }
}

extension FrameDelay {
  /// The nearest delay that 16-bit numbers can say; exact where they can.
  fileprivate var in16Bits: (numerator: UInt16, denominator: UInt16) {
    if let numerator = UInt16(exactly: numerator), let denominator = UInt16(exactly: denominator) {
      return (numerator, denominator)
    }
    var (divisor, rest) = (numerator, denominator)
    while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
    if let numerator = UInt16(exactly: numerator / divisor), let denominator = UInt16(exactly: denominator / divisor) {
      return (numerator, denominator)
    }
    for scale: UInt16 in [10_000, 1_000, 100, 10, 1] {
      if let numerator = UInt16(exactly: (seconds * Double(scale)).rounded()) { return (numerator, scale) }
    }
    return (.max, 1)
  }
}
