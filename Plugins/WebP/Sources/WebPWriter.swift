// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Writes WebP: lossy or lossless, stills and animations.
///
/// Bitstreams come from libwebp; the chunks around them are written here, so that frames leave memory as soon as they
/// are encoded.
///
/// - Format: RFC 9649, WebP Image Format. Library: libwebp 1.2 or later.
final class WebPWriter: ContainerWriter {
  private let host: CoderHost
  private let settings: EncodingSettings
  private let search: PictureSearch
  /// Whether it is known what is shown.
  private var isFollowed = false
  /// What is shown, where that helps to write the next frame.
  private var canvas: ShownCanvas?
  private var chunks: ChunkWriter
  private var header: ImageHeader?
  private var isAnimated = false
  /// Whether a second frame may still turn the file into an animation.
  private var isUndecided = false
  private var metadata: [MetadataKind: [UInt8]] = [:]
  /// A first frame that becomes a still unless another one follows.
  private var held: (picture: EncodedPicture, frame: FrameHeader)?
  private var frameCount = 0
  private var hasAlpha = false
  private var clock = FrameClock()

  init(_ output: ByteOutput, host: CoderHost, options: WriteOptions) throws(CoderError) {
    self.host = host
    settings = try EncodingSettings(options)
    search = PictureSearch(settings: settings, host: host)
    chunks = ChunkWriter(output)
  }

  func layout(for wanted: PixelLayout) throws(CoderError) -> PixelLayout {
    if settings.isLossless, wanted.format.bytesPerChannel > 1 {
      throw .unsupported("lossless \(wanted.format), and WebP holds 8 bits per channel")
    }
    switch wanted.format {
    case .gray8, .gray16: return PixelLayout(.gray8, .opaque)
    case .rgb8: return PixelLayout(.rgb8, .opaque)
    case .bgra8: return PixelLayout(.bgra8, wanted.alpha == .opaque ? .opaque : .straight)
    default: return PixelLayout(.rgba8, wanted.alpha == .opaque ? .opaque : .straight)
    }
  }

  func setHeader(_ header: ImageHeader) throws(CoderError) {
    let side = max(header.canvas.width, header.canvas.height)
    guard side <= LibWebP.maxEncodedSide else {
      throw .unsupported("a canvas of \(header.canvas), and WebP holds \(LibWebP.maxEncodedSide) pixels on a side")
    }
    try host.limits.check(canvas: header.canvas)
    isAnimated = header.isAnimated || header.frameCount > 1
    isUndecided = !isAnimated && header.frameCount == 0
    // Holes matter to lossy frames, and to the search for the smallest file.
    isFollowed = (isAnimated || isUndecided) && header.alpha != .opaque && (!settings.isLossless || settings.isSmallest)
    // libwebp keeps the picture in its own layout beside the host's.
    try host.limits.check(memory: header.canvas.pixelCount * (isFollowed ? 16 : 4))
    if case .plays(let count)? = header.loopCount, count > UInt16.max {
      throw .unsupported("\(count) plays, and WebP counts to \(UInt16.max)")
    }
    self.header = header
  }

  func add(_ metadata: [UInt8], as kind: MetadataKind) throws(CoderError) {
    guard metadata.count <= ChunkWriter.maxPayload else {
      throw .invalidArgument("\(metadata.count) bytes of \(kind), a chunk holds \(ChunkWriter.maxPayload)")
    }
    // A bitstream is of colors, whatever was given (RFC 9649 §2.7.1.4), so a profile of gray does not describe it.
    if kind == .icc, metadata.count >= 20, metadata[16..<20].elementsEqual("GRAY".utf8) {
      throw .unsupported("an ICC profile of gray, and pixels of a WebP are colors")
    }
    self.metadata[kind] = metadata
  }

  func add(_ pixels: PixelView, frame: FrameHeader) throws(CoderError) {
    guard let header else { throw .outOfOrder("a frame before the header") }
    if held != nil {
      guard isUndecided else { throw .unsupported("a second frame in a still picture") }
      isAnimated = true
      isUndecided = false
    }
    if isAnimated {
      try check(frame)
    } else {
      guard frame.rect == Rect(covering: header.canvas) else {
        throw .unsupported("a still picture of \(frame.rect.size) on a canvas of \(header.canvas)")
      }
    }
    if isFollowed, canvas == nil { canvas = try ShownCanvas(header.canvas, host: host) }
    let (picture, frame) = try search.encode(pixels, frame, on: canvas)
    guard isAnimated else {
      held = (picture, frame)
      return
    }
    if frameCount == 0 { try beginAnimation() }
    if let first = held {
      held = nil
      try write(first.picture, frame: first.frame)
    }
    try write(picture, frame: frame)
  }

