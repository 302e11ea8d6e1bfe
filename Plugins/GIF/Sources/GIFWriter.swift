// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Writes GIF stills and animations.
///
/// Frames of at most 256 colours come back as they were, but for partial transparency, which GIF does not have. Others
/// get a palette of their own.
///
/// - Format: Graphics Interchange Format, Version 89a (1990).
final class GIFWriter: ContainerWriter {
  private static let maxSide = 65_535

  private let host: CoderHost
  private let library: LibGIF
  private let options: GIFWriterOptions
  private var encoder: FrameEncoder?
  private var header: ImageHeader?
  private var payloads: [MetadataKind: [UInt8]] = [:]
  /// Follows the canvas of an animation with transparency.
  private var canvas: WriterCanvas?
  private var frameCount = 0
  /// Delay that rounding left over, in 1/100 s.
  private var delayCarry = 0.0

  init(_ output: ByteOutput, host: CoderHost, options: WriteOptions) throws(CoderError) {
    self.host = host
    self.options = GIFWriterOptions(options)
    library = try LibGIF(output)
    if let quality = options.quality { host.log("GIF has no quality: \(quality) changes nothing") }
  }

  func layout(for wanted: PixelLayout) throws(CoderError) -> PixelLayout {
    switch wanted.format {
    case .gray8, .rgb8: wanted
    case .rgba8, .bgra8: PixelLayout(wanted.format, wanted.alpha == .opaque ? .opaque : .straight)
    case .gray16: PixelLayout(.gray8, .opaque)
    default: wanted.alpha == .opaque ? PixelLayout(.rgb8, .opaque) : PixelLayout(.rgba8, .straight)
    }
  }

  func setHeader(_ header: ImageHeader) throws(CoderError) {
    guard header.canvas.width <= Self.maxSide, header.canvas.height <= Self.maxSide else {
      throw .unsupported("a canvas of \(header.canvas), GIF has at most \(Self.maxSide) pixels on a side")
    }
    if header.orientation != .up {
      host.log("GIF has no orientation: \(header.orientation) is dropped", severity: .warning)
    }
    self.header = header
  }

  func add(_ metadata: [UInt8], as kind: MetadataKind) throws(CoderError) {
    switch kind {
    case .exif: throw .unsupported("GIF has no place for \(kind)")
    // The packet is not cut into sub-blocks, so a zero byte in it would end it for readers that skip it.
    case .xmp where metadata.contains(0):
      throw .unsupported("an XMP packet with zero bytes, GIF takes UTF-8 without them")
    case .xmp, .icc: payloads[kind] = metadata
    }
  }

  func add(_ pixels: PixelView, frame: FrameHeader) throws(CoderError) {
    guard let header else { throw .outOfOrder("a frame before the header") }
    let encoder = encoder ?? makeEncoder(header)
    self.encoder = encoder
    let rows = FrameRows(pixels)
    guard !options.isLossless || !rows.hasPartialAlpha() else {
      throw .unsupported("partly transparent pixels in a lossless frame, GIF has opaque and fully transparent ones")
    }
    frameCount += 1
    let delay = hundredths(frame.delay)
    guard header.frameCount != 1, canvas != nil || pixels.layout.alpha != .opaque else {
      let disposal = header.frameCount == 1 ? 0 : method(frame.disposal)
      return try encoder.encode(rows, FrameEncoder.Control(rect: frame.rect, delay: delay, disposalMethod: disposal))
    }
    if canvas == nil { canvas = try WriterCanvas(size: header.canvas, host: host) }
    if let ready = try canvas?.add(rows, header: frame, delay: delay) { try encode(ready, with: encoder) }
  }

  func finish() throws(CoderError) {
    guard let encoder, frameCount > 0 else { throw .outOfOrder("a file without frames") }
    if let last = canvas?.finish() { try encode(last, with: encoder) }
    try library.finish()
  }

  private func encode(_ frame: WriterCanvas.Frame, with encoder: FrameEncoder) throws(CoderError) {
    try encoder.encode(
      FrameRows(loaded: frame.pixels.pixels, size: frame.rect.size),
      FrameEncoder.Control(rect: frame.rect, delay: frame.delay, disposalMethod: method(frame.disposal)))
  }

  private func makeEncoder(_ header: ImageHeader) -> FrameEncoder {
    let (library, host, payloads, loopCount) = (self.library, self.host, self.payloads, header.loopCount)
    return FrameEncoder(host: host, library: library, options: options, canvas: header.canvas) {
      () throws(CoderError) in
      if let loopCount { try Self.putLoopCount(loopCount, to: library, host: host) }
      if let profile = payloads[.icc] {
        let blocks = stride(from: 0, to: profile.count, by: 255).map { profile[$0..<min($0 + 255, profile.count)] }
        try library.putExtension(0xFF, [Array("ICCRGBG1012".utf8)[...]] + blocks)
      }
      if let packet = payloads[.xmp] {
        // The packet as it is, and behind it the magic trailer, which leads a reader of sub-blocks to the terminator.
        try library.putBytes([0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + packet)
        try library.putBytes([1] + (0...255).reversed().map { UInt8($0) } + [0])
      }
    }
  }

  /// Netscape's application extension: how often the animation starts again, 0 for without end.
  private static func putLoopCount(_ loopCount: LoopCount, to library: LibGIF, host: CoderHost) throws(CoderError) {
    let repetitions: UInt32
    switch loopCount {
    case .infinite: repetitions = 0
    case .plays(0...1): return
    case .plays(let plays): repetitions = min(plays, 65_536) &- 1
    }
    if loopCount.plays > 65_536 {
      host.log("\(loopCount) plays become 65536, the most that GIF has", severity: .warning)
    }
    let block = [1, UInt8(truncatingIfNeeded: repetitions), UInt8(truncatingIfNeeded: repetitions >> 8)]
    try library.putExtension(0xFF, [Array("NETSCAPE2.0".utf8)[...], block[...]])
  }

  /// A delay in 1/100 s, with what rounding left over of those before, so that the whole keeps its duration.
  private func hundredths(_ delay: FrameDelay?) -> UInt16 {
    guard let delay else { return 0 }
    let exact = delay.seconds * 100 + delayCarry
    let rounded = min(65_535, max(0, exact.rounded()))
    delayCarry = min(1, max(-1, exact - rounded))
    return UInt16(rounded)
  }

  private func method(_ disposal: Disposal) -> UInt8 {
    switch disposal {
    case .keep: 1
    case .restoreBackground: 2
    case .restorePrevious: 3
    }
  }
}
