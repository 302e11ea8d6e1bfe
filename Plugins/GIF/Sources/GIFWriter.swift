// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Writes GIF stills and animations.
///
/// Frames of at most 256 colors come back as they were, but for partial transparency, which GIF does not have. Others
/// get a palette of their own.
///
/// - Format: Graphics Interchange Format, Version 89a (1990).
final class GIFWriter: ContainerWriter {
  private static let maxSide = 65_535

  private let host: CoderHost
  private let output: ByteOutput
  private let options: GIFWriterOptions
  private var file: GIFFile?
  private var encoder: FrameEncoder?
  /// Frames of an animation with one palette that is not chosen yet.
  private var held: HeldFrames?
  private var header: ImageHeader?
  private var payloads: [MetadataKind: [UInt8]] = [:]
  /// Delay that rounding left over, in 1/100 s.
  private var delayCarry = 0.0

  init(_ output: ByteOutput, host: CoderHost, options: WriteOptions) throws(CoderError) {
    self.host = host
    self.options = GIFWriterOptions(options)
    self.output = output
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
    self.header = header
  }

  func add(_ metadata: [UInt8], as kind: MetadataKind) throws(CoderError) {
    switch kind {
    case .exif, .iptc, .c2pa, .geoTIFF, .trailer, .other: throw .unsupported("GIF has no place for \(kind)")
    // The packet is not cut into sub-blocks, so a zero byte in it would end it for readers that skip it.
    case .xmp where metadata.contains(0):
      throw .unsupported("an XMP packet with zero bytes, GIF takes UTF-8 without them")
    case .xmp, .icc, .text: payloads[kind] = metadata
    }
  }

  func add(_ pixels: PixelView, frame: FrameHeader) throws(CoderError) {
    guard let header else { throw .outOfOrder("a frame before the header") }
    let rows = FrameRows(pixels)
    guard !options.isLossless || !rows.hasPartialAlpha() else {
      throw .unsupported("partly transparent pixels in a lossless frame, GIF has opaque and fully transparent ones")
    }
    let rect = frame.rect
    guard rect.size == pixels.size, !rect.isEmpty, rect.x >= 0, rect.y >= 0,
      rect.width <= header.canvas.width - rect.x, rect.height <= header.canvas.height - rect.y
    else { throw .invalidArgument("a frame of \(pixels.size) for \(rect), on a canvas of \(header.canvas)") }
    let isStill = header.frameCount == 1
    if encoder == nil { try makeEncoder(header, isStill: isStill) }
    let control = FrameEncoder.Control(
      rect: rect, delay: hundredths(frame.delay), disposal: isStill ? nil : frame.disposal)
    if let held, try held.keep(rows, control) { return }
    try writeHeld()
    try encoder?.encode(rows, control)
  }

  func finish() throws(CoderError) {
    guard let file, encoder != nil else { throw .outOfOrder("a file without frames") }
    try writeHeld()
    try file.finish()
  }

  private func writeHeld() throws(CoderError) {
    guard let encoder, let held else { return }
    self.held = nil
    try held.write(with: encoder)
  }

  private func makeEncoder(_ header: ImageHeader, isStill: Bool) throws(CoderError) {
    let file = GIFFile(
      output, canvas: header.canvas, isAnimation: !isStill, extensions: try extensions(loopCount: header.loopCount))
    encoder = try FrameEncoder(host: host, file: file, options: options, canvas: header.canvas)
    // A frame that cannot be kept exactly is refused when it comes.
    if !isStill, options.placement == .global, !options.isLossless {
      held = try HeldFrames(host: host, colorLimit: options.colors)
    }
    self.file = file
  }

  /// What stands before the first frame.
  private func extensions(loopCount: LoopCount?) throws(CoderError) -> [UInt8] {
    var writer = ByteWriter(order: .littleEndian)
    // A sub-block has at most 255 bytes and its length.
    let count = payloads.values.reduce(0) { $0 + $1.count }
    try writer.reserve(count + count / 64 + 1024, for: "metadata")
    if let repetitions = loopCount.flatMap(repetitions) {
      ApplicationExtension.write(
        ApplicationExtension.netscape,
        [1, UInt8(truncatingIfNeeded: repetitions), UInt8(truncatingIfNeeded: repetitions >> 8)], to: &writer)
    }
    if let profile = payloads[.icc] {
      ApplicationExtension.write(ApplicationExtension.iccProfile, profile, to: &writer)
    }
    if let packet = payloads[.xmp] { ApplicationExtension.writeXMP(packet, to: &writer) }
    for text in ContainerText.texts(in: payloads[.text] ?? []) where !text.text.isEmpty {
      // GIF89a §24, Comment Extension.
      writer.put([BlockIntroducer.extension, 0xFE])
      writer.putSubBlocks(Array(text.line.utf8))
    }
    return writer.bytes
  }

  /// How often the animation starts again, as Netscape's extension has it: 0 for without end. Nil for one play.
  private func repetitions(_ loopCount: LoopCount) -> UInt16? {
    switch loopCount {
    case .infinite: return 0
    case .plays(0...1): return nil
    case .plays(let plays):
      if plays > 65_536 {
        host.log("\(plays) plays become 65536, the most that GIF has", severity: .warning)
      }
      return UInt16(clamping: plays - 1)
    }
  }

  /// A delay in 1/100 s, with what rounding left over of those before, so that the whole keeps its duration.
  private func hundredths(_ delay: FrameDelay?) -> UInt16 {
    guard let delay else { return 0 }
    let exact = delay.seconds * 100 + delayCarry
    let rounded = min(65_535, max(0, exact.rounded()))
    delayCarry = min(1, max(-1, exact - rounded))
    return UInt16(rounded)
  }
}
