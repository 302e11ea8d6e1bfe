// SPDX-License-Identifier: Apache-2.0

import CodedPictures
import ISOBaseMediaFile
import ImageCoderPlugin

/// Reads HEIF stills of HEVC and AV1 with libheif.
///
/// libheif applies the transformations, so pictures are upright. Pixels are gray where a coded picture is, else rgb8 or
/// rgba8; more than 8 bits are spread over 16.
///
/// - Format: ISO/IEC 23008-12. Library: libheif 1.15 or later.
/// - Not covered: incremental bytes, rows of cut files, overlays, thumbnails, properties.
final class LibHEIFReader: ContainerReader {
  private let host: CoderHost
  private let items: CheckedItems
  private let file: LibHEIF.File
  private let pages: [UInt32]
  private let primaryPage: Int
  private var opened: [Int: Page] = [:]

  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    self.host = host
    let bytes = try source.contents()
    items = try CheckedItems(bytes, limits: host.limits)
    // Before libheif takes memory for the file.
    _ = try items.picture(items.primary, limits: host.limits)
    file = try LibHEIF.File(bytes)
    pages = file.pages
    guard pages.count <= host.limits.maxPages else {
      throw .limitExceeded(.maxPages, found: pages.count, allowed: host.limits.maxPages, what: "a page count of")
    }
    guard let page = pages.firstIndex(of: items.primary) else {
      throw .unsupported("a primary item, \(items.primary), that is part of another picture")
    }
    primaryPage = page
    _ = try self.page(page)
  }

  /// A page, and what is known of it without its pixels.
  private struct Page {
    let picture: LibHEIF.Picture
    let size: Size
    let bits: Int
    let pixelFormat: PixelFormat
    let alpha: AlphaMode
    let points: CodingIndependentCodePoints?
    let memory: Int

    init(_ picture: LibHEIF.Picture, _ checked: CheckedItems.Picture, limits: Limits) throws(CoderError) {
      self.picture = picture
      size = picture.size
      try limits.check(canvas: size)
      guard let bits = picture.bits else { throw .malformed("libheif finds no bits per channel") }
      self.bits = bits
      alpha = AlphaMode(hasAlpha: picture.hasAlpha, isPremultiplied: picture.isPremultiplied)
      pixelFormat = PixelFormat(isGray: checked.isGray, hasAlpha: picture.hasAlpha, isDeep: bits > 8)
      points = picture.points
      // libheif converts by other coefficients without a word.
      if let matrix = points?.matrix, !Self.matrices.contains(matrix) {
        throw .unsupported("matrix coefficients \(matrix), which libheif does not convert by")
      }
      // The planes of the decoder, two copies of them, red, green and blue, and a turned copy.
      let pixels = min(checked.work, size.pixelCount &* 2)
      memory = (bits > 8 ? 32 : 16) &* max(pixels, size.pixelCount)
    }

    private static let matrices: Set<UInt8> = [0, 1, 2, 4, 5, 6, 7, 9, 12]
  }

  private func page(_ number: Int) throws(CoderError) -> Page {
    if let page = opened[number] { return page }
    guard pages.indices.contains(number) else {
      throw .invalidArgument("page \(number) of a HEIF file, which has \(pages.count)")
    }
    let checked = try items.picture(pages[number], limits: host.limits)
    let page = try Page(try file.picture(pages[number]), checked, limits: host.limits)
    opened[number] = page
    return page
  }

  func header(page number: Int) throws(CoderError) -> ImageHeader {
    let page = try page(number)
    var header = ImageHeader(
      format: items.format, canvas: page.size, pixelFormat: page.pixelFormat, bitsPerChannel: page.bits,
      alpha: page.alpha)
    header.pageCount = pages.count
    header.primaryPage = primaryPage
    header.cicp = page.points
    if page.picture.profileSize > 0 { header.metadata.insert(.icc) }
    for kind in [MetadataKind.exif, .xmp] where try item(kind, of: page.picture) != nil {
      header.metadata.insert(kind)
    }
    return header
  }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    let page = try page(request.page)
    guard request.frame == 0 else { throw .invalidArgument("frame \(request.frame) of a still picture, which has 1") }
    try host.limits.check(memory: page.memory)
    return DecodeOffer(
      request, size: page.size, pixelFormat: page.pixelFormat, alpha: page.alpha, memory: page.memory)
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    let page = try page(offer.page)
    guard offer.size == page.size, offer.pixelFormat == page.pixelFormat else {
      throw .invalidArgument("an offer of \(offer.size) pixels of \(offer.pixelFormat), which was not made")
    }
    guard !host.isCancelled else { throw .cancelled }
    let decoded = try page.picture.decode()
    let rows = try PictureRows(decoded, size: page.size, as: page.pixelFormat)
    for y in 0..<page.size.height {
      guard !host.isCancelled else { throw .cancelled }
      rows.write(y, to: try sink.rows(at: y).base)
      try sink.done(at: y)
    }
  }

  func metadata(_ kind: MetadataKind, page number: Int) throws(CoderError) -> [UInt8]? {
    let picture = try page(number).picture
    guard kind != .icc else {
      guard picture.profileSize > 0 else { return nil }
      try host.limits.check(metadata: picture.profileSize)
      return try picture.profile()
    }
    guard let found = try item(kind, of: picture) else { return nil }
    try host.limits.check(metadata: picture.metadataSize(found.id) - found.start)
    return Array(try picture.metadata(found.id).dropFirst(found.start))
  }

  /// The first item with a payload, and where that begins in the item.
  private func item(_ kind: MetadataKind, of picture: LibHEIF.Picture) throws(CoderError) -> (id: UInt32, start: Int)? {
    switch kind {
    case .exif:
      for id in picture.metadata("Exif", contentType: "") {
        let bytes = try picture.metadata(id)
        if let start = ExifPayload.start(afterDistanceIn: bytes.span.bytes) { return (id, start) }
      }
      return nil
    case .xmp: return picture.metadata("mime", contentType: "application/rdf+xml").first.map { ($0, 0) }
    default: return nil
    }
  }
}
