// SPDX-License-Identifier: Apache-2.0

import CAVIF
import CodedPictures
import ISOBaseMediaFile
import ImageCoderPlugin

/// Writes AVIF: lossy or lossless, stills and sequences.
///
/// Pictures are encoded by aom inside libavif. Delays and repetitions of a sequence are written here.
///
/// - Format: AV1 Image File Format 1.1, ISO/IEC 23008-12, ISO/IEC 14496-12. Library: libavif 0.11.
final class AVIFWriter: ContainerWriter {
  private let output: ByteOutput
  private let host: CoderHost
  private let settings: EncodingSettings
  private let encoder: UnsafeMutablePointer<avifEncoder>
  private var header: ImageHeader?
  private var isAnimated = false
  /// Whether a second frame turns the file into a sequence.
  private var mayBeSequence = false
  private var metadata: [MetadataKind: [UInt8]] = [:]
  private var light = LightLevels()
  /// A first frame that becomes a still unless another one follows.
  private var held: SourcePicture?
  private var delays: [FrameDelay] = []
  /// The bits per channel of the first frame, and so of all.
  private var depth: Int?

  init(_ output: ByteOutput, host: CoderHost, options: WriteOptions) throws(CoderError) {
    self.output = output
    self.host = host
    settings = try EncodingSettings(options)
    encoder = try settings.makeEncoder()
  }

  deinit { avifEncoderDestroy(encoder) }

  /// AV1 §5.5.1: 16 bits for a side, less 1.
  private static let maxSide = 65_536

  func layout(for wanted: PixelLayout) throws(CoderError) -> PixelLayout {
    if settings.isLossless, wanted.format.isFloat {
      throw .unsupported("lossless \(wanted.format), and AV1 holds 12 bits")
    }
    let isDeep = wanted.format.bytesPerChannel > 1
    if wanted.format.isGray || settings.isGray {
      return PixelLayout(
        PixelFormat(isGray: true, hasAlpha: wanted.alpha != .opaque, isDeep: isDeep), wanted.alpha)
    }
    if isDeep { return PixelLayout(.rgba16, wanted.alpha) }
    return wanted
  }

  func setHeader(_ header: ImageHeader) throws(CoderError) {
    let side = max(header.canvas.width, header.canvas.height)
    guard side <= Self.maxSide else {
      throw .unsupported("a canvas of \(header.canvas), and AV1 holds \(Self.maxSide) pixels on a side")
    }
    try host.limits.check(canvas: header.canvas)
    // libavif's planes, and what aom keeps of them: about 16 samples for a pixel.
    try host.limits.check(memory: header.canvas.pixelCount * 16)
    mayBeSequence = header.isAnimated || header.frameCount != 1
    self.header = header
  }

  func add(_ metadata: [UInt8], as kind: MetadataKind) throws(CoderError) {
    guard !metadata.isEmpty, metadata.count < 1 << 30 else {
      throw .invalidArgument("\(metadata.count) bytes of \(kind), 1 to \(1 << 30) are written")
    }
    if kind == .trailer { try VideoBox.check(metadata, in: header) }
    self.metadata[kind] = metadata
  }

  func setLight(_ light: LightLevels) throws(CoderError) { self.light = light }

  func add(_ pixels: PixelView, frame: FrameHeader) throws(CoderError) {
    guard let header else { throw .outOfOrder("a frame before the header") }
    guard mayBeSequence || delays.isEmpty else { throw .unsupported("a second frame in a still picture") }
    try check(frame, of: pixels, canvas: header.canvas)
    if host.isCancelled { throw .cancelled }
    let picture = try SourcePicture(
      pixels, bits: header.bitsPerChannel, depth: depth, settings: settings, cicp: header.cicp ?? defaultColors)
    depth = Int(picture.image.pointee.depth)
    if delays.isEmpty {
      describe(picture, header: header)
      if settings.isScreen(pixels) { avifEncoderSetCodecSpecificOption(encoder, "color:tune-content", "screen") }
    }
    delays.append(frame.delay ?? .zero)
    if mayBeSequence, delays.count == 1 {
      held = picture
      return
    }
    if let first = held {
      held = nil
      isAnimated = true
      try encode(first)
    }
    try encode(picture)
  }

