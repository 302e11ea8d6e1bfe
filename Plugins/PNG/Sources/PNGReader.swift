// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Reads PNG and APNG.
///
/// The chunks are walked and checked here; the C part inflates, unfilters and deinterlaces the pixels of one picture, the
/// default image or a frame, and leaves samples of 8 bits that are to have 16 to libpng. No gamma and no profile is
/// applied.
///
/// - Format: PNG Third Edition, W3C; APNG 1.0. Library: libpng 1.6.
/// - Not covered: MNG, JNG, CgBI.
final class PNGReader: ContainerReader {
  private let file: PNGFile
  private let host: CoderHost
  private var orientation = Orientation.up
  private var hasExif = false
  private var hasIPTC = false

  /// Text that may be inflated for Exif when a file is opened: the largest Exif of JPEG in hexadecimal, many times.
  private static let openingLimit = 4 << 20

  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    self.host = host
    file = try PNGFile(source, host: host, isIncremental: options.contains(.incremental))
    try noteExif()
  }

  private func noteExif() throws(CoderError) {
    let limit = min(Self.openingLimit, host.limits.maxMetadata)
    hasIPTC = try file.iptc(limit: limit, host: host) != nil
    let exif = try file.exif(limit: limit, host: host)
    hasExif = exif != nil
    orientation = exif.map { ExifOrientation.read($0) } ?? .up
  }

  /// Looks at the rest of an incremental file that has ended.
  private func catchUp() throws(CoderError) {
    guard !file.isOver, file.source.size < .max else { return }
    try file.advanceToTheEnd()
    try noteExif()
  }

  func header(page: Int) throws(CoderError) -> ImageHeader {
    try catchUp()
    var header = ImageHeader(
      format: .png, canvas: file.header.canvas, pixelFormat: nativeFormat, bitsPerChannel: bitsPerChannel,
      alpha: file.hasAlpha ? .straight : .opaque)
    header.orientation = orientation
    header.frameCount = frameCount
    header.isAnimated = file.isPlayed
    header.isIncomplete = !file.isOver
    header.loopCount = file.isPlayed ? file.animation.loopCount : nil
    header.cicp = file.color.cicp
    header.gamma = file.color.gamma
    header.background = try file.color.background(for: file.header, palette: file.palette)
    if file.index.profile != nil { header.metadata.insert(.icc) }
    if hasExif { header.metadata.insert(.exif) }
    if hasIPTC { header.metadata.insert(.iptc) }
    if file.index.credentials != nil { header.metadata.insert(.c2pa) }
    if !file.index.textChunks.isEmpty { header.metadata.insert(.text) }
    (header.resolution, header.pixelAspect) = file.color.density
    if file.index.xmp != nil || file.index.rawProfiles["xmp"] != nil { header.metadata.insert(.xmp) }
    header.isTruncated = file.isTruncated
    header.isDamaged = file.isDamaged
    header.isProgressive = file.header.isInterlaced
    header.isLossless = true
    header.hasPalette = file.header.colorType == .palette
    return header
  }

  func frame(_ index: Int, page: Int) throws(CoderError) -> FrameHeader {
    if file.isPlayed, !file.isOver { try file.advance(toFrame: index) }
    try check(frame: index)
    guard file.isPlayed, let frame = file.animation.frame(index) else {
      return FrameHeader(rect: Rect(covering: file.header.canvas), hasAlpha: file.hasAlpha)
    }
    return FrameHeader(
      rect: frame.rect, delay: frame.delay, disposal: frame.disposal, blend: frame.blend, hasAlpha: file.hasAlpha)
  }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    let format = request.pixelFormat.flatMap { canDeliver($0) ? $0 : nil } ?? nativeFormat
    let size = size(of: request.frame)
    // Up to eight rows of at most 8 bytes a pixel, a window of 160 KiB and tables.
    return DecodeOffer(
      request, size: size, pixelFormat: format, alpha: file.hasAlpha ? .straight : .opaque,
      rowOrder: file.header.isInterlaced ? .any : .topDown, memory: size.width * 64 + (192 << 10))
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    let size = size(of: offer.frame)
    guard offer.size == size, canDeliver(offer.pixelFormat) else {
      throw .invalidArgument("an offer of \(offer.size) in \(offer.pixelFormat) was not made")
    }
    guard var data = file.data(ofFrame: offer.frame) else {
      throw .truncated("the file of \(file.source.size) bytes ends before the image data", at: file.source.size)
    }
    if !file.isOver { data.end = .max }
    // Nothing is inflated after the last row.
    try host.countInflated(file.header.inflatedBytes(of: size))
    var lead = PNGFile.signature + file.header.resized(size).chunk
    if !file.palette.isEmpty { lead += LibPNG.chunk(.plte, file.palette) }
    if !file.transparency.isEmpty { lead += LibPNG.chunk(.trns, file.transparency) }
    try LibPNG.decode(
      data, of: file.source, lead: lead, transforms: transforms(to: offer.pixelFormat),
      rowBytes: size.width * offer.pixelFormat.bytesPerPixel, into: sink, host: host, isIncremental: !file.isOver)
  }

  func metadata(_ kind: MetadataKind, page: Int) throws(CoderError) -> [UInt8]? {
    try file.check(metadata: kind, limits: host.limits)
    switch kind {
    case .icc: return try file.iccProfile(host: host)
    case .exif: return try file.exif(limit: min(Self.openingLimit, host.limits.maxMetadata), host: host)
    case .xmp: return try file.xmp(host: host)
    case .iptc: return try file.iptc(limit: min(Self.openingLimit, host.limits.maxMetadata), host: host)
    case .c2pa:
      guard let chunk = file.index.credentials else { return nil }
      return try file.data(of: chunk)
    case .text: return try file.texts(host: host)
    case .other: return try PNGMetadata.applicationData(in: file.source, host: host)
    case .geoTIFF, .trailer: return nil
    }
  }

  func properties(page: Int, frame: Int?) throws(CoderError) -> Properties {
    frame == nil ? try file.properties(host: host) : Properties()
  }

  func storedColor(page: Int) throws(CoderError) -> StoredColor { file.color.stored }

  private var nativeFormat: PixelFormat { file.header.pixelFormat(hasTransparency: !file.transparency.isEmpty) }

  /// Palette entries have 8 bits, whatever the indexes have (§11.2.1, sample depth).
  private var bitsPerChannel: Int { file.header.colorType == .palette ? 8 : file.header.bitDepth }

  private var frameCount: Int { file.isPlayed ? max(1, file.animation.frames.count) : 1 }

  private func size(of frame: Int) -> Size {
    guard file.isPlayed, let frame = file.animation.frame(frame) else { return file.header.canvas }
    return frame.rect.size
  }

  /// Whether libpng makes a format of this file's samples without losing a channel.
  private func canDeliver(_ format: PixelFormat) -> Bool {
    guard !format.isFloat, format.hasAlpha || !file.hasAlpha else { return false }
    return file.header.colorType.isGray || !format.isGray
  }

  private func transforms(to format: PixelFormat) -> LibPNG.Transforms {
    var transforms: LibPNG.Transforms = []
    if file.header.bitDepth == 16, format.bytesPerChannel == 1 { transforms.insert(.scale16) }
    if file.header.bitDepth < 16, format.bytesPerChannel == 2 { transforms.insert(.expand16) }
    if file.header.colorType.isGray, !format.isGray { transforms.insert(.grayToRGB) }
    if format.hasAlpha, !file.hasAlpha { transforms.insert(.addAlpha) }
    if format == .bgra8 { transforms.insert(.bgr) }
    return transforms
  }

  /// Checks a frame: in a growing animation, the one after the last known one may turn out not to be there.
  private func check(frame: Int) throws(CoderError) {
    let isBeginning = !file.isOver && file.isPlayed && file.animation.knowsFrame(frame)
    guard isBeginning || (frame >= 0 && frame < frameCount) else {
      throw .invalidArgument("frame \(frame) of a file that has \(frameCount)")
    }
  }
}
