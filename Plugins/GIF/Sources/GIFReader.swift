// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Reads GIF stills and animations.
///
/// The file's blocks are indexed when it is opened, without decoding any pixel; each frame is then decoded on its own,
/// in any order. Of an incremental file, blocks are indexed up to the image that is asked for; if only the first frame of an
/// animation is wanted, no byte after it is looked at. Frames are the file's images as they are stored, cut to the canvas.
///
/// Pixels are rgb8 for an opaque still that covers its canvas, else rgba8; transparent ones are zero in all channels.
///
/// - Format: Graphics Interchange Format, Version 89a (1990), and 87a.
final class GIFReader: ContainerReader {
  private let bytes: GIFBytes
  private let host: CoderHost
  private var scanner: GIFScanner
  private let wantsFirstFrameOnly: Bool
  private var decoder: GIFFrameDecoder?
  private var hasDecoded = false

  private var structure: GIFStructure { scanner.structure }

  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    self.host = host
    wantsFirstFrameOnly = options.contains(.firstFrameOnly)
    bytes = try GIFBytes(source, options: options)
    scanner = try GIFScanner(bytes, limits: host.limits, stopsAfterFirstImage: wantsFirstFrameOnly)
    try scanner.advance(toImage: bytes.isArriving ? 0 : .max)
  }

  /// Scans the rest of a file whose last byte is there, or of which no more is needed than was decoded.
  private func scanRest() throws(CoderError) {
    try bytes.refresh()
    if !bytes.isArriving || (wantsFirstFrameOnly && hasDecoded) { try scanner.advance(toImage: .max) }
  }

  func header(page: Int) throws(CoderError) -> ImageHeader {
    try scanRest()
    let structure = structure
    let isOpaque = structure.isOpaqueStill
    var header = ImageHeader(
      format: .gif, canvas: structure.canvas, pixelFormat: isOpaque ? .rgb8 : .rgba8, bitsPerChannel: 8,
      alpha: isOpaque ? .opaque : .straight)
    header.pixelAspect = structure.screen.pixelAspect.flatMap { $0 == 1 ? nil : $0 }
    header.frameCount = structure.images.count
    header.isAnimated = structure.isAnimated
    header.loopCount = structure.loopCount
    header.background = structure.background
    if structure.iccOffset != nil { header.metadata.insert(.icc) }
    if structure.xmpOffset != nil { header.metadata.insert(.xmp) }
    if structure.credentialsOffset != nil { header.metadata.insert(.c2pa) }
    if !structure.commentOffsets.isEmpty { header.metadata.insert(.text) }
    header.isIncomplete = !structure.isWhole
    header.isTruncated = structure.isTruncated
    header.isProgressive = structure.images.first?.descriptor.isInterlaced ?? false
    header.isLossless = true
    header.hasPalette = true
    return header
  }

  func frame(_ index: Int, page: Int) throws(CoderError) -> FrameHeader {
    let image = try image(index)
    let delay = FrameDelay(numerator: UInt32(image.control.delay), denominator: 100)
    guard let rect = image.visibleRect(on: structure.canvas) else {
      // Nothing of the image shows, but its delay does: one transparent pixel stands for it.
      return FrameHeader(rect: Rect(x: 0, y: 0, width: 1, height: 1), delay: delay, blend: .over, hasAlpha: true)
    }
    let hasAlpha = image.hasTransparency
    return FrameHeader(
      rect: rect, delay: delay, disposal: image.disposal, blend: hasAlpha ? .over : .source, hasAlpha: hasAlpha)
  }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    let image = try image(request.frame)
    let visible = image.visibleRect(on: structure.canvas)
    let isOpaque = visible != nil && !image.hasTransparency
    let format: PixelFormat =
      switch request.pixelFormat {
      case .bgra8: .bgra8
      case .rgba8: .rgba8
      case .rgb8 where isOpaque: .rgb8
      default: structure.isOpaqueStill ? .rgb8 : .rgba8
      }
    // Transparent pixels are zero, so straight and premultiplied are the same bytes.
    let alpha: AlphaMode = isOpaque ? .opaque : request.alpha == .premultiplied ? .premultiplied : .straight
    return DecodeOffer(
      request, size: visible?.size ?? Size(width: 1, height: 1), pixelFormat: format, alpha: alpha,
      rowOrder: image.descriptor.isInterlaced && visible != nil ? .any : .topDown, memory: GIFFrameDecoder.memory)
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    let image = try image(offer.frame)
    let visible = image.visibleRect(on: structure.canvas)
    guard offer.size == visible?.size ?? Size(width: 1, height: 1), [.rgb8, .rgba8, .bgra8].contains(offer.pixelFormat)
    else {
      throw .invalidArgument("an offer of \(offer.size) pixels of \(offer.pixelFormat), which was not made")
    }
    hasDecoded = true
    guard let visible else {
      let row = try sink.rows(at: 0)
      row.base.initializeMemory(as: UInt8.self, repeating: 0, count: offer.pixelFormat.bytesPerPixel)
      return try sink.done(at: 0)
    }
    // An image may be larger than the canvas; all of it has to be decoded to find the rows that are not.
    try host.limits.check(canvas: image.size)
    try host.countInflated(image.size.pixelCount)
    try bytes.restore()
    let available = bytes.available
    let localColorCount = image.descriptor.localColorCount
    let palette = try GIFPalette(
      ByteReader(available.bytes), at: localColorCount > 0 ? image.paletteOffset : LogicalScreen.size,
      count: localColorCount > 0 ? localColorCount : structure.screen.globalColorCount,
      transparentIndex: image.control.transparentIndex, format: offer.pixelFormat)
    // The header says of the first image alone that rows come in passes, which are not final before the last.
    let showsCoarseRows = structure.images[0].descriptor.isInterlaced
    try frameDecoder().decode(
      image, of: bytes, palette: palette, format: offer.pixelFormat, visible: visible.size,
      showsCoarseRows: showsCoarseRows, into: sink)
  }

  func metadata(_ kind: MetadataKind, page: Int) throws(CoderError) -> [UInt8]? {
    try bytes.restore()
    let available = bytes.available
    switch kind {
    case .icc: return try structure.joined(at: structure.iccOffset, in: available.bytes, limits: host.limits)
    case .c2pa: return try structure.joined(at: structure.credentialsOffset, in: available.bytes, limits: host.limits)
    case .text: return try structure.texts(in: available.bytes, limits: host.limits)
    case .xmp: return try structure.xmp(in: available.bytes, limits: host.limits)
    case .other: return try GIFMetadata.applicationData(in: available.bytes)
    case .exif, .iptc, .geoTIFF, .trailer: return nil
    }
  }

  func properties(page: Int, frame: Int?) throws(CoderError) -> Properties {
    var properties = Properties()
    if let frame {
      let image = try image(frame)
      properties["{GIF}", "UnclampedDelayTime"] = .number(Double(image.control.delay) / 100)
      return properties
    }
    try bytes.restore()
    properties["{GIF}", "Version"] = .text(structure.screen.version)
    properties["{GIF}", "CanvasPixelWidth"] = .integer(Int64(structure.canvas.width))
    properties["{GIF}", "CanvasPixelHeight"] = .integer(Int64(structure.canvas.height))
    properties["{GIF}", "HasGlobalColorMap"] = .integer(structure.screen.globalColorCount > 0 ? 1 : 0)
    properties["{GIF}", "PixelAspectRatio"] = structure.screen.pixelAspect.map { .number($0) }
    if let repetitions = structure.repetitions, let loopCount = structure.loopCount {
      properties["{GIF}", "LoopCount"] = .integer(Int64(loopCount.plays))
      properties["{GIF}", "NetscapeLoopCount"] = .integer(Int64(repetitions))
    }
    let available = bytes.available
    if let comment = try structure.comment(in: available.bytes, limits: host.limits) {
      properties["{GIF}", "Comment"] = .text(comment)
    }
    return properties
  }

  /// The decoder with its working memory, which the first frame takes.
  private func frameDecoder() throws(CoderError) -> GIFFrameDecoder {
    if let decoder { return decoder }
    let decoder = try GIFFrameDecoder(host: host)
    self.decoder = decoder
    return decoder
  }

  /// An image of the file.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a frame that an incremental file turns out not to have: how many
  ///   there are was not known when the number was checked.
  private func image(_ index: Int) throws(CoderError) -> GIFImageBlock {
    try scanner.advance(toImage: index)
    guard structure.images.indices.contains(index) else {
      throw .invalidArgument("frame \(index) of a GIF that has \(structure.images.count)")
    }
    return structure.images[index]
  }
}
