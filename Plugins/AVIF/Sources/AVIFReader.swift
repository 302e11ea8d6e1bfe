// SPDX-License-Identifier: Apache-2.0

import CAVIF
import ISOBaseMediaFile
import ImageCoderPlugin

/// Reads AVIF: stills, grids and sequences.
///
/// Boxes are read by libavif and, where it does not tell, here. AV1 is decoded by dav1d: stills by ``StillDecoder``, and
/// what that does not expect, inside libavif. Frames of a sequence are whole pictures, decoded from the nearest key frame on.
///
/// - Format: AV1 Image File Format 1.1, ISO/IEC 23008-12, ISO/IEC 14496-12. Libraries: libavif 0.11, dav1d 1.0.
final class AVIFReader: ContainerReader {
  private let host: CoderHost
  private let source: SourceView
  private(set) var shown: ShownPicture
  /// Auxiliary pictures and thumbnails: hidden pages after the file's one. Looked for once the file is complete.
  private lazy var auxiliaries = shown.file.auxiliaryItems()
  /// Looked for once the file is complete.
  private var outside: OutsideBoxes?
  /// The auxiliary picture that was asked for last.
  private var auxiliary: (page: Int, picture: ShownPicture)?

  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    self.source = source
    self.host = host
    shown = try ShownPicture(
      source, isIncremental: options.contains(.incremental), isHeaderOnly: options.contains(.headerOnly), host: host)
  }

  /// Opens the whole file once its last byte is there.
  private func reopenIfComplete() throws(CoderError) {
    if shown.file.incremental != nil, source.size < .max { try reopen() }
  }

  /// Opens the whole file where its first bytes were enough so far.
  private func completeHeader() throws(CoderError) {
    if shown.file.isPartial { try reopen() }
  }

  private func reopen() throws(CoderError) {
    shown = try ShownPicture(source, host: host)
    auxiliaries = shown.file.auxiliaryItems()
    auxiliary = nil
  }

  /// What a page shows.
  private func picture(_ page: Int) throws(CoderError) -> ShownPicture {
    try completeHeader()
    guard page != 0 else { return shown }
    if let auxiliary, auxiliary.page == page { return auxiliary.picture }
    guard page > 0, page <= auxiliaries.count else {
      throw .invalidArgument("page \(page) of an AVIF file, which has 1")
    }
    let picture = try ShownPicture(try shown.file.showing(auxiliaries[page - 1].item), host: host)
    auxiliary = (page, picture)
    return picture
  }

  func header(page: Int) throws(CoderError) -> ImageHeader {
    try reopenIfComplete()
    let hidden = countAuxiliaries()
    var header = try Self.header(of: page == 0 ? shown : try picture(page))
    header.hiddenPageCount = hidden
    if page == 0, shown.file.standsIn { (header.standsIn, header.isLossless) = (true, false) }
    if page == 0, try outsideBoxes()?.credentials != nil { header.metadata.insert(.c2pa) }
    if page > 0 { try describe(&header, page: page) }
    return header
  }

  func frame(_ index: Int, page: Int) throws(CoderError) -> FrameHeader {
    guard case .coded(let open) = try picture(page) else {
      guard index == 0 else { throw .invalidArgument("frame \(index) of a still picture, which has 1") }
      let header = try header(page: page)
      return FrameHeader(rect: Rect(covering: header.canvas), hasAlpha: header.alpha != .opaque)
    }
    try check(frame: index, of: open)
    var delay: FrameDelay?
    if open.file.isSequence, open.steps.indices.contains(index), let timescale = open.file.track?.timescale,
      timescale > 0
    {
      delay = FrameDelay(numerator: UInt32(clamping: open.steps[index].duration), denominator: timescale)
    }
    return FrameHeader(
      rect: Rect(covering: open.presentation.crop.size), delay: delay, disposal: .keep, blend: .source,
      dependsOn: index, hasAlpha: open.hasAlpha)
  }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    guard case .coded(let open) = try picture(request.page) else { return try offerDerived(for: request) }
    try check(frame: request.frame, of: open)
    if request.frame == 0, let wanted = request.size,
      let thumbnail = try open.thumbnail(covering: wanted, host: host)
    {
      return DecodeOffer(
        request, size: thumbnail.size, part: request.part(in: thumbnail.size), pixelFormat: open.layout.format,
        alpha: open.layout.alpha, scaleCode: 1, memory: open.memory(of: thumbnail.size))
    }
    var format = open.layout.format
    if let wanted = request.pixelFormat, !format.isGray,
      [.rgba8, .bgra8, .rgb8].contains(wanted),
      wanted.hasAlpha || !format.hasAlpha
    {
      format = wanted
    }
    let image = open.picture.image
    let memory = open.memory(
      of: Size(width: Int(image.width), height: Int(image.height)), isSequence: open.file.isSequence)
    try host.limits.check(memory: memory)
    let size = open.presentation.crop.size
    return DecodeOffer(
      request, size: size, part: request.part(in: size), pixelFormat: format, alpha: open.layout.alpha, memory: memory)
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    guard case .coded(let open) = try picture(offer.page) else { return try drawDerived(offer, into: sink) }
    try check(frame: offer.frame, of: open)
    if offer.scaleCode == 1 {
      guard let thumbnail = try open.thumbnail(covering: offer.whole, host: host), thumbnail.size == offer.whole else {
        throw .invalidArgument("an offer of \(offer.whole), not made")
      }
      return try deliver(thumbnail.picture, of: open, rect: offer.part, offer: offer, into: sink)
    }
    let crop = open.presentation.crop
    guard offer.whole == crop.size else {
      throw .invalidArgument("an offer of \(offer.whole) for a picture of \(crop.size)")
    }
    try deliver(open.picture, of: open, rect: offer.part.moved(into: crop), offer: offer, into: sink)
  }

  func metadata(_ kind: MetadataKind, page: Int) throws(CoderError) -> [UInt8]? {
    // Exif and XMP may lie after the picture.
    if kind != .icc, shown.file.incremental != nil {
      _ = try source.contents()
      try reopenIfComplete()
    }
    if kind == .c2pa || kind == .trailer {
      return page == 0 ? try outsideBoxes()?.metadata(kind, in: source, limits: host.limits) : nil
    }
    if kind == .other { return page == 0 ? try OtherBoxes.names(in: source) : nil }
    let open: OpenedFile
    switch try picture(kind == .icc ? pageOfColors(page) : page) {
    case .coded(let file): open = file
    case .derived(_, let picture): return try picture.metadata(kind)
    }
    // Of several blocks libavif keeps the last, and the first counts.
    if let items = open.file.items, !open.file.isSequence, open.file.incremental == nil {
      let blocks = open.file.blocks(kind, of: items.primary)
      if blocks.count > 1 { return try open.file.content(of: blocks[0], kind, host.limits) }
    }
    let image = open.picture.image
    let data: avifRWData
    switch kind {
    case .icc: data = image.icc
    case .exif: data = image.exif
    case .xmp: data = image.xmp
    case .iptc, .c2pa, .geoTIFF, .text, .trailer, .other: return nil
    }
    guard data.size > 0 else { return nil }
    try host.limits.check(metadata: data.size)
    let bytes = try ArrayMemory.copy(UnsafeRawBufferPointer(start: data.data, count: data.size), for: "metadata")
    // Some writers leave what JPEG puts before Exif in the item.
    let start = kind == .exif ? ExifPayload.start(in: bytes.span.bytes) : 0
    return start == 0 ? bytes : try ArrayMemory.copy(bytes[start...], for: "metadata")
  }

  private func outsideBoxes() throws(CoderError) -> OutsideBoxes? {
    guard outside == nil, source.size < .max else { return outside }
    let found = try OutsideBoxes(source)
    outside = found
    return found
  }

  func properties(page: Int, frame: Int?) throws(CoderError) -> Properties {
    guard frame == nil else { return Properties() }
    switch try picture(page) {
    case .coded(let open): return open.file.properties(of: open.picture.image)
    case .derived(let file, _): return file.properties(of: nil)
    }
  }

  func storedColor(page: Int) throws(CoderError) -> StoredColor {
    StoredColor(light: try picture(page).file.light)
  }
}

