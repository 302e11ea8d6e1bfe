// SPDX-License-Identifier: Apache-2.0

import CAVIF
import ISOBaseMediaFile
import ImageCoderPlugin

/// Reads AVIF: stills, grids and sequences.
///
/// Boxes are read by libavif and, where it does not tell, here; AV1 is decoded by dav1d inside libavif. Frames of a
/// sequence are whole pictures, decoded from the nearest key frame on.
///
/// - Format: AV1 Image File Format 1.1, ISO/IEC 23008-12, ISO/IEC 14496-12. Library: libavif 0.11.
final class AVIFReader: ContainerReader {
  private let host: CoderHost
  private let source: SourceView
  private var open: OpenedFile

  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    self.source = source
    self.host = host
    open = try OpenedFile(source, isIncremental: options.contains(.incremental), host: host)
  }

  /// Opens the whole file once its last byte is there.
  private func reopenIfComplete() throws(CoderError) {
    guard open.file.incremental != nil, source.size < .max else { return }
    open = try OpenedFile(source, isIncremental: false, host: host)
  }

  func header(page: Int) throws(CoderError) -> ImageHeader {
    try reopenIfComplete()
    let image = open.picture.image
    var header = ImageHeader(
      format: .avif, canvas: open.presentation.crop.size, pixelFormat: open.layout.format,
      bitsPerChannel: Int(image.depth), alpha: open.layout.alpha)
    header.orientation = open.presentation.orientation
    header.frameCount = open.frameCount
    header.isAnimated = open.file.isSequence
    header.loopCount = open.file.isSequence ? open.file.track?.loopCount : nil
    header.cicp = Self.cicp(image)
    header.subsampling = Self.subsampling(image)
    header.isIncomplete = open.file.incremental != nil
    if image.icc.size > 0 { header.metadata.insert(.icc) }
    if image.exif.size > 0 { header.metadata.insert(.exif) }
    if image.xmp.size > 0 { header.metadata.insert(.xmp) }
    header.isTruncated = open.isTruncated
    header.isProgressive = open.picture.isProgressive
    header.isLossless = open.isLossless
    return header
  }

  func frame(_ index: Int, page: Int) throws(CoderError) -> FrameHeader {
    try check(frame: index)
    var delay: FrameDelay?
    if open.file.isSequence, open.delays.indices.contains(index), let timescale = open.file.track?.timescale,
      timescale > 0
    {
      delay = FrameDelay(numerator: open.delays[index], denominator: timescale)
    }
    return FrameHeader(
      rect: Rect(covering: open.presentation.crop.size), delay: delay, disposal: .keep, blend: .source,
      dependsOn: index, hasAlpha: open.hasAlpha)
  }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    try check(frame: request.frame)
    if let thumbnail = open.thumbnail, request.frame == 0, let wanted = request.size, thumbnail.covers(wanted) {
      return DecodeOffer(
        request, size: thumbnail.size, pixelFormat: open.layout.format, alpha: open.layout.alpha, scaleCode: 1,
        memory: Self.memory(
          of: thumbnail.size, as: open.picture.image, hasAlpha: open.hasAlpha, isSequence: false))
    }
    var format = open.layout.format
    if let wanted = request.pixelFormat, !format.isGray,
      [.rgba8, .bgra8, .rgb8].contains(wanted),
      wanted.hasAlpha || !format.hasAlpha
    {
      format = wanted
    }
    let image = open.picture.image
    let memory = Self.memory(
      of: Size(width: Int(image.width), height: Int(image.height)), as: image, hasAlpha: open.hasAlpha,
      isSequence: open.file.isSequence)
    try host.limits.check(memory: memory)
    return DecodeOffer(
      request, size: open.presentation.crop.size, pixelFormat: format, alpha: open.layout.alpha, memory: memory)
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    try check(frame: offer.frame)
    if offer.scaleCode == 1, let thumbnail = open.thumbnail {
      guard offer.size == thumbnail.size else { throw .invalidArgument("an offer of \(offer.size), not made") }
      let decoder = try thumbnail.decoder(for: open.file, host: host)
      return try deliver(decoder, crop: Rect(covering: thumbnail.size), offer: offer, into: sink)
    }
    guard offer.size == open.presentation.crop.size else {
      throw .invalidArgument("an offer of \(offer.size) for a picture of \(open.presentation.crop.size)")
    }
    try deliver(open.picture, crop: open.presentation.crop, offer: offer, into: sink)
  }

  func metadata(_ kind: MetadataKind, page: Int) throws(CoderError) -> [UInt8]? {
    // Exif and XMP may lie after the picture.
    if kind != .icc, open.file.incremental != nil {
      _ = try source.contents()
      try reopenIfComplete()
    }
    let image = open.picture.image
    let data =
      switch kind {
      case .icc: image.icc
      case .exif: image.exif
      case .xmp: image.xmp
      }
    guard data.size > 0 else { return nil }
    try host.limits.check(metadata: data.size)
    let bytes = [UInt8](UnsafeBufferPointer(start: data.data, count: data.size))
    // Some writers leave what JPEG puts before Exif in the item.
    return kind == .exif ? [UInt8](bytes[ExifPayload.start(in: bytes.span.bytes)...]) : bytes
  }

  func properties(page: Int, frame: Int?) throws(CoderError) -> Properties {
    frame == nil ? open.file.properties(of: open.picture.image) : Properties()
  }
}

