// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Reads GIF stills and animations with giflib.
///
/// Frames are the file's images as they are stored, cut to the canvas, in any order. Pixels are rgb8 for an opaque still
/// that covers its canvas, else rgba8; transparent ones are zero in all channels.
///
/// - Format: Graphics Interchange Format, Version 89a (1990), and 87a. Library: giflib 5.2 or later.
/// - Not covered: incremental bytes, XMP, comments.
final class GIFLibReader: ContainerReader {
  private let library: LibGIF
  private let host: CoderHost
  private let index: FileIndex

  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    self.host = host
    library = try LibGIF(try source.contents())
    index = try FileIndex(library, limits: host.limits)
  }

  func header(page: Int) throws(CoderError) -> ImageHeader {
    var header = ImageHeader(
      format: .gif, canvas: index.canvas, pixelFormat: index.isOpaqueStill ? .rgb8 : .rgba8, bitsPerChannel: 8,
      alpha: index.isOpaqueStill ? .opaque : .straight)
    header.frameCount = index.images.count
    header.isAnimated = index.isAnimated
    header.loopCount = index.loopCount
    header.pixelAspect = library.pixelAspect
    if !index.profile.isEmpty { header.metadata.insert(.icc) }
    header.isTruncated = index.isTruncated
    header.isProgressive = index.images.first?.isInterlaced ?? false
    header.isLossless = true
    header.hasPalette = true
    return header
  }

  func frame(_ number: Int, page: Int) throws(CoderError) -> FrameHeader {
    let image = index.images[number]
    let delay = FrameDelay(numerator: image.delay, denominator: 100)
    guard let rect = image.visibleRect(on: index.canvas) else {
      // Nothing of the image shows, but its delay does: one transparent pixel stands for it.
      return FrameHeader(rect: Rect(x: 0, y: 0, width: 1, height: 1), delay: delay, blend: .over, hasAlpha: true)
    }
    let hasAlpha = image.transparentIndex != nil
    return FrameHeader(
      rect: rect, delay: delay, disposal: image.disposal, blend: hasAlpha ? .over : .source, hasAlpha: hasAlpha)
  }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    let image = index.images[request.frame]
    let visible = image.visibleRect(on: index.canvas)
    let isOpaque = visible != nil && image.transparentIndex == nil
    let format: PixelFormat = index.isOpaqueStill && request.pixelFormat != .rgba8 ? .rgb8 : .rgba8
    return DecodeOffer(
      request, size: visible?.size ?? Size(width: 1, height: 1), pixelFormat: format,
      alpha: isOpaque ? .opaque : .straight, rowOrder: image.isInterlaced && visible != nil ? .any : .topDown)
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    let image = index.images[offer.frame]
    guard let visible = image.visibleRect(on: index.canvas) else {
      let row = try sink.rows(at: 0)
      row.base.initializeMemory(as: UInt8.self, repeating: 0, count: offer.pixelFormat.bytesPerPixel)
      return try sink.done(at: 0)
    }
    guard offer.size == visible.size, [.rgb8, .rgba8].contains(offer.pixelFormat) else {
      throw .invalidArgument("an offer of \(offer.size) pixels of \(offer.pixelFormat), which was not made")
    }
    // An image may be larger than the canvas.
    try host.limits.check(canvas: image.size)
    library.offset = image.offset
    _ = try library.nextDescriptor()
    let palette = palette(transparentIndex: image.transparentIndex)
    let memory = try host.allocate(bytes: image.size.width, for: "a row of indexes")
    defer { host.free(memory) }
    let indexes = memory.bindMemory(to: UInt8.self, capacity: image.size.width)
    var left = visible.height
    for (y, pass) in Self.rows(image.size.height, isInterlaced: image.isInterlaced) {
      guard !host.isCancelled else { throw .cancelled }
      try library.nextRow(into: indexes, count: image.size.width)
      guard y < visible.height else { continue }
      let row = try sink.rows(at: y).base
      expand(indexes, count: visible.width, palette: palette, bytesPerPixel: offer.pixelFormat.bytesPerPixel, to: row)
      try sink.done(at: y, pass: pass)
      left -= 1
      if left == 0 { return }
    }
  }

  func metadata(_ kind: MetadataKind, page: Int) throws(CoderError) -> [UInt8]? {
    guard kind == .icc, !index.profile.isEmpty else { return nil }
    try host.limits.check(metadata: index.profile.count)
    return index.profile
  }

  func properties(page: Int, frame: Int?) throws(CoderError) -> Properties {
    var properties = Properties()
    if let frame {
      properties["{GIF}", "UnclampedDelayTime"] = .number(Double(index.images[frame].delay) / 100)
    } else if let loopCount = index.loopCount {
      properties["{GIF}", "LoopCount"] = .integer(Int64(loopCount.plays))
    }
    return properties
  }

  /// Where each stored row goes, and in which pass it comes.
  ///
  /// - Format: GIF89a, Appendix E, Interlaced Images.
  private static func rows(_ height: Int, isInterlaced: Bool) -> [(y: Int, pass: Int)] {
    guard isInterlaced else { return (0..<height).map { ($0, 0) } }
    return zip([0, 4, 2, 1], [8, 8, 4, 2]).enumerated().flatMap { (pass, rows) in
      stride(from: rows.0, to: height, by: rows.1).map { ($0, pass) }
    }
  }

  /// The 256 pixels that indexes stand for: black after the palette's end, and black and white without a palette (§21).
  private func palette(transparentIndex: Int?) -> [UInt32] {
    let colors = (library.localPalette ?? library.globalPalette ?? [0xFF00_0000, 0xFFFF_FFFF]).prefix(256)
    var palette = Array(colors) + Array(repeating: 0xFF00_0000, count: 256 - colors.count)
    if let transparentIndex, palette.indices.contains(transparentIndex) { palette[transparentIndex] = 0 }
    return palette
  }

  private func expand(
    _ indexes: UnsafePointer<UInt8>, count: Int, palette: [UInt32], bytesPerPixel: Int, to row: UnsafeMutableRawPointer
  ) {
    for x in 0..<count {
      let pixel = palette[Int(indexes[x])]
      for channel in 0..<bytesPerPixel {
        row.storeBytes(
          of: UInt8(truncatingIfNeeded: pixel >> UInt32(8 * channel)), toByteOffset: bytesPerPixel * x + channel,
          as: UInt8.self)
      }
    }
  }
}