extension AVIFReader {
  /// The SDK checks numbers of frames only once a file is complete.
  private func check(frame: Int, of open: OpenedFile) throws(CoderError) {
    guard frame >= 0, frame < open.frameCount else {
      throw .invalidArgument("frame \(frame) of an AVIF file, which has \(open.frameCount)")
    }
  }

  /// Decodes, converts, and says what is missing.
  ///
  /// - Parameter rect: What is delivered of the coded picture.
  private func deliver(
    _ decoder: PictureDecoder, of open: OpenedFile, rect: Rect, offer: DecodeOffer, into sink: RowSink
  ) throws(CoderError) {
    var delivered = 0
    while true {
      let decoded = try open.decode(decoder, frame: offer.frame, part: rect, host: host)
      let (image, rows) = (decoded.image, decoded.rows)
      let crop = try decoded.place(of: rect)
      let isWhole = rows >= Int(image.height)
      let there = min(max(rows - crop.y, 0), crop.height)
      // A row at the lower edge of what is there would be interpolated with rows that are not.
      let available = isWhole ? there : max(there - 1, 0)
      if isWhole || available > delivered {
        let converter = try PictureRows(image, crop: crop, format: offer.pixelFormat, host: host)
        try converter.deliver(delivered..<available, into: sink)
        delivered = available
      }
      if isWhole { return }
      guard try open.waitForMissing(decoder) else {
        throw .truncated("\(rows) of \(image.height) rows are there", at: open.file.bytes.count)
      }
    }
  }