extension AVIFReader {
  /// The SDK checks numbers of frames only once a file is complete.
  private func check(frame: Int) throws(CoderError) {
    guard frame >= 0, frame < open.frameCount else {
      throw .invalidArgument("frame \(frame) of an AVIF file, which has \(open.frameCount)")
    }
  }

  /// Decodes, converts, and says what is missing.
  private func deliver(
    _ decoder: PictureDecoder, crop: Rect, offer: DecodeOffer, into sink: RowSink
  ) throws(CoderError) {
    var delivered = 0
    while true {
      let rows = try decoder.decode(frame: offer.frame, isPatient: !open.file.isGrid, host: host)
      var image = decoder.image
      if let alpha = open.tileAlpha, decoder === open.picture {
        try add(alpha, rows: rows, to: &image)
      }
      guard Int(image.width) >= crop.x + crop.width, Int(image.height) >= crop.y + crop.height else {
        throw .malformed("a decoded picture of \(image.width)×\(image.height), the container has \(crop.size)")
      }
      let isWhole = rows >= Int(image.height)
      let there = min(max(rows - crop.y, 0), crop.height)
      // A row at the lower edge of what is there would be interpolated with rows that are not.
      let available = isWhole ? there : max(there - 1, 0)
      if isWhole || available > delivered {
        let converter = try PictureRows(image, crop: crop, offer: offer, host: host)
        try converter.deliver(delivered..<available, into: sink)
        delivered = available
      }
      if isWhole { return }
      guard try decoder.waitForMissing() else {
        throw .truncated("\(rows) of \(image.height) rows are there", at: open.file.bytes.count)
      }
    }
  }

  /// Lets a picture have the alpha of its tiles, which lives as long as the decoder's next picture.
  private func add(_ alpha: PictureDecoder, rows: Int, to image: inout avifImage) throws(CoderError) {
    let there = try alpha.decode(frame: 0, host: host)
    let plane = alpha.image
    guard plane.width == image.width, plane.height == image.height, plane.depth == image.depth, there >= rows,
      plane.yuvRange == AVIF_RANGE_FULL
    else {
      throw .unsupported(
        "alpha tiles of \(plane.width)×\(plane.height) with \(plane.depth) bits for a grid of "
          + "\(image.width)×\(image.height) with \(image.depth) bits")
    }
    image.alphaPlane = plane.yuvPlanes.0
    image.alphaRowBytes = plane.yuvRowBytes.0
  }

  /// dav1d keeps a frame for each plane, a sequence up to eight more for reference (AV1 §7.20), and the tiles of a grid
  /// are put together in planes of libavif's own.
  private static func memory(of size: Size, as image: avifImage, hasAlpha: Bool, isSequence: Bool) -> Int {
    let channels =
      switch image.yuvFormat {
      case AVIF_PIXEL_FORMAT_YUV444: 12
      case AVIF_PIXEL_FORMAT_YUV422: 8
      case AVIF_PIXEL_FORMAT_YUV420: 6
      default: 4
      }
    let quarters = (channels + (hasAlpha ? 4 : 0)) * (image.depth > 8 ? 2 : 1)
    return size.pixelCount / 4 * quarters * (isSequence ? 10 : 2) + (1 << 20)
  }

  private static func subsampling(_ image: avifImage) -> Subsampling? {
    switch image.yuvFormat {
    case AVIF_PIXEL_FORMAT_YUV444: .s444
    case AVIF_PIXEL_FORMAT_YUV422: .s422
    case AVIF_PIXEL_FORMAT_YUV420: .s420
    case AVIF_PIXEL_FORMAT_YUV400: .s400
    default: nil
    }
  }

  /// Primaries and transfer of 2 say nothing (ITU-T H.273 §8.1, §8.2).
  private static func cicp(_ image: avifImage) -> CodingIndependentCodePoints? {
    guard image.colorPrimaries != 2 || image.transferCharacteristics != 2 else { return nil }
    return CodingIndependentCodePoints(
      primaries: UInt8(clamping: image.colorPrimaries), transfer: UInt8(clamping: image.transferCharacteristics),
      matrix: UInt8(clamping: image.matrixCoefficients), isFullRange: image.yuvRange == AVIF_RANGE_FULL)
  }
}