  func finish() throws(CoderError) {
    guard !delays.isEmpty else { throw .outOfOrder("a file without a picture") }
    if let first = held {
      held = nil
      try encode(first)
    }
    if host.isCancelled { throw .cancelled }
    var bytes = avifRWData()
    let result = avifEncoderFinish(encoder, &bytes)
    defer { avifRWDataFree(&bytes) }
    guard result == AVIF_RESULT_OK else { throw failure(result) }
    let file = UnsafeRawBufferPointer(start: bytes.data, count: bytes.size)
    if isAnimated || !light.boxes.isEmpty {
      let sequence =
        isAnimated ? WrittenBoxes.Sequence(timing: try FrameTicks(delays), loopCount: header?.loopCount) : nil
      try WrittenBoxes(file, sequence, light: light).write(to: output)
    } else {
      try output.write(file)
    }
    if !isAnimated, let video = metadata[.trailer] { try output.write(VideoBox.box(of: video)) }
  }
}

extension AVIFWriter {
  /// Frames of a sequence are whole pictures that take the place of the one before.
  private func check(_ frame: FrameHeader, of pixels: PixelView, canvas: Size) throws(CoderError) {
    guard frame.rect == Rect(covering: canvas), pixels.size == canvas else {
      throw .unsupported("a frame of \(frame.rect.size) on a canvas of \(canvas), and AVIF holds whole pictures")
    }
    guard delays.isEmpty || frame.blend == .source || pixels.layout.alpha == .opaque else {
      throw .unsupported("a frame that is blended over the one before, which AVIF cannot say")
    }
    try host.limits.check(frames: delays.count + 1)
  }

  /// sRGB for pictures that say nothing else; a profile speaks for itself.
  private var defaultColors: CodingIndependentCodePoints? {
    metadata[.icc] == nil ? CodingIndependentCodePoints(primaries: 1, transfer: 13, matrix: 6, isFullRange: true) : nil
  }

  /// Puts metadata and orientation into the first picture, where libavif looks for them.
  private func describe(_ picture: SourcePicture, header: ImageHeader) {
    if let profile = metadata[.icc] { avifImageSetProfileICC(picture.image, profile, profile.count) }
    if let exif = metadata[.exif] { avifImageSetMetadataExif(picture.image, exif, exif.count) }
    if let packet = metadata[.xmp] { avifImageSetMetadataXMP(picture.image, packet, packet.count) }
    // libavif has taken the orientation from Exif; the header decides.
    let transform = ImageTransform(header.orientation)
    picture.image.pointee.transformFlags = 0
    if transform.turns > 0 {
      picture.image.pointee.transformFlags |= AVIF_TRANSFORM_IROT.rawValue
      picture.image.pointee.irot.angle = UInt8(transform.turns)
    }
    if let mirror = transform.mirror {
      picture.image.pointee.transformFlags |= AVIF_TRANSFORM_IMIR.rawValue
      picture.image.pointee.imir = avif_mirror(UInt8(mirror))
    }
  }

  private func encode(_ picture: SourcePicture) throws(CoderError) {
    let image = picture.image.pointee
    try settings.check(Size(width: Int(image.width), height: Int(image.height)), isSequence: isAnimated)
    encoder.pointee.speed = settings.speed(
      isSequence: isAnimated, hasAlpha: picture.image.pointee.alphaPlane != nil)
    let flags = isAnimated ? AVIF_ADD_IMAGE_FLAG_NONE : AVIF_ADD_IMAGE_FLAG_SINGLE
    // The tick is not the frame's: delays are known when all frames are there.
    let result = avifEncoderAddImage(encoder, picture.image, 1, avifAddImageFlags(flags.rawValue))
    guard result == AVIF_RESULT_OK else { throw failure(result) }
  }

  private func failure(_ result: avifResult) -> CoderError {
    let detail = LibAVIF.text(of: encoder.pointee.diag) ?? String(cString: avifResultToString(result))
    switch result {
    case AVIF_RESULT_INVALID_EXIF_PAYLOAD: return .invalidArgument("Exif without a TIFF header")
    case AVIF_RESULT_NO_CODEC_AVAILABLE: return .unsupported("libavif has no AV1 encoder here")
    case AVIF_RESULT_OUT_OF_MEMORY: return CoderError(code: .outOfMemory, message: "no memory to encode: \(detail)")
    case AVIF_RESULT_UNSUPPORTED_DEPTH, AVIF_RESULT_NOT_IMPLEMENTED: return .unsupported(detail)
    default: return .libraryFailure("libavif does not encode: \(detail)")
    }
  }
}