  private static func header(of picture: ShownPicture) throws(CoderError) -> ImageHeader {
    switch picture {
    case .coded(let open): header(of: open)
    case .derived(let file, let picture): try header(of: picture, in: file)
    }
  }

  private static func header(of open: OpenedFile) -> ImageHeader {
    let image = open.picture.image
    var header = ImageHeader(
      format: .avif, canvas: open.presentation.crop.size, pixelFormat: open.layout.format,
      bitsPerChannel: Int(image.depth), alpha: open.layout.alpha)
    header.orientation = open.presentation.orientation
    header.frameCount = open.frameCount
    header.isAnimated = open.file.isSequence
    header.loopCount = open.file.isSequence ? open.file.track?.loopCount : nil
    header.cicp = open.points
    header.subsampling = open.subsampling
    header.isIncomplete = open.file.incremental != nil
    if image.icc.size > 0 { header.metadata.insert(.icc) }
    if image.exif.size > 0 { header.metadata.insert(.exif) }
    if image.xmp.size > 0 { header.metadata.insert(.xmp) }
    header.isTruncated = open.isTruncated
    header.isProgressive = open.picture.isProgressive
    header.isLossless = open.isLossless
    return header
  }
}

// Pictures that are put together here.
extension AVIFReader {
  private static func header(of picture: DerivedPicture, in file: AVIFFile) throws(CoderError) -> ImageHeader {
    var header = ImageHeader(
      format: .avif, canvas: picture.placement.crop.size, pixelFormat: picture.layout.format,
      bitsPerChannel: picture.bits, alpha: picture.layout.alpha)
    header.orientation = picture.placement.orientation
    header.cicp = picture.points
    for kind in MetadataKind.allCases where try picture.metadata(kind) != nil { header.metadata.insert(kind) }
    header.isTruncated = file.isCut
    return header
  }

  private func derived(_ page: Int) throws(CoderError) -> DerivedPicture {
    guard case .derived(_, let picture) = try picture(page) else {
      throw .libraryFailure("page \(page) is not derived")
    }
    return picture
  }

