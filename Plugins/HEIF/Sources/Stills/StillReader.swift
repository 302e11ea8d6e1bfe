// SPDX-License-Identifier: Apache-2.0

import CodedPictures
import ISOBaseMediaFile
import ImageCoderPlugin

/// Reads HEIF stills of HEVC: coded, derived, with alpha, several in a file.
///
/// The boxes are walked here, and each coded item goes to libde265 on its own: no thread of a library's, no item that
/// is not needed, tiles of a grid side by side, and what a cut file still holds.
///
/// - Format: ISO/IEC 23008-12 and 14496-12. Library: libde265 1.0.
final class StillReader: ContainerReader {
  private let source: SourceView
  let host: CoderHost
  private(set) var file: HEIFFile
  /// Thumbnails that were found fit, decoded when they were offered.
  private var thumbnails: [Int: Thumbnail] = [:]
  /// Auxiliary pictures and thumbnails of all pages: hidden pages after those of the file.
  private lazy var auxiliaries = file.auxiliaryItems()

  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    self.source = source
    self.host = host
    file = try HEIFFile.open(source, isIncremental: options.contains(.incremental), limits: host.limits)
    _ = try canvas(of: file.primaryPage)
  }

  /// Opens the whole file when its last byte has arrived.
  private func catchUp() throws(CoderError) {
    guard file.isIncremental, source.size < .max else { return }
    file = try HEIFFile.open(source, isIncremental: false, limits: host.limits)
    thumbnails = [:]
    auxiliaries = file.auxiliaryItems()
  }

  func header(page: Int) throws(CoderError) -> ImageHeader {
    try catchUp()
    let node = try canvas(of: page)
    var header = ImageHeader(
      format: file.format, canvas: node.placement.crop.size, pixelFormat: node.pixelFormat, bitsPerChannel: node.bits,
      alpha: node.alphaMode)
    header.orientation = try orientation(of: node, page: page)
    header.pageCount = file.pages.count
    header.primaryPage = file.primaryPage
    let colors = try nodeOfColors(node, page: page)
    header.cicp = colors.points
    header.subsampling = node.subsampling
    header.isLossless = node.isLossless
    header.metadata = Set(MetadataKind.allCases.filter { payload($0, of: node, colors, isAwaited: false) != nil })
    header.isTruncated = isCut(node)
    header.isIncomplete = file.isIncremental
    if case .jpeg(let place) = node.content { header.embedded = place }
    // Auxiliary pictures are looked for once the file is complete.
    if !file.isIncremental { header.hiddenPageCount = auxiliaries.count }
    if let found = hidden(page) {
      try found.check(size: header.canvas, of: picture(of: found).placement.crop.size)
      describe(&header, found, page: page)
    }
    return header
  }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    let node = try canvas(of: request.page)
    guard request.frame == 0 else { throw .invalidArgument("frame \(request.frame) of a still picture, which has 1") }
    let own = node.pixelFormat
    let format: PixelFormat
    switch (own, request.pixelFormat) {
    case (.rgb8, .rgba8), (.rgb8, .bgra8), (.rgba8, .bgra8), (.gray8, .grayAlpha8), (.gray16, .grayAlpha16):
      format = request.pixelFormat ?? own
    default: format = own
    }
    let size = node.placement.crop.size
    if let wanted = request.size, let thumbnail = thumbnail(of: node, page: request.page, for: wanted) {
      let size = thumbnail.node.placement.crop.size
      return DecodeOffer(
        request, size: size, part: request.part(in: size), pixelFormat: format, alpha: node.alphaMode, rowOrder: .any,
        scaleCode: 1, memory: node.memory)
    }
    // Tiles are decoded side by side, on as many threads as the host has.
    let memory = node.memory &* (node.isParallel ? Self.threads : 1)
    try host.limits.check(memory: node.memory)
    return DecodeOffer(
      request, size: size, part: request.part(in: size), pixelFormat: format, alpha: node.alphaMode, rowOrder: .any,
      memory: min(memory, max(node.memory, host.limits.maxMemory)))
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    var node = try canvas(of: offer.page)
    var decoded = DecodedItems()
    if offer.scaleCode == 1, let thumbnail = thumbnails[offer.page] {
      node = thumbnail.node
      decoded = thumbnails[offer.page]?.takeItems() ?? decoded
    }
    let crop = node.placement.crop
    guard offer.whole == crop.size else {
      throw .invalidArgument("an offer of \(offer.whole) for a picture of \(crop.size)")
    }
    let size = offer.size
    let rows = try sink.rows(at: 0, count: size.height)
    guard rows.count == size.height, rows.stride >= size.width * offer.pixelFormat.bytesPerPixel else {
      throw .libraryFailure("the host grants \(rows.count) rows of \(rows.stride) bytes for a picture of \(size)")
    }
    let renderer = Renderer(
      file: file, host: host, points: node.points, isPart: size != crop.size, decoded: decoded
    ) { done throws(CoderError) in try sink.done(at: done.lowerBound, count: done.count) }
    let region = Rect(x: crop.x + offer.part.x, y: crop.y + offer.part.y, width: size.width, height: size.height)
    try renderer.draw(
      node, region: region, into: PixelTarget(base: rows.base, stride: rows.stride, format: offer.pixelFormat))
  }

  func metadata(_ kind: MetadataKind, page: Int) throws(CoderError) -> [UInt8]? {
    let node = try canvas(of: page)
    switch payload(kind, of: node, try nodeOfColors(node, page: page)) {
    case nil: return nil
    case .range(let range)?:
      try host.limits.check(metadata: range.count)
      return [UInt8](file.contents.bytes(in: range))
    case .item(let item)?:
      let bytes = try file.bytes(of: item)
      guard let start = kind == .exif ? try bytes.exifStart() : 0 else { return nil }
      try host.limits.check(metadata: bytes.count - start)
      return try bytes.withBytes { [UInt8]($0.dropFirst(start)) }
    }
  }

  func properties(page: Int, frame: Int?) throws(CoderError) -> Properties {
    let node = try canvas(of: page)
    guard frame == nil else { return Properties() }
    return HEIFProperties.all(of: node, in: file)
  }

  func storedColor(page: Int) throws(CoderError) -> StoredColor {
    StoredColor(light: file.light(of: try canvas(of: page)))
  }
}

