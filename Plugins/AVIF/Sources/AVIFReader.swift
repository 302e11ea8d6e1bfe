// SPDX-License-Identifier: Apache-2.0

import CAVIF
import ImageCoderPlugin

/// Reads AVIF: stills, grids and sequences.
///
/// Boxes are read by libavif and, where it does not tell, here; AV1 is decoded by dav1d inside libavif. Frames of a
/// sequence are whole pictures, decoded from the nearest key frame on.
///
/// - Format: AV1 Image File Format 1.1, ISO/IEC 23008-12, ISO/IEC 14496-12. Library: libavif 0.11.
final class AVIFReader: ContainerReader {
  private let host: CoderHost
  private let file: AVIFFile
  private let picture: PictureDecoder
  private let presentation: Presentation
  private let layout: PixelLayout
  private let frameCount: Int
  private let isTruncated: Bool
  private let delays: [UInt32]
  private let isLossless: Bool
  private let thumbnail: EmbeddedThumbnail?

  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    self.host = host
    let limits = host.limits
    file = try AVIFFile(parsing: try source.contents())
    try Self.checkPrimaryItem(of: file)
    picture = try PictureDecoder(
      file, source: file.isSequence ? AVIF_DECODER_SOURCE_TRACKS : AVIF_DECODER_SOURCE_PRIMARY_ITEM,
      patches: file.isSequence ? file.timingPatches : file.associationPatches,
      in: file.isSequence ? file.movie : file.items?.box, limits: limits)
    let image = picture.image
    presentation = Presentation(image)
    try limits.check(canvas: presentation.crop.size)
    let count = max(picture.imageCount, 1)
    try limits.check(frames: count)
    let whole = file.isCut ? picture.wholeFrames(of: count) : count
    frameCount = max(whole, 1)
    isTruncated = whole < count
    layout = PixelLayout(
      Self.format(image, hasAlpha: picture.hasAlpha),
      !picture.hasAlpha ? .opaque : image.alphaPremultiplied != AVIF_FALSE ? .premultiplied : .straight)
    delays = file.isSequence ? file.track?.delays(of: frameCount, in: file.bytes) ?? [] : []
    isLossless = Self.isLossless(picture, in: file)
    thumbnail = EmbeddedThumbnail(in: file, of: image, presentation: presentation, hasAlpha: picture.hasAlpha)
  }

  func header(page: Int) throws(CoderError) -> ImageHeader {
    try check(page: page)
    let image = picture.image
    var header = ImageHeader(
      format: .avif, canvas: presentation.crop.size, pixelFormat: layout.format, bitsPerChannel: Int(image.depth),
      alpha: layout.alpha)
    header.orientation = presentation.orientation
    header.frameCount = frameCount
    header.isAnimated = file.isSequence
    header.loopCount = file.isSequence ? file.track?.loopCount : nil
    header.cicp = Self.cicp(image)
    header.subsampling = Self.subsampling(image)
    if image.icc.size > 0 { header.metadata.insert(.icc) }
    if image.exif.size > 0 { header.metadata.insert(.exif) }
    if image.xmp.size > 0 { header.metadata.insert(.xmp) }
    header.isTruncated = isTruncated
    header.isProgressive = picture.isProgressive
    header.isLossless = isLossless
    return header
  }

  func frame(_ index: Int, page: Int) throws(CoderError) -> FrameHeader {
    try check(page: page)
    try check(frame: index)
    var delay: FrameDelay?
    if file.isSequence, delays.indices.contains(index), let timescale = file.track?.timescale, timescale > 0 {
      delay = FrameDelay(numerator: delays[index], denominator: timescale)
    }
    return FrameHeader(
      rect: Rect(covering: presentation.crop.size), delay: delay, disposal: .keep, blend: .source, dependsOn: index,
      hasAlpha: picture.hasAlpha)
  }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    try check(page: request.page)
    try check(frame: request.frame)
    if let thumbnail, request.frame == 0, let wanted = request.size, thumbnail.covers(wanted) {
      return DecodeOffer(
        request, size: thumbnail.size, pixelFormat: layout.format, alpha: layout.alpha, scaleCode: 1,
        memory: Self.memory(of: thumbnail.size, as: picture.image, hasAlpha: picture.hasAlpha, isSequence: false))
    }
    var format = layout.format
    if let wanted = request.pixelFormat, !format.isGray,
      [.rgba8, .bgra8, .rgb8].contains(wanted),
      wanted.hasAlpha || !format.hasAlpha
    {
      format = wanted
    }
    let image = picture.image
    let memory = Self.memory(
      of: Size(width: Int(image.width), height: Int(image.height)), as: image, hasAlpha: picture.hasAlpha,
      isSequence: file.isSequence)
    try host.limits.check(memory: memory)
    return DecodeOffer(
      request, size: presentation.crop.size, pixelFormat: format, alpha: layout.alpha, memory: memory)
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    try check(page: offer.page)
    try check(frame: offer.frame)
    if offer.scaleCode == 1, let thumbnail {
      guard offer.size == thumbnail.size else { throw .invalidArgument("an offer of \(offer.size), not made") }
      let decoder = try thumbnail.decoder(for: file, limits: host.limits)
      return try deliver(decoder, crop: Rect(covering: thumbnail.size), offer: offer, into: sink)
    }
    guard offer.size == presentation.crop.size else {
      throw .invalidArgument("an offer of \(offer.size) for a picture of \(presentation.crop.size)")
    }
    try deliver(picture, crop: presentation.crop, offer: offer, into: sink)
  }

  func metadata(_ kind: MetadataKind, page: Int) throws(CoderError) -> [UInt8]? {
    try check(page: page)
    let image = picture.image
    let data =
      switch kind {
      case .icc: image.icc
      case .exif: image.exif
      case .xmp: image.xmp
      }
    guard data.size > 0 else { return nil }
    try host.limits.check(metadata: data.size)
    let bytes = UnsafeBufferPointer(start: data.data, count: data.size)
    return Array(kind == .exif ? bytes[ExifPrefix.end(in: bytes)...] : bytes[...])
  }

  func properties(page: Int, frame: Int?) throws(CoderError) -> Properties {
    try check(page: page)
    if let frame {
      try check(frame: frame)
      return Properties()
    }
    return file.properties(of: picture.image)
  }
}