  private func offerDerived(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    let picture = try derived(request.page)
    guard request.frame == 0 else { throw .invalidArgument("frame \(request.frame) of a still picture, which has 1") }
    try host.limits.check(memory: picture.memory)
    var format = picture.layout.format
    if format == .rgb8 || format == .rgba8, let wanted = request.pixelFormat, [.rgba8, .bgra8].contains(wanted) {
      format = wanted
    }
    let size = picture.placement.crop.size
    return DecodeOffer(
      request, size: size, part: request.part(in: size), pixelFormat: format, alpha: picture.layout.alpha,
      rowOrder: .any, memory: picture.memory)
  }

  private func drawDerived(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    let picture = try derived(offer.page)
    let crop = picture.placement.crop
    guard offer.whole == crop.size else {
      throw .invalidArgument("an offer of \(offer.whole) for a picture of \(crop.size)")
    }
    let size = offer.size
    let rows = try sink.rows(at: 0, count: size.height)
    guard rows.count == size.height, rows.stride >= size.width * offer.pixelFormat.bytesPerPixel else {
      throw .libraryFailure("the host grants \(rows.count) rows of \(rows.stride) bytes for a picture of \(size)")
    }
    try picture.draw(
      offer.part.moved(into: crop),
      into: PixelTarget(base: rows.base, stride: rows.stride, format: offer.pixelFormat))
    try sink.done(at: 0, count: size.height)
  }
}

// Pictures that belong to the one that is shown.
extension AVIFReader {
  /// Auxiliary pictures of a file that is there whole; none of one that cannot be opened so.
  private func countAuxiliaries() -> Int {
    guard shown.file.incremental == nil else { return 0 }
    // The boxes say all of thumbnails that their number needs.
    guard shown.file.hasAuxiliaries else { return auxiliaries.count }
    do throws(CoderError) {
      try completeHeader()
      return auxiliaries.count
    } catch {
      host.log("auxiliary pictures are left out: \(error.message)", severity: .warning)
      return 0
    }
  }

  /// Says what a hidden page is.
  private func describe(_ header: inout ImageHeader, page: Int) throws(CoderError) {
    let found = auxiliaries[page - 1]
    let owner = try Self.header(of: shown)
    try found.check(size: header.canvas, of: owner.canvas)
    header.orientation = found.orientation(
      StoredPicture(size: header.canvas, orientation: header.orientation),
      of: StoredPicture(size: owner.canvas, orientation: owner.orientation))
    if try pageOfColors(page) == 0 {
      header.cicp = owner.cicp
      if owner.metadata.contains(.icc) { header.metadata.insert(.icc) }
    }
    let kind = found.kind == .depth && isDisparity(page: page) ? .disparity : found.kind
    header.role = PageRole(kind, name: found.type)
    // The colors of its own samples say nothing: they are no light.
    if kind == .gainMap { header.cicp = found.toneMap?.points }
  }

  /// Whose colors a page has: its own, or those of the picture for a thumbnail that says nothing of them.
  private func pageOfColors(_ page: Int) throws(CoderError) -> Int {
    let own = try picture(page)
    guard page > 0, auxiliaries[page - 1].kind == .reduced else { return page }
    let header = try Self.header(of: own)
    return header.cicp == nil && !header.metadata.contains(.icc) ? 0 : page
  }

  func gainMap(_ block: GainMapBlock, page: Int) throws(CoderError) -> [UInt8]? {
    try completeHeader()
    guard page > 0, page <= auxiliaries.count, let map = auxiliaries[page - 1].toneMap else { return nil }
    return try map.bytes(of: block, in: shown.file.bytes, limits: host.limits)
  }
}

extension Rect {
  /// The rectangle where it lies in what `crop` is a part of.
  fileprivate func moved(into crop: Rect) -> Rect { Rect(x: crop.x + x, y: crop.y + y, width: width, height: height) }
}
