// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Reads WebP: lossy, lossless and animated.
///
/// The chunks are walked here, without libwebp's demuxer, and pixels are decoded by libwebp straight into the host's
/// memory. Frames of an animation are delivered as they are stored; the host composes them.
///
/// - Format: RFC 9649, WebP Image Format. Library: libwebp 1.2 or later.
final class WebPReader: ContainerReader {
  private let source: SourceView
  private let host: CoderHost
  private var file: WebPFile
  private var orientation: Orientation
  /// Whether nothing is decoded without libwebp, which tests compare with.
  var isLibwebpAlone = false

  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    self.source = source
    self.host = host
    file = try WebPFile(parsing: source, limits: host.limits, isIncremental: options.contains(.incremental))
    orientation = try Self.orientation(of: file, in: source, limits: host.limits)
  }

  /// Reads the chunks that are left, of a file whose last byte is there now.
  private func readRest() throws(CoderError) {
    guard !file.isOver, source.size < .max else { return }
    try file.advanceToTheEnd()
    orientation = try Self.orientation(of: file, in: source, limits: host.limits)
  }

  func header(page: Int) throws(CoderError) -> ImageHeader {
    try readRest()
    let isOpaque = isOpaque
    var header = ImageHeader(
      format: .webP, canvas: file.canvas, pixelFormat: isOpaque && !file.isAnimated ? .rgb8 : .rgba8,
      bitsPerChannel: 8, alpha: isOpaque ? .opaque : .straight)
    header.orientation = orientation
    header.frameCount = max(1, file.pictures.count)
    header.isAnimated = file.isAnimated
    header.loopCount = file.loopCount
    header.background = file.background
    header.metadata = Set(file.metadata.keys)
    header.isIncomplete = !file.isOver
    header.isTruncated = file.isTruncated
    header.isDamaged = file.isDamaged
    guard !file.pictures.isEmpty else { return header }
    header.isLossless = file.common.areLossless
    // RFC 6386 §2: VP8 stores 4:2:0 only.
    header.subsampling = file.common.areLossy ? .s420 : nil
    return header
  }

  func frame(_ index: Int, page: Int) throws(CoderError) -> FrameHeader {
    let picture = try picture(index)
    return FrameHeader(
      rect: picture.rect, delay: picture.delay, disposal: picture.disposal, blend: picture.blend,
      hasAlpha: picture.hasAlpha)
  }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    let picture = try picture(request.frame)
    let isOpaque = !picture.hasAlpha
    let format: PixelFormat
    switch request.pixelFormat {
    case .rgba8: format = .rgba8
    case .bgra8: format = .bgra8
    case .rgb8 where isOpaque: format = .rgb8
    default: format = isOpaque && !file.isAnimated ? .rgb8 : .rgba8
    }
    let alpha: AlphaMode =
      isOpaque ? .opaque : request.alpha == .premultiplied ? .premultiplied : .straight
    let size = Scaling.size(of: picture, on: file.canvas, for: request.size)
    var offer = DecodeOffer(request, size: size, pixelFormat: format, alpha: alpha, rowOrder: .topDown)
    offer.memory =
      picture.decodingMemory &+ (size == picture.rect.size ? 0 : size.width &* 64) &+ PassingRows.memory(for: offer)
    try host.limits.check(memory: offer.memory)
    return offer
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    let picture = try picture(offer.frame)
    let bounds = picture.rect.size
    guard !offer.size.isEmpty, offer.size.width <= bounds.width, offer.size.height <= bounds.height else {
      throw .invalidArgument("an offer of \(offer.size) for a picture of \(bounds)")
    }
    let decoder = FrameDecoder(
      picture: picture, input: try BitstreamInput(picture, in: source, isIncremental: !file.isOver), host: host,
      isLibwebpAlone: isLibwebpAlone)
    try decoder.decode(offer, into: sink)
  }

  func metadata(_ kind: MetadataKind, page: Int) throws(CoderError) -> [UInt8]? {
    if kind == .other { return try WebPMetadata.applicationData(in: source) }
    guard let range = file.metadata[kind] else { return nil }
    try host.limits.check(metadata: range.count)
    return try Self.payload(kind, at: range, in: source)
  }

  func properties(page: Int, frame: Int?) throws(CoderError) -> Properties {
    var properties = Properties()
    if let frame {
      _ = try picture(frame)
    } else if file.isAnimated {
      properties["{WebP}", "CanvasPixelWidth"] = .integer(Int64(file.canvas.width))
      properties["{WebP}", "CanvasPixelHeight"] = .integer(Int64(file.canvas.height))
    }
    return properties
  }
}

extension WebPReader {
  /// - Throws: ``CoderError/Code/invalidArgument`` for a frame that an incremental file turns out not to have: how many
  ///   there are was not known when the number was checked.
  private func picture(_ index: Int) throws(CoderError) -> Picture {
    if !file.isOver { try file.advance(toPicture: index) }
    guard file.pictures.indices.contains(index) else {
      throw .invalidArgument("frame \(index) of a WebP file, which has \(file.pictures.count)")
    }
    return file.pictures[index]
  }

  /// Whether every pixel of the canvas is opaque at every time. An animation's canvas starts out transparent
  /// (RFC 9649 §2.7.1.1), so its first frame has to cover it, and nothing may be cleared.
  private var isOpaque: Bool {
    // Frames may follow those that are known.
    guard file.isOver || !file.isAnimated, let first = file.pictures.first else { return false }
    return first.rect == Rect(covering: file.canvas) && file.common.areOpaqueAndKept
  }

  private static func orientation(
    of file: WebPFile, in source: SourceView, limits: Limits
  ) throws(CoderError) -> Orientation {
    guard let range = file.metadata[.exif], range.count <= limits.maxMetadata else { return .up }
    return ExifOrientation.read(try payload(.exif, at: range, in: source))
  }

  /// Some writers leave what JPEG puts before Exif in the chunk.
  private static func payload(
    _ kind: MetadataKind, at range: Range<Int>, in source: SourceView
  ) throws(CoderError) -> [UInt8] {
    let payload = try ArrayMemory.copy(source.bytes(at: range.lowerBound, count: range.count), for: "metadata")
    let start = kind == .exif ? ExifPayload.start(in: payload.span.bytes) : 0
    return start == 0 ? payload : try ArrayMemory.copy(payload[start...], for: "metadata")
  }
}

/// Which sizes libwebp is asked to scale to while it decodes.
enum Scaling {
  /// The size to offer for a request.
  ///
  /// libwebp averages areas of luma and chroma planes, and the host resamples the result. One and a half
  /// times a request of twice the final size keeps 50 dB of PSNR against resampling the whole picture. Beyond half of the
  /// picture's sides scaling takes as long as decoding all of it. Planes are scaled without regard to alpha, which
  /// colors edges, and lossless pictures gain no time: both are decoded whole.
  static func size(of picture: Picture, on canvas: Size, for request: Size?) -> Size {
    let full = picture.rect.size
    guard let request, !request.isEmpty, full == canvas, picture.kind == .lossy, !picture.hasAlpha else { return full }
    let bound = min(ratio(full.width, request.width), ratio(full.height, request.height)) / 2
    let factor = 1.5
    guard bound >= factor else { return full }
    func scaled(_ side: Int, _ limit: Int) -> Int { min(Int((Double(side) * factor).rounded(.up)), limit) }
    return Size(width: scaled(request.width, full.width), height: scaled(request.height, full.height))
  }

  private static func ratio(_ full: Int, _ wanted: Int) -> Double { Double(full) / Double(wanted) }
}
