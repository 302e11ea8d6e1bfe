// SPDX-License-Identifier: Apache-2.0

import CJXL
import ImageCoderPlugin

/// Writes JPEG XL: lossy or lossless, stills and animations.
///
/// - Format: ISO/IEC 18181-1 (codestream) and 18181-2 (file format). Library: libjxl 0.7 or later.
final class JXLWriter: ContainerWriter {
  private let host: CoderHost
  private let output: ByteOutput
  private let settings: EncodingSettings
  private var header: ImageHeader?
  private var metadata: [MetadataKind: [UInt8]] = [:]
  private var light = LightLevels()
  /// Goes into the file beside the picture.
  var depth: DepthPlane?
  private var isAnimated = false
  /// Whether a second frame may still turn the file into an animation.
  private var isUndecided = false
  /// A first frame that becomes a still unless another one follows.
  private var held: (picture: HeldPicture, frame: FrameHeader)?
  private var encoder: FrameEncoder?

  init(_ output: ByteOutput, host: CoderHost, options: WriteOptions) throws(CoderError) {
    self.host = host
    self.output = output
    settings = try EncodingSettings(options)
  }

  func layout(for wanted: PixelLayout) throws(CoderError) -> PixelLayout {
    // libjxl 0.7 stops the process when it is given premultiplied alpha.
    let alpha: AlphaMode = wanted.alpha == .opaque ? .opaque : .straight
    return switch (wanted.format, alpha) {
    case (.bgra8, .opaque), (.rgba8, .opaque): PixelLayout(.rgb8, .opaque)
    case (.grayAlpha8, .opaque): PixelLayout(.gray8, .opaque)
    case (.grayAlpha16, .opaque): PixelLayout(.gray16, .opaque)
    case (.bgra8, _): PixelLayout(.rgba8, alpha)
    default: PixelLayout(wanted.format, alpha)
    }
  }

  func setHeader(_ header: ImageHeader) throws(CoderError) {
    // ISO/IEC 18181-1 §M: level 10.
    let longest = 1 << 30
    guard max(header.canvas.width, header.canvas.height) <= longest else {
      throw .unsupported("a canvas of \(header.canvas), and JPEG XL holds \(longest) pixels on a side")
    }
    try host.limits.check(canvas: header.canvas)
    // libjxl keeps the picture as 32-bit samples.
    try host.limits.check(
      memory: header.canvas.pixelCount.multipliedReportingOverflow(by: 16).partialValue)
    isAnimated = header.isAnimated || header.frameCount > 1
    isUndecided = !isAnimated && header.frameCount == 0
    self.header = header
  }

  func add(_ metadata: [UInt8], as kind: MetadataKind) throws(CoderError) { self.metadata[kind] = metadata }

  func setLight(_ light: LightLevels) throws(CoderError) { self.light = light }

  func add(_ pixels: PixelView, frame: FrameHeader) throws(CoderError) {
    guard let header else { throw .outOfOrder("a frame before the header") }
    guard frame.rect.isInside(header.canvas), !frame.rect.isEmpty else {
      throw .invalidArgument("a frame at \(frame.rect) on a canvas of \(header.canvas)")
    }
    if isUndecided, held == nil {
      held = (try HeldPicture(pixels, host: host), frame)
      return
    }
    if let first = held {
      isAnimated = true
      isUndecided = false
      held = nil
      try encode(first.picture.view, frame: first.frame)
    }
    try encode(pixels, frame: frame)
  }

  func finish() throws(CoderError) {
    if let first = held {
      held = nil
      try encode(first.picture.view, frame: first.frame)
    }
    guard let encoder else { throw .outOfOrder("a file without a picture") }
    try encoder.finish()
  }

  private func encode(_ pixels: PixelView, frame: FrameHeader) throws(CoderError) {
    guard let header else { return }
    if let encoder {
      guard isAnimated else { throw .unsupported("a second frame in a still picture") }
      return try encoder.add(pixels, frame: frame)
    }
    let bits = StoredDepth.bits(
      of: pixels, stated: header.bitsPerChannel, isLossless: settings.isLossless, isAnimated: isAnimated)
    let encoder = try FrameEncoder(
      output, host: host, settings: settings, header: header, animation: isAnimated ? TickClock(frame.delay) : nil,
      layout: pixels.layout, bits: bits, metadata: metadata, light: light, depth: depth)
    self.encoder = encoder
    try encoder.add(pixels, frame: frame)
  }
}

/// A copy of a picture, for as long as it is not known what becomes of it.
final class HeldPicture {
  let view: PixelView
  private let host: CoderHost
  private let memory: UnsafeMutableRawPointer

  init(_ pixels: PixelView, host: CoderHost) throws(CoderError) {
    let row = pixels.size.width &* pixels.layout.format.bytesPerPixel
    memory = try host.allocate(bytes: row &* pixels.size.height, alignment: 64, for: "a picture that waits")
    for y in 0..<pixels.size.height {
      (memory + y &* row).copyMemory(from: pixels.base + y &* pixels.stride, byteCount: row)
    }
    self.host = host
    view = PixelView(layout: pixels.layout, size: pixels.size, base: memory, stride: row)
  }

  deinit { host.free(memory) }
}

/// Turns exact delays into ticks, without letting the animation drift.
///
/// The length of a tick is written before the first frame, and later delays are not known by then. 18,000 ticks a second
/// count hundredths, thousandths, and 24, 25, 30, 48, 50, 60, 72, 75, 90, 120 and 144 frames a second; what the first delay
/// needs beside them is multiplied in.
struct TickClock {
  let ticksPerSecond: UInt32
  private var seconds = 0.0
  private var shown = 0.0

  /// What is tried: all that is usual, at least hundredths and thousandths, and all of that with MPEG's 90 kHz and the
  /// 1001/24000, 1001/30000 and 1001/60000 seconds of television.
  private static let common: [(ticks: UInt64, most: UInt64)] = [
    // Programs that make an APNG of an animation count ticks in 16 bits.
    (18_000, 65_535), (1000, 65_535),
    // ISO/IEC 18181-1 §D.3.7: tps_numerator.
    (360_000, 1 << 30),
  ]

  init(_ delay: FrameDelay?) {
    let denominator = UInt64(delay?.denominator ?? 1)
    for (common, most) in Self.common {
      var (divisor, rest) = (common, denominator)
      while rest > 0 { (divisor, rest) = (rest, divisor % rest) }
      let multiple = common / divisor * denominator
      if multiple <= most {
        ticksPerSecond = UInt32(truncatingIfNeeded: multiple)
        return
      }
    }
    ticksPerSecond = 360_000
  }

  /// - Throws: ``CoderError/Code/unsupported`` for a delay of more than 32 bits of ticks.
  mutating func advance(by delay: FrameDelay) throws(CoderError) -> UInt32 {
    let (exact, rest) = (UInt64(delay.numerator) * UInt64(ticksPerSecond))
      .quotientAndRemainder(dividingBy: UInt64(delay.denominator))
    if rest == 0, seconds == shown, let ticks = UInt32(exactly: exact) { return ticks }
    seconds += delay.seconds * Double(ticksPerSecond)
    let end = seconds.rounded()
    guard let ticks = UInt32(exactly: end - shown) else {
      throw .unsupported("a delay of \(delay.seconds) seconds, in ticks of 1/\(ticksPerSecond) s of 32 bits")
    }
    shown = end
    return ticks
  }
}