extension StillReader {
  /// What a hidden page is; nil for a page of the file.
  private func hidden(_ page: Int) -> AuxiliaryItem? {
    page < file.pages.count ? nil : auxiliaries[page - file.pages.count]
  }

  /// The picture that a hidden page belongs to.
  private func picture(of hidden: AuxiliaryItem) throws(CoderError) -> PictureNode {
    try file.node(file.pages[hidden.owner])
  }

  /// Says what a hidden page is.
  private func describe(_ header: inout ImageHeader, _ found: AuxiliaryItem, page: Int) {
    let kind = found.kind == .depth && isDisparity(page: page) ? .disparity : found.kind
    header.role = PageRole(kind, name: found.type, owner: found.owner)
    // The colors of its own samples say nothing: they are no light.
    if kind == .gainMap { header.cicp = found.toneMap?.points }
  }

  /// Which picture's colors a page has: its own, or those of its picture for a thumbnail that says nothing of them.
  private func nodeOfColors(_ node: PictureNode, page: Int) throws(CoderError) -> PictureNode {
    guard node.points == nil, node.profile == nil, let found = hidden(page), found.kind == .reduced else { return node }
    return try picture(of: found)
  }

  func gainMap(_ block: GainMapBlock, page: Int) throws(CoderError) -> [UInt8]? {
    let index = page - file.pages.count
    guard auxiliaries.indices.contains(index), let map = auxiliaries[index].toneMap else { return nil }
    return try map.bytes(of: block, in: file.contents, limits: host.limits)
  }

  /// How a page is shown.
  private func orientation(of node: PictureNode, page: Int) throws(CoderError) -> Orientation {
    guard let found = hidden(page) else { return node.placement.orientation }
    return found.orientation(node.stored, of: try picture(of: found).stored)
  }
}

extension StillReader {
  /// Threads whose memory is announced.
  private static let threads = 8

  private func canvas(of page: Int) throws(CoderError) -> PictureNode {
    let count = file.pages.count
    guard page >= 0, page < count || page < count + auxiliaries.count else {
      throw .invalidArgument("page \(page) of a HEIF file, which has \(count)")
    }
    let node = try file.node(page < count ? file.pages[page] : auxiliaries[page - count].item)
    try host.limits.check(canvas: node.placement.crop.size)
    return node
  }

  /// Whether bytes of the picture are missing and do not arrive any more.
  private func isCut(_ node: PictureNode) -> Bool {
    if case .coded(let coded) = node.content { return file.isCut(coded.item) }
    if case .uncompressed(let found) = node.content { return file.isCut(found.item) }
    return node.content.parts.contains { isCut($0) }
  }

  /// The embedded thumbnail, when it shows the same picture and is large enough.
  private func thumbnail(of node: PictureNode, page: Int, for size: Size) -> Thumbnail? {
    if let found = thumbnails[page] { return found.covers(size) ? found : nil }
    guard let found = Thumbnail(of: node, in: file, for: size) else { return nil }
    thumbnails[page] = found
    return found
  }

  /// Where a raw payload lies.
  private enum Payload {
    case range(Range<Int>)
    case item(Item)
  }

  /// - Parameters:
  ///   - colors: The picture whose colors count.
  ///   - isAwaited: Whether to wait for bytes that arrive; without them, items are taken at their types' word.
  private func payload(
    _ kind: MetadataKind, of node: PictureNode, _ colors: PictureNode, isAwaited: Bool = true
  ) -> Payload? {
    if kind == .icc { return colors.profile.map { .range($0) } }
    for id in file.descriptions(of: node.id) {
      guard let item = file.meta.item(id) else { continue }
      let isXMP = item.isXMP && item.contentEncoding == .none
      guard kind == .exif && item.type == .exif || kind == .xmp && isXMP else { continue }
      if file.isIncremental, !isAwaited { return .item(item) }
      guard let bytes = try? file.bytes(of: item), !bytes.isCut, bytes.count > 0 else { continue }
      if kind == .xmp || (try? bytes.exifStart()) != nil { return .item(item) }
    }
    return nil
  }
}

extension PictureNode {
  fileprivate var stored: StoredPicture {
    StoredPicture(size: placement.crop.size, orientation: placement.orientation)
  }

  var pixelFormat: PixelFormat { PixelFormat(isGray: isGray, hasAlpha: hasAlpha, isDeep: bits > 8) }

  var alphaMode: AlphaMode { AlphaMode(hasAlpha: hasAlpha, isPremultiplied: isPremultiplied) }

  /// Whether several of its parts are decoded at a time.
  var isParallel: Bool { if case .grid = content { true } else { false } }
}

extension ItemBytes {
  /// Where Exif begins in an item of it, or nil.
  fileprivate func exifStart() throws(CoderError) -> Int? {
    try withBytes { ExifPayload.start(afterDistanceIn: $0.bytes) }
  }
}
