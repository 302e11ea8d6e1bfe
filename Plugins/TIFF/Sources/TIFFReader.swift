// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Reads TIFF and BigTIFF: each directory of the chain is a page. Smaller versions and masks of pages are hidden pages.
///
/// Directories are read here; libtiff decompresses strips and tiles, and has no part in anything else. The tag
/// Orientation is reported, not applied. Of an incremental file, a page is read as soon as its directory is there, and its
/// strips or tiles as they come.
///
/// - Format: TIFF 6.0; TIFF Technical Notes 1 and 2; BigTIFF. Library: libtiff 4.5 or later.
final class TIFFReader: ContainerReader {
  private var file: TIFFFile
  private let source: SourceView
  private let host: CoderHost
  /// Pages that were looked at.
  private var pages: [Int: TIFFPicture] = [:]
  /// Smaller versions of pages, the largest first.
  private var versions: [Int: [TIFFPicture]] = [:]
  /// Smaller versions and masks of the first pages, once all bytes are there.
  private var knownHidden: [HiddenPage]?
  /// Whether it is a camera's file, once all of it has been looked at.
  private var knownCameraRaw: Bool?

  /// Directories of smaller versions that are looked at.
  private static let mostVersions = 32
  /// Pages whose smaller versions and masks are pages too, and how many of those there are.
  private static let mostOwners = 16
  private static let mostHidden = 64
  /// Bits of a scale code: the number of a smaller version, or 0, and above them the exponent of a reduction.
  private static let reductionShift: UInt32 = 16

  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    self.source = source
    self.host = host
    file = try TIFFFile(source, host: host, isIncremental: options.contains(.incremental))
    // The first page decides whether the file can be opened.
    _ = try picture(0)
  }

  /// A page's own directory.
  func picture(_ page: Int) throws(CoderError) -> TIFFPicture {
    try file.advance(toPage: page)
    guard page < file.pages.count else {
      let hidden = try hiddenPages()
      if page - file.pages.count < hidden.count { return hidden[page - file.pages.count].picture }
      throw .invalidArgument("page \(page) of a file that has \(file.pages.count)")
    }
    if let known = pages[page] { return known }
    let directory = try TIFFDirectory(file.source, at: file.pages[page].offset)
    let picture = try TIFFPicture(directory, limits: host.limits)
    if pages.count < 64 { pages[page] = picture }
    return picture
  }

  func header(page: Int) throws(CoderError) -> ImageHeader {
    let picture = try picture(page)
    let isIncomplete = !file.source.isComplete
    if !isIncomplete { try file.advanceToTheEnd() }
    let samples = picture.samples
    var header = ImageHeader(
      format: .tiff, canvas: picture.canvas, pixelFormat: samples.pixelFormat, bitsPerChannel: min(samples.bits, 32),
      alpha: samples.alphaMode)
    header.orientation = picture.orientation
    header.pageCount = file.pages.count
    header.isIncomplete = isIncomplete
    let hidden = try hiddenPages()
    header.hiddenPageCount = hidden.count
    if page >= file.pages.count { header.role = hidden[page - file.pages.count].role }
    header.isTruncated = file.isTruncated
    header.isDamaged = file.isDamaged
    header.standsIn = try isCameraRaw()
    header.isLossless = try isLossless(picture) && !header.standsIn
    header.hasPalette = samples.photometric == .palette
    header.hasInks = picture.hasInks
    if samples.photometric == .palette { header.bitsPerChannel = 8 }
    header.subsampling = try subsampling(of: picture)
    (header.resolution, header.pixelAspect) = try picture.directory.density()
    for kind in MetadataKind.allCases where try hasMetadata(kind, of: picture.directory) {
      header.metadata.insert(kind)
    }
    return header
  }

  private func isCameraRaw() throws(CoderError) -> Bool {
    if let known = knownCameraRaw { return known }
    let isRaw = try CameraRaw.isIn(file)
    if file.source.isComplete { knownCameraRaw = isRaw }
    return isRaw
  }

  private func isLossless(_ picture: TIFFPicture) throws(CoderError) -> Bool {
    guard picture.compression == .jpeg, file.source.isComplete else { return picture.isLossless }
    return try ifReadable { () throws(CoderError) in try picture.isLosslessJPEG() } ?? false
  }

  private func subsampling(of picture: TIFFPicture) throws(CoderError) -> Subsampling? {
    guard picture.samples.photometric == .yCbCr else { return nil }
    var factors = picture.subsampling
    if picture.compression == .jpeg, !file.source.isComplete {
      // A strip that is not there yet is not waited for.
      guard picture.directory[Tag.yCbCrSubsampling] != nil else { return nil }
    } else if picture.compression == .jpeg {
      // A file that is cut here says so when it is decoded.
      let found = try ifReadable { () throws(CoderError) in try picture.directory.firstJPEG() }
      if let found { factors = (found.horizontal, found.vertical) }
    }
    switch (factors.horizontal, factors.vertical) {
    case (1, 1): return .s444
    case (2, 1): return .s422
    case (2, 2): return .s420
    case (1, 2): return .s440
    case (4, 1): return .s411
    default: return nil
    }
  }

  func storedColor(page: Int) throws(CoderError) -> StoredColor { try picture(page).storedColor() }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    let page = try picture(request.page)
    let isInks = request.wantsInks && page.hasInks
    var picture = page
    var code: UInt32 = 0
    if let wanted = request.size, wanted.width < page.canvas.width || wanted.height < page.canvas.height {
      let smaller = try smallerVersions(of: request.page)
      if let index = smaller.lastIndex(where: {
        $0.canvas.width >= wanted.width && $0.canvas.height >= wanted.height
      }) {
        picture = smaller[index]
        code = UInt32(index + 1)
      }
    }
    var reduction = 1
    if !isInks, let wanted = request.size { reduction = try picture.reduction(for: wanted) }
    code |= UInt32(reduction.trailingZeroBitCount) << Self.reductionShift
    let size = picture.reduced(by: reduction)
    let native = picture.samples.pixelFormat
    guard !isInks else {
      let format = Self.inkFormat(of: native)
      let layout = try layout(
        picture, wanted: request.part(in: picture.canvas), output: format.pixelFormat, isTopDown: true, isInks: true)
      return DecodeOffer(
        request, size: picture.canvas, part: layout.part, rowFormat: format, scaleCode: code,
        memory: LibTIFF.memory(layout))
    }
    let format = request.pixelFormat.flatMap { Self.canDeliver($0, of: native) ? $0 : nil } ?? native
    // Rows that go straight into the result may come in any order, and then damage costs no rows but its own.
    let isDirect =
      request.rowOrder == .any && request.size == nil && format == request.pixelFormat ?? native
      && (!format.hasAlpha || picture.samples.alphaMode == .opaque || picture.samples.alphaMode == request.alpha)
    let layout = try layout(
      picture, reduction: reduction, wanted: request.part(in: size), output: format, isTopDown: !isDirect)
    return DecodeOffer(
      request, size: size, part: layout.part, pixelFormat: format, alpha: picture.samples.alphaMode,
      rowOrder: isDirect ? .any : .topDown, scaleCode: code, memory: LibTIFF.memory(layout),
      covered: (
        Double(picture.canvas.width) / Double(reduction), Double(picture.canvas.height) / Double(reduction)
      ))
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    let isInks = offer.rowFormat?.isInks ?? false
    var picture = try picture(offer.page)
    let version = Int(offer.scaleCode & (1 << Self.reductionShift - 1))
    let exponent = offer.scaleCode >> Self.reductionShift
    if version > 0 {
      let smaller = try smallerVersions(of: offer.page)
      guard version <= smaller.count else { throw .invalidArgument("an offer that was not made") }
      picture = smaller[version - 1]
    }
    let native = picture.samples.pixelFormat
    let reduction = 1 << min(exponent, 4)
    let isMade = exponent == 0 ? true : exponent <= 3 && !isInks ? try picture.canReduce(by: reduction) : false
    guard isMade,
      offer.whole == picture.reduced(by: reduction),
      isInks
        ? picture.hasInks && offer.rowFormat == Self.inkFormat(of: native)
        : offer.rowFormat == nil && Self.canDeliver(offer.pixelFormat, of: native)
    else {
      throw .invalidArgument("an offer of \(offer.size) in \(offer.formatDescription) was not made")
    }
    let layout = try layout(
      picture, reduction: reduction, wanted: offer.part, output: offer.pixelFormat,
      isTopDown: offer.rowOrder == .topDown, isInks: isInks)
    guard layout.part == offer.part else {
      throw .invalidArgument("an offer of \(offer.size) at \(offer.part.x),\(offer.part.y) was not made")
    }
    try host.countInflated(reduction == 1 ? picture.part(offer.size).inflatedBytes : picture.inflatedBytes)
    try LibTIFF.decode(layout, of: source, into: sink, host: host)
  }

  func metadata(_ kind: MetadataKind, page: Int) throws(CoderError) -> [UInt8]? {
    let directory = try picture(page).directory
    // Directories of Exif may be anywhere.
    if kind == .exif { try file.source.waitForAll() }
    if kind == .other { return try directory.applicationData(limits: host.limits) }
    guard try hasMetadata(kind, of: directory) else { return nil }
    switch kind {
    case .icc: return try directory.payload(Tag.iccProfile, limits: host.limits)
    case .xmp: return try directory.payload(Tag.xmp, limits: host.limits)
    case .exif: return try ExifBlock.read(directory, limits: host.limits)
    case .iptc: return try directory.iptc(limits: host.limits)
    case .c2pa: return try directory.payload(Tag.credentials, limits: host.limits)
    case .geoTIFF: return try directory.geoTIFF(limits: host.limits)
    case .text:
      var texts: [ContainerText] = []
      for (name, tag) in Tag.texts.sorted(by: { $0.value < $1.value }) {
        if let text = try directory.text(tag) { texts.append(ContainerText(text, keyword: name)) }
      }
      return texts.isEmpty ? nil : ContainerText.payload(texts)
    case .trailer, .other: return nil
    }
  }

  func properties(page: Int, frame: Int?) throws(CoderError) -> Properties {
    let picture = try picture(page)
    return frame == nil ? try picture.properties() : Properties()
  }

  /// The formats that rows are converted to without a loss: the picture's own, and RGB with alpha.
  private static func canDeliver(_ format: PixelFormat, of native: PixelFormat) -> Bool {
    if format == native { return true }
    if format == .rgba16, native == .rgb16 { return true }
    return (format == .rgba8 || format == .bgra8) && native.bytesPerChannel == 1
  }

  /// Four inks of a pixel, as deep as the colors that are made of them.
  private static func inkFormat(of native: PixelFormat) -> RowFormat {
    native.bytesPerChannel == 1 ? .cmyk8 : .cmyk16
  }

  private func layout(
    _ picture: TIFFPicture, reduction: Int = 1, wanted: Rect? = nil, output: PixelFormat, isTopDown: Bool,
    isInks: Bool = false
  ) throws(CoderError) -> DecodeLayout {
    try DecodeLayout(
      picture, reduction: reduction, wanted: wanted, output: output, isTopDown: isTopDown, isInks: isInks,
      limits: host.limits)
  }

  private func hasMetadata(_ kind: MetadataKind, of directory: TIFFDirectory) throws(CoderError) -> Bool {
    switch kind {
    case .icc: directory[Tag.iccProfile].map { $0.length > 0 && directory.isWhole($0) } ?? false
    case .xmp: directory[Tag.xmp].map { $0.length > 0 && directory.isWhole($0) } ?? false
    // A directory that is not there yet is not waited for.
    case .exif where !file.source.isComplete: ExifBlock.isAnnounced(in: directory)
    case .exif: try ExifBlock.isPresent(in: directory)
    case .c2pa: directory[Tag.credentials].map { $0.length > 0 && directory.isWhole($0) } ?? false
    case .iptc: try directory.hasIPTC()
    case .geoTIFF: directory.hasGeoTIFF
    case .text: Tag.texts.values.contains { directory[$0] != nil }
    case .trailer, .other: false
    }
  }

  /// Directories that show the same picture as a page with fewer pixels: those after it in the chain that say so, and
  /// its SubIFDs.
  private func smallerVersions(of page: Int) throws(CoderError) -> [TIFFPicture] {
    if let known = versions[page] { return known }
    guard page < file.pages.count else { return [] }
    let picture = try picture(page)
    let following = try file.reduced(ofPage: page)
    let nested = try ifReadable { () throws(CoderError) in
      try picture.directory.numbers(Tag.subIFDs, limit: Self.mostVersions)
    }
    let places = following + (nested ?? []).map { Int(clamping: $0) }
    var found: [TIFFPicture] = []
    for place in places.prefix(Self.mostVersions) {
      // A version that cannot be read is no help, and no harm either: the page itself is decoded.
      let version = try ifReadable { () throws(CoderError) -> TIFFPicture? in
        let directory = try TIFFDirectory(file.source, at: place)
        guard let role = try directory.number(Tag.newSubfileType), role & 1 == 1 else { return nil }
        return try TIFFPicture(directory, limits: host.limits)
      }
      if let version, picture.isSmaller(version) { found.append(version) }
    }
    found.sort { $0.canvas.width > $1.canvas.width }
    versions[page] = found
    return found
  }
  /// A smaller version or a mask of a page.
  private struct HiddenPage {
    let role: PageRole
    let picture: TIFFPicture
  }

  /// Smaller versions and masks of the first pages. One that cannot be read is none.
  private func hiddenPages() throws(CoderError) -> [HiddenPage] {
    if let knownHidden { return knownHidden }
    guard file.source.isComplete else { return [] }
    try file.advanceToTheEnd()
    var found: [HiddenPage] = []
    for page in 0..<min(file.pages.count, Self.mostOwners) {
      for version in (try? smallerVersions(of: page)) ?? [] {
        found.append(HiddenPage(role: PageRole(.reduced, owner: page), picture: version))
      }
      for place in file.pages[page].masks.prefix(Self.mostVersions) {
        let mask = try ifReadable { () throws(CoderError) -> TIFFPicture? in
          try TIFFPicture(try TIFFDirectory(file.source, at: place), limits: host.limits)
        }
        guard let mask else { continue }
        let role = PageRole(.matte, name: "transparency mask", owner: page)
        found.append(HiddenPage(role: role, picture: mask))
      }
    }
    found = Array(found.prefix(Self.mostHidden))
    knownHidden = found
    return found
  }
}