extension AVIFReader {
  private func check(page: Int) throws(CoderError) {
    guard page == 0 else { throw .invalidArgument("page \(page) of an AVIF file, which has 1") }
  }

  /// Items that libavif does not derive pictures from are for another coder.
  private static func checkPrimaryItem(of file: AVIFFile) throws(CoderError) {
    guard !file.isSequence, let items = file.items, let type = items.types[items.primary] else { return }
    guard type == FourCC("av01") || type == FourCC("grid") else {
      throw .unsupported("a primary item of type \(type), and libavif reads av01 and grid")
    }
  }

  private func check(frame: Int) throws(CoderError) {
    guard frame >= 0, frame < frameCount else {
      throw .invalidArgument("frame \(frame) of an AVIF file, which has \(frameCount)")
    }
  }

  /// Decodes, converts, and says what is missing.
  private func deliver(
    _ decoder: PictureDecoder, crop: Rect, offer: DecodeOffer, into sink: RowSink
  ) throws(CoderError) {
    let rows = try decoder.decode(frame: offer.frame, host: host)
    let image = decoder.image
    guard Int(image.width) >= crop.x + crop.width, Int(image.height) >= crop.y + crop.height else {
      throw .malformed("a decoded picture of \(image.width)×\(image.height), the container has \(crop.size)")
    }
    let converter = try PictureRows(image, crop: crop, offer: offer, host: host)
    let available = min(max(rows - crop.y, 0), crop.height)
    // A row at the lower edge of what is there would be interpolated with rows that are not.
    try converter.deliver(rows < Int(image.height) ? max(available - 1, 0) : available, into: sink)
    guard rows >= Int(image.height) else {
      throw .truncated("\(rows) of \(image.height) rows are there", at: file.bytes.count)
    }
  }

  private static func format(_ image: avifImage, hasAlpha: Bool) -> PixelFormat {
    let isDeep = image.depth > 8
    guard image.yuvFormat == AVIF_PIXEL_FORMAT_YUV400 else { return isDeep ? .rgba16 : hasAlpha ? .rgba8 : .rgb8 }
    return isDeep ? hasAlpha ? .grayAlpha16 : .gray16 : hasAlpha ? .grayAlpha8 : .gray8
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

  /// Whether a still's colours are stored as they are, and colour and alpha are compressed without loss.
  private static func isLossless(_ picture: PictureDecoder, in file: AVIFFile) -> Bool {
    let image = picture.image
    let isDirect =
      image.yuvFormat == AVIF_PIXEL_FORMAT_YUV400
      || (image.matrixCoefficients == 0 && image.yuvFormat == AVIF_PIXEL_FORMAT_YUV444)
    guard isDirect, image.yuvRange == AVIF_RANGE_FULL, !file.isSequence, let items = file.items else { return false }
    let alpha = picture.hasAlpha ? items.auxiliaries.prefix(1) : []
    return ([items.primary] + alpha).allSatisfy { item in
      guard items.types[item] == FourCC("av01"), let place = items.place(of: item, in: file.bytes) else { return false }
      return AV1KeyFrame(parsing: UnsafeRawBufferPointer(rebasing: file.bytes.raw[place]))?.isLossless == true
    }
  }
}

/// The prefix that JPEG puts before Exif, and that some writers leave in the item.
enum ExifPrefix {
  private static let bytes: [UInt8] = [0x45, 0x78, 0x69, 0x66, 0, 0]

  /// Where the TIFF header starts: behind the prefix, if it is there.
  static func end(in payload: UnsafeBufferPointer<UInt8>) -> Int {
    payload.prefix(bytes.count).elementsEqual(bytes) ? bytes.count : 0
  }
}