  func finish() throws(CoderError) {
    if isAnimated {
      guard frameCount > 0 else { throw .outOfOrder("an animation without a frame") }
      try writeTrailer()
      try chunks.patchExtended(flags: flags)
    } else {
      guard let held else { throw .outOfOrder("a file without a picture") }
      try writeStill(held.picture)
    }
    try chunks.finish()
  }
}

extension WebPWriter {
  /// Checks what WebP says of a frame (RFC 9649 §2.7.1.2): offsets are stored halved, and two disposals are known.
  private func check(_ frame: FrameHeader) throws(CoderError) {
    guard frame.rect.x & 1 == 0, frame.rect.y & 1 == 0 else {
      throw .unsupported("a frame at \(frame.rect.x),\(frame.rect.y), and WebP holds even offsets only")
    }
    guard frame.disposal != .restorePrevious else {
      throw .unsupported("a frame that restores the one before it, which WebP cannot say")
    }
  }

  private var flags: ExtendedHeader.Flags {
    var flags: ExtendedHeader.Flags = []
    if isAnimated { flags.insert(.animation) }
    if hasAlpha { flags.insert(.alpha) }
    if metadata[.icc] != nil { flags.insert(.colorProfile) }
    if exif != nil { flags.insert(.exif) }
    if metadata[.xmp] != nil { flags.insert(.xmp) }
    return flags
  }

  /// The Exif payload with the orientation, or one that states nothing else when there is none.
  private var exif: [UInt8]? {
    guard let orientation = header?.orientation, orientation != .up else { return metadata[.exif] }
    guard var payload = metadata[.exif] else { return ExifOrientation.payload(orientation) }
    if ExifOrientation.set(orientation, in: &payload) { return payload }
    return ExifOrientation.adding(orientation, to: payload) ?? payload
  }

  private func writeStill(_ picture: EncodedPicture) throws(CoderError) {
    try chunks.begin()
    hasAlpha = picture.hasAlpha
    // RFC 9649 §2.5, §2.6: a picture without alpha plane and metadata needs no VP8X chunk. VP8L carries its own alpha.
    if picture.needsExtended || !flags.subtracting(.alpha).isEmpty {
      try chunks.write(ExtendedHeader(flags: flags, canvas: picture.size))
      if let profile = metadata[.icc] { try chunks.write(profile, as: .colorProfile) }
      try chunks.write(picture)
      try writeTrailer()
    } else {
      try chunks.write(picture)
    }
  }

  private func beginAnimation() throws(CoderError) {
    guard let header else { return }
    try chunks.begin()
    try chunks.write(ExtendedHeader(flags: flags, canvas: header.canvas))
    if let profile = metadata[.icc] { try chunks.write(profile, as: .colorProfile) }
    // Background transparent; 0 plays is without end, as in the plugin interface.
    try chunks.write(AnimationHeader(plays: UInt16(clamping: header.loopCount?.plays ?? 0)))
  }

  private func write(_ picture: EncodedPicture, frame: FrameHeader) throws(CoderError) {
    if picture.hasAlpha { hasAlpha = true }
    frameCount += 1
    let stored = StoredFrame(
      rect: frame.rect, milliseconds: try clock.advance(by: frame.delay ?? .zero), disposal: frame.disposal,
      blend: frame.blend)
    try chunks.write(picture, frame: stored)
  }

  private func writeTrailer() throws(CoderError) {
    if let exif {
      try chunks.write(exif, as: .exif)
      if let orientation = header?.orientation, orientation != .up, ExifOrientation.read(exif) != orientation {
        host.log("orientation \(orientation.rawValue) has no place in the Exif payload", severity: .warning)
      }
    }
    if let packet = metadata[.xmp] { try chunks.write(packet, as: .xmp) }
  }
}

/// Turns exact delays into whole milliseconds without letting the animation drift.
struct FrameClock {
  private var seconds = 0.0
  private var shown = 0

  /// - Returns: The frame's delay, so that the sum of all is the exact sum, rounded.
  /// - Throws: ``CoderError/Code/unsupported`` for more than 24 bits of milliseconds.
  mutating func advance(by delay: FrameDelay) throws(CoderError) -> Int {
    seconds += delay.seconds
    // Delays are at most 2^32 seconds, and frames fewer than 2^32: the product is far from 2^63.
    let end = Int((seconds * 1000).rounded())
    let milliseconds = end - shown
    guard milliseconds < 1 << 24 else {
      throw .unsupported("a delay of \(delay.seconds) seconds, and WebP holds 16777.215")
    }
    shown = end
    return milliseconds
  }
}
